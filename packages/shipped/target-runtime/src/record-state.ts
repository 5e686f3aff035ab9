/** What the record of a mapping can say of it. The script that writes it, and all that read it, have the states from here. */
interface StateTraits {
  /** One sentence without a subject, for the docs. */
  readonly means: string
  /** The activity that was intended, and has not reached what it is for. */
  readonly during?: string
}

const STATES = {
  activating: { means: 'is to be activated, and nothing has said yet that it was', during: 'activate' },
  active: { means: 'was activated, and not deactivated since' },
  deactivating: { means: 'is to be deactivated, and nothing has said yet that it was', during: 'deactivate' },
} as const satisfies Readonly<Record<string, StateTraits>>

export type RecordState = keyof typeof STATES

/** A state during which something was intended. */
export type UnsettledState = {
  readonly [State in RecordState]: (typeof STATES)[State] extends { readonly during: string } ? State : never
}[RecordState]

export const RECORD_STATES = Object.keys(STATES) as readonly RecordState[]

export function recordState(state: RecordState): StateTraits {
  return STATES[state]
}
