/**
 * Shell functions with which modules of the tests keep markers and snapshots in `$DYSNOMIA_STATEDIR` by themselves, as modules of Dysnomia
 * do. `begin "$@"` comes first. They are as strict as those: only what is below `$NIX_STORE_DIR` has a hash in its name, and what was never
 * marked as active cannot become garbage.
 */
const PROTOCOL = `set -e
begin() {
  component=\${2##*/}
  case $2 in "\${NIX_STORE_DIR:-/nix/store}"/*) component=\${component#*-} ;; esac
  container=\${3##*/} store=\${DYSNOMIA_STATEDIR:-/var/state/dysnomia}
  payloads=$store/snapshots/$container/$component generations=$store/generations/$container/$component
  activated=$store/activated/$container/$component garbage=$store/garbage/$container/$component
}
use() {
  mkdir -p "\${activated%/*}"
  if [ -f "$garbage" ]; then mv "$garbage" "$activated"; else : >"$activated"; fi
}
retire() { [ -e "$garbage" ] || { mkdir -p "\${garbage%/*}" && mv "$activated" "$garbage"; }; }
newest() { ls "$generations" 2>/dev/null | sort -n | tail -n 1; }
latest() {
  last=$(newest)
  [ -z "$last" ] || { last=$(readlink "$generations/$last") && printf '%s' "$payloads/\${last##*/}"; }
}
sum() {
  (cd "$1" && find . && echo && find . -type f | while read -r file; do cat "$file"; done) | sha256sum | cut -c 1-64
}
# keep NAME DIRECTORY: what is in the directory becomes the latest snapshot.
keep() {
  [ -d "$payloads/$1" ] || { mkdir -p "$payloads/$1" && mv "$2"/* "$payloads/$1"; }
  rm -rf "$2"
  last=$(newest) before=$(latest)
  [ "\${before##*/}" != "$1" ] || return 0
  mkdir -p "$generations" "$store/checksums/$container/$component"
  ln -s "../../../snapshots/$container/$component/$1" "$generations/$((\${last:-0} + 1))"
  printf 'sha256:%s' "$(sum "$payloads/$1")" >"$store/checksums/$container/$component/$1"
}
`

/** Keeps a file \`rows\` in \`$base/COMPONENT\`, as databases do: snapshots are named by a compressed dump, which an ordinary user reads. */
const DUMPING = `begin "$@"
data=$base/$component
as_nobody() {
  if [ "$(id -u)" = 0 ]; then su -s /bin/sh nobody -c "$1"; else sh -c "$1"; fi
}
case $1 in
  activate)
    [ ! -e "$2/fail" ] || exit 1
    [ -d "$data" ] || { mkdir -p "$data" && cat "$2/seed" >"$data/rows"; }
    use ;;
  deactivate) retire ;;
  snapshot)
    work=$(mktemp -d)
    gzip -nc "$data/rows" >"$work/dump.gz"
    keep "$(sha256sum "$work/dump.gz" | cut -c 1-64)" "$work" ;;
  restore)
    last=$(latest)
    # Like a pipe to a client, which reports nothing if its input cannot be read.
    { [ -z "$last" ] || ! as_nobody ": <'$last/dump.gz'" || gzip -dc "$last/dump.gz"; } >"$data/rows" ;;
  collect-garbage) [ ! -f "$garbage" ] || { rm -rf "$data" && rm "$garbage"; } ;;
esac
`

/** Keeps a tree in `$base/COMPONENT`; snapshots have directories, and are named by a number that rises when the state changes. */
const NUMBERED = `begin "$@"
data=$base/$component
case $1 in
  activate) mkdir -p "$data/tree/deep" && use ;;
  deactivate) retire ;;
  snapshot)
    number=$(cat "$data/number" 2>/dev/null || echo 0)
    work=$(mktemp -d)
    cp -R "$data/tree" "$work/tree"
    keep "$number" "$work" ;;
  restore)
    last=$(latest)
    [ -z "$last" ] || { rm -rf "$data/tree" && cp -R "$last/tree" "$data/tree" && echo "\${last##*/}" >"$data/number"; } ;;
  collect-garbage) [ ! -f "$garbage" ] || { rm -rf "$data" && rm "$garbage"; } ;;
esac
`

/** Has no state, and marks only whether it is active. */
const STATELESS = `begin "$@"
case $1 in
  activate) use ;;
  deactivate) rm -f "$activated" ;;
esac
`

/** Starts a daemon, and knows it by its pid file alone. */
const PROCESS = `begin "$@"
[ ! -d "$2/etc/dysnomia/process" ] || . "$2"/etc/dysnomia/process/*
process=\${process:-$(echo "$2"/bin/*)}
pidFile=\${pidFile:-\${runtimeDir:-/var/run}/\${process##*/}.pid}
case $1 in
  activate)
    if [ -f "$pidFile" ]; then echo "already running: $pidFile"; elif [ -x "$process" ]; then "$process"; else eval "$process"; fi
    [ -f "$pidFile" ] || sleep "\${timeout:-1}"
    use ;;
  deactivate)
    [ ! -f "$pidFile" ] || kill "$(cat "$pidFile")"
    rm -f "$activated" ;;
esac
`

/** Modules of the tests that follow the protocol of Dysnomia's, one for each style, by name. They have no `MODULE.activities`. */
export const DYSNOMIA_MODULES = {
  dumping: `#!/bin/sh\n${PROTOCOL}${DUMPING}`,
  numbered: `#!/bin/sh\n${PROTOCOL}${NUMBERED}`,
  stateless: `#!/bin/sh\n${PROTOCOL}${STATELESS}`,
  process: `#!/bin/sh\n${PROTOCOL}${PROCESS}`,
} as const

/** The script of a component for `wrapper` that keeps its snapshots like `dumping`. It gets neither the path nor the name of the component. */
export function dumpingWrapper(component: string): string {
  return `#!/bin/sh\nset -- "$1" "\${0%/bin/*}" "$2"\n${PROTOCOL}${DUMPING.replace('begin "$@"', `begin "$1" '${component}' "$3"`)}`
}
