import { runTool } from '@davit/tool'
import { description } from './restore-description.ts'

runTool(description, async () => (await import('./restore.ts')).tool)
