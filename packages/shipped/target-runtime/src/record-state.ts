/** Traits of a record's state. The script that writes states and all their readers use this table. */
interface StateTraits {
  /** One sentence without a subject, for `docs/operations.md`. */
  readonly means: string
  /** The intended activity, which has not succeeded so far. */
  readonly during?: string
}

const STATES = {
  activating: { means: 'is to be activated, and is not known to be active yet', during: 'activate' },
  active: { means: 'was activated, and has not been deactivated since' },
  deactivating: { means: 'is to be deactivated, and is not known to be stopped yet', during: 'deactivate' },
} as const satisfies Readonly<Record<string, StateTraits>>

export type RecordState = keyof typeof STATES

/** A state with an intended activity. */
export type UnsettledState = {
  readonly [State in RecordState]: (typeof STATES)[State] extends { readonly during: string } ? State : never
}[RecordState]

export const RECORD_STATES = Object.keys(STATES) as readonly RecordState[]

export function recordState(state: RecordState): StateTraits {
  return STATES[state]
}
