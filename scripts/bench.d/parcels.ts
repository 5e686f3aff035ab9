import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BenchHost } from './bench-host.ts'
import { writeBulkNixModels } from './nix-models.ts'
import { nixRoom } from './nix-room.ts'
import type { Parcel, TransferTerms } from './transfer.ts'
import { plan, roomFor, type Workplace } from './workplace.ts'
import { writeBulkYamlModels } from './yaml-models.ts'

type Size = TransferTerms['size']

const NIX_BASELINE =
  'nix-store --export $(nix-store --query --requisites "$1") | ssh -F "$2" "$3" nix-store --import >/dev/null'

export async function nixParcel(place: Workplace, host: BenchHost, size: Size): Promise<Parcel> {
  const directory = roomFor(place, 'nix-transfer')
  const models = writeBulkNixModels(join(directory, 'models'), { host: host.name, ...size })
  const room = await nixRoom(place, directory)
  await host.sh(
    'mkdir -p /etc/nix && cat >/etc/nix/nix.conf <<END\nsandbox = false\nbuild-users-group =\nsubstituters =\nEND',
  )
  place.say('builds what is to be sent')
  const { manifestFile } = await plan(place, { models, ...room })
  const profile = profileIn(manifestFile)
  return {
    ...room,
    what: `Nix: closure of ${size.files} small paths and ${size.megabytes} MB`,
    manifestFile,
    baseline: ['bash', '-o', 'pipefail', '-c', NIX_BASELINE, 'bash', profile, host.configuration, host.name],
    forget: 'rm -rf /nix/store /nix/var /var/lib/davit',
    aims: { speed: 0.9, requests: 3 },
  }
}

const TAR_BASELINE =
  'directory=$1 configuration=$2 host=$3; shift 3; tar -C "$directory" -cf - "$@" | ssh -F "$configuration" "$host" "mkdir -p \'$directory\' && tar -C \'$directory\' -xf -"'

export async function nativeParcel(place: Workplace, host: BenchHost, size: Size): Promise<Parcel> {
  const directory = roomFor(place, 'native-transfer')
  const store = join(directory, 'store')
  const environment = { ...place.environment, DAVIT_STORE_DIR: store, DAVIT_STATE_DIR: join(directory, 'state') }
  const models = writeBulkYamlModels(join(directory, 'models'), { host: host.name, ...size })
  const within = (command: readonly string[]) => command
  place.say('builds what is to be sent')
  const { manifestFile } = await plan(place, { models, directory, environment, within })
  const names = pathsIn(manifestFile, store).map((path) => basename(path))
  return {
    directory,
    environment,
    within,
    what: `native: closure of ${size.files} small paths and ${size.megabytes} MB`,
    manifestFile,
    baseline: ['bash', '-o', 'pipefail', '-c', TAR_BASELINE, 'bash', store, host.configuration, host.name, ...names],
    forget: `rm -rf '${store}' /var/lib/davit`,
    aims: { speed: 1 / 1.2, again: 0.4 },
  }
}

function profileIn(manifestFile: string): string {
  const { profiles } = JSON.parse(readFileSync(manifestFile, 'utf8')) as { readonly profiles: Record<string, string> }
  const [profile] = Object.values(profiles)
  if (profile === undefined) throw new Error(`no profile in '${manifestFile}'`)
  return profile
}

function pathsIn(manifestFile: string, store: string): readonly string[] {
  const words = readFileSync(manifestFile, 'utf8').split('"')
  return [...new Set(words.filter((word) => word.startsWith(`${store}/`)))]
}
