import { tool as lock } from './lock.ts'
import { tool as unlock } from './unlock.ts'

export { description as lockDescription } from './lock-description.ts'
export { holdLock } from './lock-deployment.ts'
export { lock, unlock }
export const tools = [lock, unlock]
