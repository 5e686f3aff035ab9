import { tool } from './env.ts'
import { plan } from './plan/plan.ts'

export { tool } from './env.ts'
export const tools = [tool, plan]
