import { runTool } from '@davit/tool'
import { description } from './copy-snapshots-description.ts'

runTool(description, async () => (await import('./copy-snapshots.ts')).tool)
