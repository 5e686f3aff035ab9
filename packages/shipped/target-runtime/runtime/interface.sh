# Operations of the client interface of Disnix, each on a channel of its own. They work on what belongs to its tools on this machine: its
# profiles and locks, and the directory in which Dysnomia keeps markers and snapshots.

# serve_client MARKER OPERATION: prints the line MARKER, reads a line with the encoded words of the operation, and carries it out. The end
# of standard input shows that nobody waits for it any longer.
serve_client() {
  user=$(id -u)
  process_identity "$$"
  self=$identity
  printf '\n%s\n' "$1"
  operation=$2
  IFS= read -r line || exit 1
  set -f
  # shellcheck disable=SC2086
  set -- $line
  # Only few need it, and each makes a new list of all.
  case $line in
    *\\*) for word in "$@"; do
      decode "$word"
      set -- "$@" "$decoded"
      shift
    done ;;
  esac
  set +f
  "client_$operation" "$@"
}

# read_secrets: sets $secrets.
read_secrets() {
  secrets=
  while IFS= read -r line && [ "$line" != . ]; do
    secrets=$secrets$line$newline
  done
  [ "$line" = . ] || exit 1
}

# find_store: sets $snapshots, the directory with the markers and snapshots of Dysnomia, and $state, that of what davit keeps beside them.
find_store() {
  snapshots=${DYSNOMIA_STATEDIR:-}
  [ -n "$snapshots" ] || if [ "$user" = 0 ]; then
    snapshots=/var/state/dysnomia
  else
    snapshots=${HOME:-}/.dysnomia
  fi
  case $snapshots in
    /?*) ;;
    *) fail bad-request "DYSNOMIA_STATEDIR is not an absolute path: '$snapshots'" ;;
  esac
  state=$snapshots/davit
}

# make_store: what is made from now on is private, as state may be secret. But users of databases read below its directories, for modules of Dysnomia.
make_store() {
  umask 022
  make_directory "$state/targets/here"
  open_places=022
  umask 077
}

# plain_name PATH: sets $name to its last part, without the hash that names in a store begin with.
plain_name() {
  name=${1%"${1##*[!/]}"}
  name=${name##*/}
  has_hash "$name" && name=${name#*-} || :
}

# has_hash NAME
has_hash() {
  set -- "${1%%-*}" "$1"
  [ "${#1}" = 32 ] && [ "$1" != "$2" ] || return 1
  case $1 in
    *[!0-9a-z]*) return 1 ;;
  esac
}

# is_wanted: whether the client still waits, which $watcher shows.
is_wanted() {
  process_identity "$watcher"
}

# watch_input [COMMAND...]: reads the rest of the input in the background, as $watcher; calls COMMAND when the client has gone.
watch_input() {
  exec 5<&0 </dev/null
  {
    cat <&5
    "$@"
  } >/dev/null 2>&1 &
  watcher=$!
  exec 5<&-
}

# while_wanted COMMAND...: ends it when the client has gone.
while_wanted() {
  exec 6<&0 </dev/null
  setsid "$@" 6<&- &
  group=$!
  exec <&6 6<&-
  watch_input end_unwanted "$group"
  wait "$group"
  set -- "$?"
  kill "$watcher" 2>/dev/null
  return "$1"
}

# end_unwanted PID: which may not have become a group of its own yet.
end_unwanted() {
  until kill -TERM "-$1" || ! kill -0 "$1"; do
    pause
  done
}
