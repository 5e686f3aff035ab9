import type { System, Target } from '@davit/documents'

/** A target without containers. */
export const targetWith = (clientInterface: string, hostname = 'web'): Target => ({
  system: 'x86_64-linux' as System,
  numOfCores: 1,
  clientInterface,
  targetProperty: 'hostname',
  properties: new Map([['hostname', hostname]]),
  containers: new Map(),
})
