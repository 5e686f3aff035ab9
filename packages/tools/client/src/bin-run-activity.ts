import { runTool } from '@davit/tool'
import { description } from './run-activity-description.ts'

runTool(description, async () => (await import('./run-activity.ts')).tool)
