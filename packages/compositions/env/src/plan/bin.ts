import { runTool } from '@davit/tool'
import { planDescription } from './description.ts'

runTool(planDescription, async () => (await import('./plan.ts')).plan)
