import { runTool } from '@davit/tool'
import { description } from './snapshot-description.ts'

runTool(description, async () => (await import('./snapshot.ts')).tool)
