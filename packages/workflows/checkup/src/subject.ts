import type { ProfileName, TargetName } from '@davit/documents'

import { type Check, isWrong } from './check.ts'

/** A machine that was looked at. */
export interface Subject {
  /** Its own name, or how it is reached. */
  readonly name: string
  readonly targets: readonly TargetName[]
  readonly checks: readonly Check[]
}

/** What was looked at, and how it is. */
export interface Checkup {
  readonly profile: ProfileName
  readonly coordinator: Subject
  /** Machines with targets; those that cannot be reached have no others than this target. */
  readonly machines: readonly Subject[]
}

/** Whether something has to be done. */
export function isSound({ coordinator, machines }: Checkup): boolean {
  return ![coordinator, ...machines].some(({ checks }) => checks.some(isWrong))
}
