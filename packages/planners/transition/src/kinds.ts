import { isVerb, stopsService, type Verb } from '@davit/target-runtime'

import type { Activity, AnyActivity, VerbActivity } from './activity.ts'
import { identityOf, targetLabelOf } from './placed-service.ts'

/** How to arrange, run and show a kind of activity; the caller knows who performs it. */
export interface KindTraits<One> {
  /** Text such as `activate web in process`, for progress that names the target itself. */
  readonly step: (activity: One) => string
  /** Name of the target, as shown. */
  readonly target: (activity: One) => string
  /** Targets, as shown, on each of which the activity takes a core while it runs. */
  readonly lanes: (activity: One) => readonly string[]
  /** Identity of the affected mapping: while the outcome of one activity is unknown, so is that of others for the same mapping. */
  readonly about: (activity: One) => string
  /** Service and container of the activity, for programs. */
  readonly subject: (activity: One) => { readonly service: string; readonly container: string }
  /** Whether the other place of a service that moves is the one it comes from or the one it goes to. */
  readonly moved: 'from' | 'to'
  /** Inconsistency that remains when a rollback cannot carry out the activity; undefined if none contains it. */
  readonly missedUndo: 'new-services-left' | 'old-services-lost' | undefined
}

/** A row for every kind but the verbs, whose rows are in the table of verbs; the compiler reports missing ones. */
export type KindTable<One extends AnyActivity> = {
  readonly [Kind in Exclude<One['kind'], Verb>]: KindTraits<Extract<One, { readonly kind: Kind }>>
}

const CALLS_MODULE = {
  step: ({ kind, service, mapping }) => `${kind} ${service.name} in ${mapping.container}`,
  target: targetLabelOf,
  lanes: (activity) => [targetLabelOf(activity)],
  about: identityOf,
  subject: ({ mapping, service }) => ({ service: service.name, container: mapping.container }),
} satisfies Partial<KindTraits<Activity>>

const STOPS: KindTraits<VerbActivity> = { ...CALLS_MODULE, moved: 'to', missedUndo: 'new-services-left' }
const STARTS: KindTraits<VerbActivity> = { ...CALLS_MODULE, moved: 'from', missedUndo: 'old-services-lost' }

export const KINDS = {
  snapshot: { ...CALLS_MODULE, moved: 'to', missedUndo: undefined },
  transfer: {
    ...CALLS_MODULE,
    step: ({ service, mapping, to }) =>
      `transfer the state of ${service.name} in ${mapping.container} to ${to === undefined ? 'the coordinator' : targetLabelOf(to)}`,
    lanes: (transfer) => [transfer, ...(transfer.to === undefined ? [] : [transfer.to])].map(targetLabelOf),
    moved: 'to',
    missedUndo: undefined,
  },
  restore: { ...CALLS_MODULE, moved: 'from', missedUndo: undefined },
} satisfies KindTable<Activity>

export function traitsOf<One extends AnyActivity>(kinds: KindTable<One>, { kind }: One): KindTraits<One> {
  const traits = isVerb(kind) ? (stopsService(kind) ? STOPS : STARTS) : kinds[kind as Exclude<One['kind'], Verb>]
  // Each row only gets activities of its kind.
  return traits as unknown as KindTraits<One>
}
