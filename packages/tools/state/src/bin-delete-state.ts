import { runTool } from '@davit/tool'
import { description } from './delete-state-description.ts'

runTool(description, async () => (await import('./delete-state.ts')).tool)
