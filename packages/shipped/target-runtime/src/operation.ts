export const EVERYBODY = [
  'deploy',
  'carry',
  'collect',
  'state',
  'adopt',
  'trial',
  'confirm',
  'query',
  'check',
  'logs',
] as const

/** Purpose of a helper, which has the operations of its role. */
export type Role = (typeof EVERYBODY)[number]

/** An operation of helpers, carried out by `operation_NAME` in a part of `runtime/`. */
export interface Operation {
  readonly roles: readonly Role[]
  /** Words of a request. From the first bracket on, there may be any number of words. */
  readonly fields: string
  /** One sentence without a subject, for `docs/operations.md`. */
  readonly does: string
  /** Factor by which the machine may be silent for longer than usual before it answers. */
  readonly slowness?: number
  /** Whether doing it twice has the same result, so that the request is repeated if its answer was lost. */
  readonly isRepeatable?: true
  /** Whether it is an activity, which is answered immediately and reports its end later. */
  readonly endsLater?: true
  /** Whether helpers have what it needs from the start, since most runs ask for it at first, and for other things at the same time. */
  readonly isAskedFirst?: true
  /** Functions that a process apart from the helper calls: it is given the text of all that they need, in `$detached`. */
  readonly detached?: readonly string[]
}

/** Slowness of operations that read or write a whole store, or wait for another program. */
export const SLOW = 10
/** Slowness of operations that read all data of a snapshot. */
export const VERY_SLOW = 60
