import { runTool } from '@davit/tool'
import { description } from './client-description.ts'

runTool(description, async () => (await import('./client.ts')).tool)
