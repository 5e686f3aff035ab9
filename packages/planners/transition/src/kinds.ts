import type { Activity, AnyActivity } from './activity.ts'
import { identityOf, targetLabelOf } from './placed-service.ts'

/** What is to be known of a kind of activity in order to arrange, run and tell it; who performs it is the caller's business. */
export interface KindTraits<One> {
  /** `activate web in process`, for progress that names the target itself. */
  readonly step: (activity: One) => string
  /** Under whose name it is told. */
  readonly target: (activity: One) => string
  /** Targets, as they are told, of which it takes a core each while it runs. */
  readonly lanes: (activity: One) => readonly string[]
  /** What it is done to: while nobody knows how one activity has ended, what others about the same find is not known, either. */
  readonly about: (activity: One) => string
  /** The service that it is about, as programs want to read it. */
  readonly subject: (activity: One) => { readonly service: string; readonly container: string }
  /** What a place that a service moves to or from is to it. */
  readonly moved: 'from' | 'to'
  /** What is wrong when a rollback could not do it. */
  readonly missedUndo: 'new-services-left' | 'old-services-lost'
}

/** A row for every kind: who adds one is told by the compiler where it lacks a row. */
export type KindTable<One extends AnyActivity> = {
  readonly [Kind in One['kind']]: KindTraits<Extract<One, { readonly kind: Kind }>>
}

const CALLS_MODULE = {
  step: ({ kind, service, mapping }) => `${kind} ${service.name} in ${mapping.container}`,
  target: targetLabelOf,
  lanes: (activity) => [targetLabelOf(activity)],
  about: identityOf,
  subject: ({ mapping, service }) => ({ service: service.name, container: mapping.container }),
} satisfies Partial<KindTraits<Activity>>

export const KINDS = {
  deactivate: { ...CALLS_MODULE, moved: 'to', missedUndo: 'new-services-left' },
  activate: { ...CALLS_MODULE, moved: 'from', missedUndo: 'old-services-lost' },
} satisfies KindTable<Activity>

export function traitsOf<One extends AnyActivity>(kinds: KindTable<One>, { kind }: One): KindTraits<One> {
  // Each row is only asked about activities of its kind.
  return kinds[kind as One['kind']] as unknown as KindTraits<One>
}
