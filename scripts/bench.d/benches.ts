import { benchNativePlanning } from './native-planning.ts'
import { benchNixPlanning } from './nix-planning.ts'
import { nativeParcel, nixParcel } from './parcels.ts'
import type { SystemSize } from './system-size.ts'
import type { Row } from './table.ts'
import { benchTransfer, type TransferTerms } from './transfer.ts'
import type { Workplace } from './workplace.ts'

export interface Bench {
  readonly name: string
  readonly usesNix: boolean
  run(place: Workplace): Promise<readonly Row[]>
}

const MEMORY = 250e6

export const benches: readonly Bench[] = [
  {
    name: 'nix-1000',
    usesNix: true,
    run: (place) =>
      benchNixPlanning(place, {
        name: 'nix-1000',
        size: sizeFor(place, { services: 1000, targets: 100, tiers: 5 }),
        runs: place.runs,
        limits: { both: { ratio: 1.3, seconds: 3 }, normalize: { seconds: 1.5 }, memory: MEMORY },
      }),
  },
  {
    name: 'nix-5000',
    usesNix: true,
    run: (place) =>
      benchNixPlanning(place, {
        name: 'nix-5000',
        size: sizeFor(place, { services: 5000, targets: 500, tiers: 5 }),
        runs: Math.min(place.runs, 3),
        limits: { both: { ratio: 1.3, seconds: 15 }, normalize: { seconds: 5 }, memory: MEMORY },
      }),
  },
  {
    name: 'nix-tiers',
    usesNix: true,
    run: (place) =>
      benchNixPlanning(place, {
        name: 'nix-tiers',
        size: { services: 100, targets: 20, tiers: 20 },
        runs: place.runs,
        limits: { both: { seconds: 1.5 } },
      }),
  },
  {
    name: 'native-1000',
    usesNix: false,
    run: (place) =>
      benchNativePlanning(place, {
        name: 'native-1000',
        size: sizeFor(place, { services: 1000, targets: 100, tiers: 5 }),
        runs: place.runs,
      }),
  },
  {
    name: 'nix-transfer',
    usesNix: true,
    run: (place) => benchTransfer(place, { runs: place.runs, size: parcelSize(place), parcelFor: nixParcel }),
  },
  {
    name: 'native-transfer',
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
