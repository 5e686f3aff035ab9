import { runTool } from '@davit/tool'
import { description } from './unlock-description.ts'

runTool(description, async () => (await import('./unlock.ts')).tool)
