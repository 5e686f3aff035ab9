import { tool as lock } from './lock.ts'
import { tool as unlock } from './unlock.ts'

export const tools = [lock, unlock]
