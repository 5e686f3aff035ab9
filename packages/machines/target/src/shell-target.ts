import type { TargetName } from '@davit/documents'
import type { Role } from '@davit/target-runtime'

import type { Machine } from './machine.ts'

/** A target, and the machine that it is on. Several targets may be one machine. */
export interface ShellTarget<R extends Role = 'deploy'> {
  readonly name: TargetName
  readonly machine: Machine<R>
}
