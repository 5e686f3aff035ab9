import { runTool } from '@davit/tool'
import { description } from './description.ts'

runTool(description, async () => (await import('./main.ts')).tool)
