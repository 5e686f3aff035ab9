import type { Manifest, PlanDocument, ProfileName } from '@davit/documents'
import { type ObservedMapping, observedOf, planTransition, type StatePlan } from '@davit/transition'
import { manifestOf, type SystemSpec } from '@davit/transition/testing'

import { planDocument, type PlanParts } from '../src/review.ts'

export const TERMS: PlanDocument['terms'] = {
  upgrade: 'upgrade',
  changed: 'keep',
  migration: 'move',
  takeOver: false,
  besideOriginal: false,
  undeploy: false,
}

/** What a test says of a plan besides its two systems. */
export type Other = Partial<Pick<PlanParts, 'transfers' | 'messages' | 'recordedOf'>> & {
  readonly state?: StatePlan
  readonly observed?: (before: readonly ObservedMapping[]) => readonly ObservedMapping[]
}

/** Plans the way from one system to another. */
export function planOf(before: SystemSpec, after: SystemSpec, other: Other = {}): PlanDocument {
  return planTo(manifestOf(after), manifestOf(before), other)
}

export function planTo(next: Manifest, previous: Manifest, { state, observed, messages = [], ...more }: Other = {}) {
  const active = observedOf(previous, previous.infrastructure)
  const seen = observed?.(active) ?? active
  const options = { upgrade: 'upgrade', previous, ...(state === undefined ? {} : { state }) } as const
  const transition = planTransition(next, seen, options)
  const head = { profile: 'shop' as ProfileName, against: 'targets', terms: TERMS, manifest: next, previous } as const
  return planDocument({ ...head, observed: seen, transition, messages, skipped: [], ...more })
}

const ALL = ['db1/process', 'web1/process', 'web2/process', 'web3/process', 'web10/process']
const WEB = ALL.slice(1)

/** A change with a bit of everything: replaced, moved, removed, added, and a warning of a target that writes to the terminal. */
export function changeOfAll(): PlanDocument {
  const before: SystemSpec = {
    services: {
      store: { on: ['db1/process'] },
      old: { on: ['web3/process'], dependsOn: ['store'] },
      api: { on: WEB, dependsOn: ['store'] },
      mail: { on: ['web1/process'] },
      cron: { on: ALL },
    },
  }
  const after: SystemSpec = {
    services: {
      store: { on: ['db1/process'], version: 2 },
      api: { on: WEB, dependsOn: ['store'] },
      mail: { on: ['web2/process'] },
      search: { on: ['web10/process'], dependsOn: ['api'] },
      cron: { on: ALL },
    },
  }
  const strange = { kind: 'warning', code: 'not-a-record', message: 'strange \u001b[2J file', fields: {} } as never
  return planOf(before, after, {
    messages: [strange],
    transfers: [
      { target: 'db1' as never, paths: 2, bytes: 40_000_000 },
      { target: 'web10' as never, paths: 3, bytes: 2_345_678 },
    ],
    observed: (active) => active.map((one) => (one.service.name === 'cron' ? { ...one, doubt: 'died' as const } : one)),
  })
}

/** 500 services on 50 targets, of which every second one changes. */
export function manyServices(): PlanDocument {
  const systemOf = (version: number): SystemSpec => ({
    services: Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [
        `service-${at}`,
        {
          on: [`target-${at % 50}/process`],
          version: at % 2 === 0 ? version : 1,
          dependsOn: at < 50 ? [] : [`service-${at - 50}`],
        },
      ]),
    ),
  })
  return planOf(systemOf(1), systemOf(2))
}
