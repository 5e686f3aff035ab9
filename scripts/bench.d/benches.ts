import { benchActivity } from './activity.ts'
import type { Bench } from './bench.ts'
import { benchChain } from './chain.ts'
import { benchDeploy } from './deploy.ts'
import { benchManyHosts } from './many-hosts.ts'
import { benchNativePlanning } from './native-planning.ts'
import { benchNixPlanning } from './nix-planning.ts'
import { benchParallel } from './parallel.ts'
import { nativeParcel, nixParcel } from './parcels.ts'
import { benchPurePlanning } from './planning.ts'
import { benchStart } from './start.ts'
import { stateBenches } from './state-benches.ts'
import type { SystemSize } from './system-size.ts'
import { benchTransfer, type TransferTerms } from './transfer.ts'
import type { Workplace } from './workplace.ts'

const MEMORY = 250e6

export const benches: readonly Bench[] = [
  {
    name: 'start',
    purpose: 'tools that have nothing to do, as multiples of an empty program in Node.js',
    usesNix: false,
    run: (place, name) => benchStart(place, { name, runs: 3 * place.runs, limits: { version: 1.4, acting: 1.8 } }),
  },
  {
    name: 'deploy-60',
    purpose: '60 services on 3 hosts over ssh: install, unchanged, 6 upgraded, undeploy',
    usesNix: false,
    run: (place, name) =>
      benchDeploy(place, {
        name,
        services: place.quick ? 10 : 60,
        runs: place.runs,
        limits: { install: 20, unchanged: 8, upgrade: 12, undeploy: 15 },
      }),
  },
  {
    name: 'deploy-300',
    purpose: 'the same with 300 services, 30 of them upgraded',
    usesNix: false,
    run: (place, name) =>
      benchDeploy(place, {
        name,
        services: place.quick ? 20 : 300,
        runs: Math.min(place.runs, 3),
        limits: { install: 60, unchanged: 12, upgrade: 16, undeploy: 50 },
      }),
  },
  ...stateBenches,
  {
    name: 'chain-10',
    purpose: 'a chain of 10 services on 3 hosts: install; all changed and the last fails',
    usesNix: false,
    run: (place, name) =>
      benchChain(place, { name, links: 10, runs: place.runs, limits: { install: 12, fails: 18 }, perLink: false }),
  },
  {
    name: 'chain-20',
    purpose: 'each link of a chain of 20 services on 3 hosts: install',
    usesNix: false,
    run: (place, name) =>
      benchChain(place, { name, links: 20, runs: place.runs, limits: { install: 1.5 }, perLink: true }),
  },
  {
    name: 'activity',
    purpose: 'one activity through everything on a local target, beside `sh -c :` started by the same helper',
    usesNix: false,
    run: (place, name) => benchActivity(place, { name, services: place.quick ? 20 : 200, runs: place.runs, limit: 6 }),
  },
  {
    name: 'parallel',
    purpose: 'six services of 1 s on 3 hosts with 4 cores, beside one of them alone',
    usesNix: false,
    run: (place, name) => benchParallel(place, { name, services: 6, seconds: 1, runs: place.runs, limit: 1.3 }),
  },
  {
    name: 'hosts-100',
    purpose: 'a service on each of 100 hosts, unchanged and changed, beside ssh to all of them, and beside Ansible',
    usesNix: false,
    run: (place, name) =>
      benchManyHosts(place, {
        name,
        hosts: place.quick ? 10 : 100,
        runs: Math.min(place.runs, 3),
        limits: { unchanged: 1, changed: 2, faster: 8 },
      }),
  },
  {
    name: 'plan-10000',
    purpose: 'the plan for 10,000 services on 1,000 targets, from a manifest and observed records',
    usesNix: false,
    run: (place, name) =>
      benchPurePlanning(place, {
        name,
        size: sizeFor(place, { services: 10_000, targets: 1_000, tiers: 5 }),
        runs: place.runs,
        limit: 10,
      }),
  },
  {
    name: 'nix-1000',
    purpose: 'models to manifest, 1,000 services on 100 targets',
    usesNix: true,
    run: (place, name) =>
      benchNixPlanning(place, {
        name,
        size: sizeFor(place, { services: 1000, targets: 100, tiers: 5 }),
        runs: place.runs,
        limits: { both: { ratio: 1.3, seconds: 3 }, normalize: { seconds: 1.5 }, memory: MEMORY },
      }),
  },
  {
    name: 'nix-5000',
    purpose: 'the same with 5,000 services on 500 targets',
    usesNix: true,
    run: (place, name) =>
      benchNixPlanning(place, {
        name,
        size: sizeFor(place, { services: 5000, targets: 500, tiers: 5 }),
        runs: Math.min(place.runs, 3),
        limits: { both: { ratio: 1.3, seconds: 15 }, normalize: { seconds: 5 }, memory: MEMORY },
      }),
  },
  {
    name: 'nix-tiers',
    purpose: 'the same with 100 services in 20 tiers',
    usesNix: true,
    run: (place, name) =>
      benchNixPlanning(place, {
        name,
        size: { services: 100, targets: 20, tiers: 20 },
        runs: place.runs,
        limits: { both: { seconds: 1.5 } },
      }),
  },
  {
    name: 'native-1000',
    purpose: 'as nix-1000, with the native store',
    usesNix: false,
    run: (place, name) =>
      benchNativePlanning(place, {
        name,
        size: sizeFor(place, { services: 1000, targets: 100, tiers: 5 }),
        runs: place.runs,
        limits: { both: 14 },
      }),
  },
  {
    name: 'native-5000',
    purpose: 'as nix-5000, with the native store',
    usesNix: false,
    run: (place, name) =>
      benchNativePlanning(place, {
        name,
        size: sizeFor(place, { services: 5000, targets: 500, tiers: 5 }),
        runs: Math.min(place.runs, 3),
        limits: { both: 40, memory: 150e6 },
      }),
  },
  {
    name: 'nix-transfer',
    purpose: 'a closure of 300 small paths and 200 MB to a host',
    usesNix: true,
    run: (place) => benchTransfer(place, { runs: place.runs, size: parcelSize(place), parcelFor: nixParcel }),
  },
  {
    name: 'native-transfer',
    purpose: 'as nix-transfer, with the native store',
    usesNix: false,
    run: (place) => benchTransfer(place, { runs: place.runs, size: parcelSize(place), parcelFor: nativeParcel }),
  },
]

function parcelSize({ quick }: Workplace): TransferTerms['size'] {
  return quick ? { files: 30, megabytes: 20 } : { files: 300, megabytes: 200 }
}

function sizeFor({ quick }: Workplace, { services, targets, tiers }: SystemSize): SystemSize {
  return quick ? { services: services / 10, targets: targets / 10, tiers } : { services, targets, tiers }
}
