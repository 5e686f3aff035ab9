import type { Bench } from './bench.ts'
import { benchDatabase } from './database.ts'
import { benchManyStates } from './many-states.ts'
import { benchState } from './state.ts'

/** What concerns the state of services. */
export const stateBenches: readonly Bench[] = [
  {
    name: 'state',
    purpose: 'moving a directory of 1 GB in 10,000 files from one host to another, and again',
    usesNix: false,
    run: (place, name) =>
      benchState(place, {
        name,
        runs: Math.min(place.runs, 3),
        files: place.quick ? 100 : 10_000,
        bytesPerFile: place.quick ? 1000 : 100_000,
      }),
  },
  {
    name: 'states-100',
    purpose: 'moving the state of 100 services on 10 hosts with 4 cores, beside one service at a time',
    usesNix: false,
    run: (place, name) =>
      benchManyStates(place, {
        name,
        services: place.quick ? 6 : 100,
        hosts: place.quick ? 2 : 10,
        seconds: 0.2,
        runs: Math.min(place.runs, 2),
        limit: 3,
      }),
  },
  {
    name: 'database',
    purpose: 'how long a MariaDB of 500 MB that moves serves nobody, beside dump, copy and load by hand',
    usesNix: false,
    run: (place, name) =>
      benchDatabase(place, { name, megabytes: place.quick ? 5 : 500, runs: Math.min(place.runs, 3), limit: 1.3 }),
  },
]
