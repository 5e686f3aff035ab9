import { bench, type Bench } from './bench.ts'
import { benchDatabase } from './database.ts'
import { benchManyStates } from './many-states.ts'
import { benchState } from './state.ts'

/** What concerns the state of services. */
export const stateBenches: readonly Bench[] = [
  bench({
    name: 'state',
    purpose: 'moving a directory of 1 GB in 10,000 files from one host to another, and again',
    measure: benchState,
    maxRuns: 3,
    terms: { files: 10_000, bytesPerFile: 100_000 },
    quick: { files: 100, bytesPerFile: 1000 },
  }),
  bench({
    name: 'states-100',
    purpose: 'moving the state of 100 services on 10 hosts with 4 cores, beside one service at a time',
    measure: benchManyStates,
    maxRuns: 2,
    terms: { services: 100, hosts: 10, seconds: 0.2, limit: 3 },
    quick: { services: 6, hosts: 2 },
  }),
  bench({
    name: 'database',
    purpose: 'how long a MariaDB of 500 MB that moves serves nobody, beside dump, copy and load by hand',
    measure: benchDatabase,
    maxRuns: 3,
    terms: { megabytes: 500, limit: 1.3 },
    quick: { megabytes: 5 },
  }),
]
