import { tool as client } from './client.ts'
import { tool as runActivity } from './run-activity.ts'

export { client, runActivity }
export const tools = [client, runActivity]
