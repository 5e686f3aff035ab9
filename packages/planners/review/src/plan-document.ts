import type { Message } from '@davit/diagnostics'
import type { Manifest, PlanDocument, PlanStep, TargetName, ToldMessage } from '@davit/documents'
import {
  type Activity,
  factsOf,
  keptFacts,
  KINDS,
  type ObservedMapping,
  targetLabelOf,
  traitsOf,
  type Transition,
} from '@davit/transition'

/** What a plan is made of. */
export interface PlanParts
  extends Pick<PlanDocument, 'profile' | 'against' | 'terms' | 'manifest'>, Partial<Pick<PlanDocument, 'transfers'>> {
  /** What is active before, and what is assumed of targets that were skipped. */
  readonly observed: readonly ObservedMapping[]
  readonly transition: Transition
  readonly messages: readonly Message[]
  readonly skipped: Iterable<TargetName>
  /** Manifest with the profiles that the targets have now; undefined if it is not known. */
  readonly previous: Manifest | undefined
  /** SHA-256 of what a record says with which a step is done; undefined if the record says nothing. */
  readonly recordedOf?: ((activity: Activity) => string | undefined) | undefined
}

/** Writes a plan down, with all that is needed to show it and to carry it out. */
export function planDocument({
  observed,
  transition,
  messages,
  skipped,
  previous,
  recordedOf,
  ...parts
}: PlanParts): PlanDocument {
  return {
    ...parts,
    before: beforeIn(observed),
    steps: transition.phases.flatMap((phase, number) => phase.map((activity) => stepOf(activity, number, recordedOf))),
    kept: transition.outdated.map(keptFacts),
    messages: [...messages, ...transition.skipped].flatMap(toldIn),
    skipped: [...skipped],
    profiles: changedProfiles(parts.manifest, previous),
  }
}

function changedProfiles({ profiles }: Manifest, previous: Manifest | undefined): readonly TargetName[] {
  return [...profiles].flatMap(([target, path]) => (previous?.profiles.get(target) === path ? [] : [target]))
}

function beforeIn(observed: readonly ObservedMapping[]): PlanDocument['before'] {
  return {
    services: new Map(observed.map(({ mapping, service }) => [mapping.service, service])),
    serviceMappings: observed.map(({ mapping }) => mapping),
  }
}

function stepOf(activity: Activity, phase: number, recordedOf: PlanParts['recordedOf']): PlanStep {
  const { id, mapping, waitsFor } = activity
  const recorded = recordedOf?.(activity)
  const to = activity.kind === 'transfer' && activity.to !== undefined ? { to: targetLabelOf(activity.to) } : {}
  return {
    ...factsOf(activity, KINDS),
    id,
    key: mapping.service,
    phase,
    waitsFor,
    ...to,
    ...movedIn(activity),
    ...(recorded === undefined ? {} : { recorded }),
  }
}

function movedIn(activity: Activity): Pick<PlanStep, 'moved'> {
  const moved = activity.reasons.find((reason) => reason.kind === 'moved')
  return moved === undefined ? {} : { moved: moved[traitsOf(KINDS, activity).moved] }
}

function toldIn({ kind, code, message, target }: Message): readonly ToldMessage[] {
  return kind === 'detail' ? [] : [{ kind, code, message, ...(target === undefined ? {} : { target }) }]
}
