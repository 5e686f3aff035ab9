import { benchActivity } from './activity.ts'
import { bench, type Bench } from './bench.ts'
import { benchChain } from './chain.ts'
import { benchCompileStack } from './compile-stack.ts'
import { benchConfirm } from './confirm.ts'
import { benchConvert } from './convert.ts'
import { benchDeploy } from './deploy.ts'
import { benchManyHosts } from './many-hosts.ts'
import { benchNativePlanning } from './native-planning.ts'
import { benchNixPlanning } from './nix-planning.ts'
import { benchParallel } from './parallel.ts'
import { nativeParcel, nixParcel } from './parcels.ts'
import { planBenches } from './plan-benches.ts'
import { benchStart } from './start.ts'
import { readingBenches } from './reading-benches.ts'
import { stackBenches } from './stack-benches.ts'
import { stateBenches } from './state-benches.ts'
import type { SystemSize } from './system-size.ts'
import { benchTransfer } from './transfer.ts'
import { benchVisualize } from './visualize.ts'

const MEMORY = 250e6
const HUNDRED: SystemSize = { services: 100, targets: 10, tiers: 5 }
const FIVE_HUNDRED: SystemSize = { services: 500, targets: 50, tiers: 5 }
const THOUSAND: SystemSize = { services: 1000, targets: 100, tiers: 5 }
const FIVE_THOUSAND: SystemSize = { services: 5000, targets: 500, tiers: 5 }
const PARCEL = { files: 300, megabytes: 200 }
const SMALL_PARCEL = { files: 30, megabytes: 20 }

export const benches: readonly Bench[] = [
  bench({
    name: 'start',
    purpose: 'tools that have nothing to do, as multiples of an empty program in Node.js',
    measure: (place, terms) => benchStart(place, { ...terms, runs: 3 * place.runs }),
    terms: { limits: { version: 1.4, acting: 1.8 } },
  }),
  bench({
    name: 'deploy-60',
    purpose: '60 services on 3 hosts over ssh: install, unchanged, 6 upgraded, undeploy',
    measure: benchDeploy,
    terms: { services: 60, limits: { install: 20, unchanged: 8, upgrade: 12, undeploy: 15 } },
    quick: { services: 10 },
  }),
  bench({
    name: 'deploy-300',
    purpose: 'the same with 300 services, 30 of them upgraded',
    measure: benchDeploy,
    maxRuns: 3,
    terms: { services: 300, limits: { install: 60, unchanged: 12, upgrade: 16, undeploy: 50 } },
    quick: { services: 20 },
  }),
  bench({
    name: 'confirm',
    purpose: 'what --confirm adds to a deployment of 60 services on 3 hosts of which 6 change',
    measure: benchConfirm,
    terms: { hosts: 3, services: 60, limit: 2 },
    quick: { services: 10 },
  }),
  ...stateBenches,
  bench({
    name: 'chain-10',
    purpose: 'a chain of 10 services on 3 hosts: install; all changed and the last fails',
    measure: benchChain,
    terms: { links: 10, limits: { install: 12, fails: 18 }, perLink: false },
  }),
  bench({
    name: 'chain-20',
    purpose: 'each link of a chain of 20 services on 3 hosts: install',
    measure: benchChain,
    terms: { links: 20, limits: { install: 1.5 }, perLink: true },
  }),
  bench({
    name: 'activity',
    purpose: 'one activity through everything on a local target, beside `sh -c :` started by the same helper',
    measure: benchActivity,
    terms: { services: 200, limit: 6 },
    quick: { services: 20 },
  }),
  bench({
    name: 'parallel',
    purpose: 'six services of 1 s on 3 hosts with 4 cores, beside one of them alone',
    measure: benchParallel,
    terms: { services: 6, seconds: 1, limit: 1.3 },
  }),
  bench({
    name: 'hosts-100',
    purpose: 'a service on each of 100 hosts, unchanged and changed, beside ssh to all of them, and beside Ansible',
    measure: benchManyHosts,
    maxRuns: 3,
    terms: { hosts: 100, limits: { unchanged: 1, changed: 2, faster: 8 } },
    quick: { hosts: 10 },
  }),
  ...readingBenches,
  ...planBenches,
  bench({
    name: 'convert-5000',
    purpose: 'a manifest of 5,000 services on 500 targets from XML to JSON and back, with the same bytes',
    measure: benchConvert,
    terms: { size: FIVE_THOUSAND, limit: 12 },
    quick: { size: FIVE_HUNDRED },
  }),
  bench({
    name: 'visualize-1000',
    purpose:
      'pictures of 1,000 services on 100 targets, beside an empty program in Node.js; the image beside dot -Tsvg',
    measure: benchVisualize,
    terms: { size: THOUSAND, limits: { dot: 4, svg: 3, html: 5 } },
    quick: { size: HUNDRED },
  }),
  bench({
    name: 'stacks',
    purpose: 'a stack file of 2,000 instances compiled, beside 10,000 instances, and beside 2,000 in 50 levels',
    measure: benchCompileStack,
    terms: {
      size: { instances: 2_000, levels: 5 },
      limits: { seconds: 1.5, memory: 300e6 },
      others: [
        { size: { instances: 10_000, levels: 5 }, ratio: 5.5 },
        { size: { instances: 2_000, levels: 50 }, ratio: 1.3 },
      ],
    },
  }),
  bench({
    name: 'nix-1000',
    purpose: 'models to manifest, 1,000 services on 100 targets',
    usesNix: true,
    measure: benchNixPlanning,
    terms: {
      size: THOUSAND,
      limits: { both: { ratio: 1.3, seconds: 3 }, normalize: { seconds: 1.5 }, memory: MEMORY },
    },
    quick: { size: HUNDRED },
  }),
  bench({
    name: 'nix-5000',
    purpose: 'the same with 5,000 services on 500 targets',
    usesNix: true,
    measure: benchNixPlanning,
    maxRuns: 3,
    terms: {
      size: FIVE_THOUSAND,
      limits: { both: { ratio: 1.3, seconds: 15 }, normalize: { seconds: 5 }, memory: MEMORY },
    },
    quick: { size: FIVE_HUNDRED },
  }),
  bench({
    name: 'nix-tiers',
    purpose: 'the same with 100 services in 20 tiers',
    usesNix: true,
    measure: benchNixPlanning,
    terms: { size: { services: 100, targets: 20, tiers: 20 }, limits: { both: { seconds: 1.5 } } },
  }),
  bench({
    name: 'native-1000',
    purpose: 'as nix-1000, with the native store',
    measure: benchNativePlanning,
    terms: { size: THOUSAND, limits: { both: 14 } },
    quick: { size: HUNDRED },
  }),
  bench({
    name: 'native-5000',
    purpose: 'as nix-5000, with the native store',
    measure: benchNativePlanning,
    maxRuns: 3,
    terms: { size: FIVE_THOUSAND, limits: { both: 40, memory: 150e6 } },
    quick: { size: FIVE_HUNDRED },
  }),
  bench({
    name: 'nix-transfer',
    purpose: 'a closure of 300 small paths and 200 MB to a host',
    usesNix: true,
    measure: benchTransfer,
    terms: { size: PARCEL, parcelFor: nixParcel },
    quick: { size: SMALL_PARCEL },
  }),
  bench({
    name: 'native-transfer',
    purpose: 'as nix-transfer, with the native store',
    measure: benchTransfer,
    terms: { size: PARCEL, parcelFor: nativeParcel },
    quick: { size: SMALL_PARCEL },
  }),
  ...stackBenches,
]
