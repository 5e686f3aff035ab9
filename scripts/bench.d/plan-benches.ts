import { bench } from './bench.ts'
import { benchManifests } from './plan-manifests.ts'
import { benchUnchanged } from './plan-unchanged.ts'
import { benchPurePlanning } from './planning.ts'

/** Benchmarks of plans. */
export const planBenches = [
  bench({
    name: 'plan-unchanged-100',
    purpose: 'davit-plan of 1,000 services on 100 hosts on which nothing changed, beside ssh to all of them',
    measure: benchUnchanged,
    maxRuns: 3,
    terms: { hosts: 100, services: 1_000, limit: 1.2, requests: 3 },
    quick: { hosts: 10, services: 100 },
  }),
  bench({
    name: 'plan-manifests-10000',
    purpose: 'davit-plan of 10,000 services on 1,000 targets, from one manifest to another',
    measure: benchManifests,
    terms: { size: { services: 10_000, targets: 1_000, tiers: 5 }, limit: 10 },
    quick: { size: { services: 1_000, targets: 100, tiers: 5 } },
  }),
  bench({
    name: 'plan-10000',
    purpose: 'the plan for 10,000 services on 1,000 targets, from a manifest and observed records',
    measure: benchPurePlanning,
    terms: { size: { services: 10_000, targets: 1_000, tiers: 5 }, limit: 10 },
    quick: { size: { services: 1_000, targets: 100, tiers: 5 } },
  }),
]
