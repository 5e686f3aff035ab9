import { runTool } from '@davit/tool'
import { description } from './snapshots-description.ts'

runTool(description, async () => (await import('./snapshots.ts')).tool)
