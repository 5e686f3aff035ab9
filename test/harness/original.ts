import { rm } from 'node:fs/promises'
import { type Coordinator, succeeded } from './coordinator.ts'
import type { Host } from './hosts.ts'
import { makeManifest, type Models } from './models.ts'
import { wrapper } from './services.ts'

/** Where an account of a host keeps what Disnix, Dysnomia and davit know. */
export interface AccountPlaces {
  readonly account: string
  /** Profiles of Disnix. */
  readonly profiles: string
  readonly dysnomia: string
  readonly state: string
}

export const PLACES_OF_ROOT: AccountPlaces = {
  account: 'root',
  profiles: '/nix/var/nix/profiles/disnix',
  dysnomia: '/var/state/dysnomia',
  state: '/var/lib/davit',
}

/** Returns the places of an account other than root. */
export function placesOf(account: string): AccountPlaces {
  const home = `/home/${account}`
  return {
    account,
    profiles: `/nix/var/nix/profiles/per-user/${account}/disnix`,
    dysnomia: `${home}/.dysnomia`,
    state: `${home}/.local/state/davit`,
  }
}

/** A service that runs as a process, and whose state is a file that every version of it uses. */
export const running = (version = '1', attributes: Readonly<Record<string, unknown>> = {}) =>
  wrapper(
    {
      version,
      body: `case $1 in
  activate) setsid sleep 100000 </dev/null >/dev/null 2>&1 & echo $! >/tmp/pid-\${here##*-} ;;
  deactivate) kill "$(cat /tmp/pid-\${here##*-})" ;;
esac`,
    },
    attributes,
  )

/** Returns the processes of such services on a host that live, of one of them if a name is given. */
export function runningOn(host: Host, name = ''): Promise<string> {
  return host.sh(
    'for file in /tmp/pid-*"$1"; do [ ! -e "$file" ] || ! kill -0 "$(cat "$file")" 2>/dev/null || cat "$file"; done',
    name,
  )
}

/** Starts the services of a manifest as Disnix does, and lays out what it and Dysnomia leave on a target. */
const AS_DISNIX = `set -e; profiles=$1 dysnomia=$2 profile=$3 manifest=$4 snapshot=$5 && shift 5
for package in "$@"; do
  [ ! -e "$dysnomia/activated/wrapper/\${package#*-}" ] || continue
  DAVIT_SERVICE=\${package#*-} "$package/bin/wrapper" activate wrapper
  mkdir -p "$dysnomia"/activated/wrapper && : >"$dysnomia"/activated/wrapper/"\${package#*-}"
done
rm -f /tmp/journal
set -- "$dysnomia"/snapshots/wrapper/"$snapshot"/abc "$dysnomia"/generations/wrapper/"$snapshot"
mkdir -p "$@" && echo rows >"$1/dump" && ln -sfn ../../../snapshots/wrapper/"$snapshot"/abc "$2/1"
made=$(mktemp -d) && mkdir -p "$made/$HOSTNAME" "$profiles" && cp "$manifest" "$made/$HOSTNAME/profilemanifest.xml"
nix-env -p "$profiles/$profile" --set "$(nix-store --add "$made/$HOSTNAME")"
rm -r "$made"`

interface ManifestText {
  readonly profiles: Readonly<Record<string, string>>
  readonly services: Readonly<Record<string, { readonly name: string; readonly pkg: string }>>
}

export interface Laying {
  readonly places?: AccountPlaces
  readonly profile?: string
  /** Service that has a snapshot. */
  readonly snapshot?: string
  /** Is done after the packages were sent, by root. */
  readonly prepare?: string
}

/** Deploys models on a host as Disnix does; davit has no trace of it, neither there nor on the coordinator. */
export async function deployAsDisnix(
  user: Coordinator,
  host: Host,
  models: Models,
  options: Laying = {},
): Promise<void> {
  const { places = PLACES_OF_ROOT, profile = 'default', snapshot = 'database', prepare = ':' } = options
  const file = await makeManifest(user, models)
  succeeded(await user.run(['davit-distribute', file]))
  const made = JSON.parse((await user.run(['cat', file])).stdout) as ManifestText
  const packages = Object.values(made.services).map(({ pkg }) => pkg)
  await host.sh(`rm -r /var/lib/davit; ${prepare}`)
  const manifest = `${made.profiles[host.name]}/profilemanifest.xml`
  await asAccount(
    host,
    places.account,
    AS_DISNIX,
    places.profiles,
    places.dysnomia,
    profile,
    manifest,
    snapshot,
    ...packages,
  )
  await rm(user.stateDirectory, { recursive: true, force: true })
}

/** Runs a shell script on a host as an account. */
export function asAccount(host: Host, account: string, script: string, ...args: readonly string[]): Promise<string> {
  const run = `account=$1 script=$2 && shift 2 && cd / && HOSTNAME=$(uname -n) && export HOSTNAME &&
    if [ "$account" = root ]; then exec sh -c "$script" sh "$@"; fi
    HOME=/home/$account USER=$account exec setpriv --reuid "$account" --regid "$account" --init-groups sh -c "$script" sh "$@"`
  return host.sh(run, account, script, ...args)
}
