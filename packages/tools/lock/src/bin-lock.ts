import { runTool } from '@davit/tool'
import { description } from './lock-description.ts'

runTool(description, async () => (await import('./lock.ts')).tool)
