import { bench, type Bench } from './bench.ts'
import { benchExpand } from './expand.ts'
import { benchFetch } from './fetch.ts'
import { benchPlaceStack } from './place-stack.ts'

/** Benchmarks of stack files. */
export const stackBenches: readonly Bench[] = [
  bench({
    name: 'expand',
    purpose: 'a template of 1 MB with 20,000 actions, beside the engine of Go (Debian package golang-go)',
    measure: benchExpand,
    terms: { actions: 20_000, length: 1_000_000, limit: 6 },
    quick: { actions: 2_000, length: 100_000 },
  }),
  bench({
    name: 'fetch',
    purpose: '20 stacks of one repository, beside git clone of it',
    measure: benchFetch,
    terms: { stacks: 20, files: 20, commits: 20, limit: 2 },
    quick: { stacks: 3, commits: 2 },
  }),
  bench({
    name: 'stack-1000',
    purpose: 'a stack of 1,000 services on 100 targets to a manifest, beside models of the same services',
    measure: benchPlaceStack,
    terms: { leaves: 1_000, targets: 100, limit: 1.5 },
    quick: { leaves: 100, targets: 10 },
  }),
]
