import { runTool } from '@davit/tool'
import { description } from './clean-snapshots-description.ts'

runTool(description, async () => (await import('./clean-snapshots.ts')).tool)
