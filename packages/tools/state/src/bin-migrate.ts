import { runTool } from '@davit/tool'
import { description } from './migrate-description.ts'

runTool(description, async () => (await import('./migrate.ts')).tool)
