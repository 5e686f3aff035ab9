import type { TargetName } from '@davit/documents'

import type { Machine } from './machine.ts'

/** A target whose machine runs our runtime. Several targets may be one machine. */
export interface ShellTarget {
  readonly name: TargetName
  readonly machine: Machine
}
