import { bench, type Bench } from './bench.ts'
import { benchLook } from './look.ts'
import { benchReconstruct } from './reconstruct.ts'

/** Benchmarks of what only reads from many hosts. */
export const readingBenches: readonly Bench[] = [
  bench({
    name: 'reconstruct-100',
    purpose: '1,000 services read back from 100 hosts, beside ssh to all of them',
    measure: benchReconstruct,
    maxRuns: 3,
    terms: { hosts: 100, services: 1_000, limit: 1.2 },
    quick: { hosts: 10, services: 100 },
  }),
  bench({
    name: 'look-100',
    purpose: 'whether the services of 100 hosts run, and what is wrong there, beside ssh to all of them',
    measure: benchLook,
    maxRuns: 3,
    terms: { hosts: 100, limit: 1.2, requests: 3 },
    quick: { hosts: 10 },
  }),
]
