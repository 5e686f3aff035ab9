import { tool as lock } from './lock.ts'
import { tool as unlock } from './unlock.ts'

export { lock, unlock }
export const tools = [lock, unlock]
