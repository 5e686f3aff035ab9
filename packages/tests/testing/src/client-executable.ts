import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ClientSurroundings {
  /** Where it and the state of its machine are. */
  readonly directory: string
  /** Program that calls its arguments where they see the Nix store of its machine. */
  readonly within?: string
}

/**
 * Writes a client executable in the protocol of Disnix, for a machine that is the directory. Its modules are those in `types`, in the protocol of
 * Dysnomia; `calls` has a line for each call. What `spoil` has is evaluated before each operation.
 */
export function writeClient({ directory, within = '/usr/bin/env' }: ClientSurroundings): string {
  for (const name of ['types', 'locks', 'dysnomia']) mkdirSync(join(directory, name), { recursive: true })
  const path = join(directory, 'test-client')
  writeFileSync(path, `#!/bin/sh\nD='${directory}' within='${within}'\n${PROGRAM}`)
  chmodSync(path, 0o755)
  return path
}

const PROGRAM = `set -e
nix() { NIX_CONF_DIR=\${within%/bin/*}/conf "$within" "$@"; }
printf '%s\\n' "$*" >>"$D/calls"
operation='' arguments='' type='' container='' component='' profile=default keep=1 file=''
while [ $# -gt 0 ]; do
  case $1 in
    --target) shift ;;
    --type) type=$2; shift ;;
    --container) container=$2; shift ;;
    --component) component=$2; shift ;;
    --profile) profile=$2; shift ;;
    --keep) keep=$2; shift ;;
    --arguments)
      export "$2"
      shift ;;
    --localfile | --remotefile | --delete-old) file=\${1#--} ;;
    --*) operation=\${1#--} ;;
    *) break ;;
  esac
  shift
done
[ ! -f "$D/spoil" ] || . "$D/spoil"
profiles=/nix/var/nix/profiles/disnix
export DYSNOMIA_STATEDIR="$D/dysnomia"
called() { container=\${container:-$type}; exec "$D/types/\${type##*/}" "$1" "$2" "$container"; }
case $operation in
  import) nix nix-store --import <"$1" >/dev/null ;;
  export)
    result=$(mktemp "$D/export.XXXXXX")
    nix nix-store --export "$@" >"$result"
    echo "$result" ;;
  print-invalid) nix nix-store --check-validity --print-invalid "$@" ;;
  realise) nix nix-store -r "$@" ;;
  set) nix sh -c 'mkdir -p "\${1%/*}" && nix-env -p "$1" --set "$2"' sh "$profiles/$profile" "$1" 2>/dev/null ;;
  query-installed) nix sh -c '[ ! -e "$1" ] || cat "$1"' sh "$profiles/$profile/profilemanifest.xml" ;;
  query-requisites) nix nix-store -qR "$@" ;;
  collect-garbage) nix nix-store --gc >/dev/null 2>&1 ;;
  activate | deactivate | snapshot | restore) called "$operation" "$1" ;;
  delete-state) called collect-garbage "$1" ;;
  lock) (set -C; : >"$D/locks/$profile") 2>/dev/null || { echo "$profile is locked" >&2; exit 1; } ;;
  unlock) rm "$D/locks/$profile" ;;
  query-latest-snapshot)
    last=$(ls "$D/dysnomia/generations/$container/$component" 2>/dev/null | sort -n | tail -n 1)
    [ -z "$last" ] || readlink "$D/dysnomia/generations/$container/$component/$last" | sed 's|.*snapshots/||' ;;
  print-missing-snapshots)
    for name in "$@"; do [ -d "$D/dysnomia/snapshots/$name" ] || echo "$name"; done ;;
  resolve-snapshots)
    for name in "$@"; do echo "$D/dysnomia/snapshots/$name"; done ;;
  export-snapshots)
    for path in "$@"; do
      result=$(mktemp -d "$D/snapshot.XXXXXX")
      cp -R "$path" "$result/"
      echo "$result"
    done ;;
  import-snapshots)
    payloads=$D/dysnomia/snapshots/$container/$component generations=$D/dysnomia/generations/$container/$component
    mkdir -p "$payloads" "$generations"
    for path in "$@"; do
      [ "$file" = remotefile ] || cp -R "$path" "$payloads/"
      last=$(ls "$generations" | sort -n | tail -n 1)
      ln -s "../../../snapshots/$container/$component/\${path##*/}" "$generations/$((\${last:-0} + 1))"
    done ;;
  clean-snapshots)
    for generations in "$D"/dysnomia/generations/*/*; do
      ls "$generations" | sort -n | head -n "-$keep" | while read -r old; do rm "$generations/$old"; done
    done ;;
  *) echo "unknown operation '$operation'" >&2; exit 1 ;;
esac
`
