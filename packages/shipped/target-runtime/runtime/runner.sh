# The runner of an activity, in a session of its own, detached from the helper that started it.

# run STATE TARGET PROFILE ACTIVITY DIRECTORY SETSID FUNCTION [WORD]...: with secrets on standard input, lines `NUMBER NAME WORD` and
# finally a point: properties of the mapping with that number, which stay in the memory of this process. Modules keep markers and snapshots
# in $davit_store.
run() {
  trap "" HUP
  cd /
  umask 077
  davit_snapshot="" davit_view="" davit_secrets="" davit_number=1
  while IFS= read -r line && [ "$line" != . ]; do
    davit_secrets="$davit_secrets$line$newline"
  done
  # Whoever wrote them was killed.
  [ "$line" = . ] || davit_secrets=lost
  exec </dev/null
  davit_state=$1 davit_target=$2 davit_profile=$3 davit_activity=$4 davit_directory=$5 davit_setsid=$6
  davit_store=$1/targets/$2/dysnomia davit_nix_store=
  shift 6
  "$@"
}

# run_activity RUNNER SECONDS MODULE: the runner, which has claimed the mapping, and alone writes how the activity ended. MODULE is
# called instead of the record's, unless it is empty.
run_activity() {
  davit_runner=$1 davit_log=$davit_state/targets/$davit_target/log/$davit_profile/${davit_directory##*/}.$davit_activity
  open_log || {
    rm -f "$davit_directory/activity" "$davit_directory/running"
    exit 253
  }
  find_component "$3"
  verb_traits "$davit_activity"
  [ "$effect" != starts ] || mark_used
  (
    exec >&7 2>&1 7>&-
    claim_module && call_module "$3"
  ) &
  exec 7>&-
  await_module "$!" "$2"
  case $davit_status:$after in
    0:-)
      mark_unused
      remove_mapping "$davit_directory" && exit 0 || davit_status=253
      ;;
    0:?*) write_state "$davit_directory" "$after" || davit_status=253 ;;
    *)
      await_log
      printf "%s %s\n" "$davit_activity" "$davit_status" >"$davit_directory/status" || :
      ;;
  esac
  rm -f "$davit_directory/activity" "$davit_directory/module" "$davit_directory/running"
  exit "$davit_status"
}

# find_component [MODULE]: sets $davit_marker to the path of the markers of the component, without the kind of the marker; empty if it has
# none, as its state does not move and its module is not one of Dysnomia. MODULE is called instead of the record's.
find_component() {
  davit_marker="" davit_container="" davit_component="" davit_package="" davit_module="" davit_restores=
  while IFS=" " read -r field word || [ -n "$field" ]; do
    case $field in
      container) decode "$word" && davit_container=$decoded ;;
      component) decode "$word" && davit_component=$decoded ;;
      pkg) decode "$word" && davit_package=${decoded##*/} ;;
      module) decode "$word" && davit_module=$decoded ;;
      restore) davit_restores=yes ;;
    esac
  done <"$davit_directory/record"
  davit_moves=$davit_component
  [ -n "$davit_component" ] || ! is_of_dysnomia "${1:-$davit_module}" || davit_component=${davit_package#*-}
  [ -z "$davit_component" ] || davit_marker=$davit_container/$davit_component
}

# is_of_dysnomia MODULE: whether it may be one of Dysnomia, which does not say which activities it has.
is_of_dysnomia() {
  [ ! -f "$1.activities" ] || has_line "$1.activities" shell
}

# mark_used: no longer lets the state be deleted, as the modules of Dysnomia do by themselves, before it is used. These fail to deactivate
# what was never marked, even if it could not be activated.
mark_used() {
  [ -n "$davit_marker" ] || return 0
  set -- "$davit_store" "$davit_state/targets/$davit_target/busy/$(printf %.200s "$davit_container:$davit_component")"
  [ -n "$davit_moves" ] || [ ! -f "$1/garbage/$davit_marker" ] || return 0
  note_beginning "$1"
  forget_note "$1/garbage/$davit_marker"
  [ -d "$1/activated/$davit_container" ] || make_places "$1/activated/$davit_container"
  mark_with_record "$1/activated/$davit_marker"
  # An earlier run may have begun to delete it.
  while is_claimed "$2/running" || is_claimed "$2/module"; do
    pause
  done
}

# note_beginning STORE: what was saved of the state will not be all of it. A restoration that is still to come replaces nothing if davit
# knows of no state yet.
note_beginning() {
  forget_note "$1/saved/$davit_marker"
  if [ -z "$davit_restores" ]; then
    forget_note "$1/empty/$davit_marker"
  elif [ ! -f "$1/garbage/$davit_marker" ] && [ ! -f "$1/activated/$davit_marker" ]; then
    # Not in a special built-in utility, whose redirection would end the shell on a full disk.
    mkdir -p "$1/empty/$davit_container" && command : >"$1/empty/$davit_marker"
  fi
}

forget_note() {
  [ ! -f "$1" ] || { rm -f "$1" && sync "${1%/*}"; }
}

# mark_with_record MARKER: makes it, with how state that moves is used: once it is garbage, nobody else may know that any more.
mark_with_record() {
  { [ -n "$davit_moves" ] && cp "$davit_directory/record" "$davit_directory/used" && mv -f "$davit_directory/used" "$1"; } 2>/dev/null ||
    command : >"$1"
}

# mark_unused: lets the state be deleted.
mark_unused() {
  [ -n "$davit_marker" ] || return 0
  set -- "$davit_store"
  [ -z "$davit_moves" ] || {
    make_places "$1/garbage/$davit_container"
    # A module of Dysnomia may have moved it.
    [ -f "$1/garbage/$davit_marker" ] || mv -f "$1/activated/$davit_marker" "$1/garbage/$davit_marker" 2>/dev/null ||
      mark_with_record "$1/garbage/$davit_marker"
  }
  [ ! -f "$1/activated/$davit_marker" ] || rm -f "$1/activated/$davit_marker"
}

# claim_module: claims it for this process, which becomes the module; fails if the runner was killed, since another run may then
# have taken over from it. If no inode is left, the file with the name of the activity is given up for the claim.
claim_module() {
  own_identity || return 253
  claim "$davit_directory/module" "$identity" || {
    [ "$?" = 2 ] && rm -f "$davit_directory/activity" && claim "$davit_directory/module" "$identity"
  } || return "$((255 - $?))"
  ! is_alive "$davit_runner" || return 0
  rm -f "$davit_directory/module"
  return 254
}

# call_module [MODULE]: calls MODULE, or the record's if it is empty; in a subshell, which becomes the module, or what $davit_become makes of it. Properties stay in
# the positional parameters, which nobody else sees, until just before the call: to assign one may change what a shell does, or
# end it.
call_module() {
  trap - HUP
  umask 022
  davit_instead=${1-} davit_module="" davit_package="" davit_container="" davit_name="" davit_key=""
  [ "$davit_secrets" != lost ] || exit 255
  # Split in one go: a shell takes very long to cut pieces off a long text.
  set -f
  IFS=" $newline"
  # shellcheck disable=SC2086
  set -- $davit_secrets
  unset IFS
  set +f
  left=$#
  while [ "$left" -ge 3 ]; do
    number=$1 field=$2 word=$3 left=$((left - 3))
    shift 3
    if [ "$number" = "$davit_number" ] && is_variable "$field"; then
      decode "$word"
      set -- "$@" "$field" "$decoded"
    fi
  done
  while IFS=" " read -r field word || [ -n "$field" ]; do
    case $field in
      module | pkg | container | name | service | property.*) decode "$word" ;;
    esac
    case $field in
      module) davit_module=$decoded ;;
      pkg) davit_package=$decoded ;;
      container) davit_container=$decoded ;;
      name) davit_name=$decoded ;;
      service) davit_key=$decoded ;;
      property.*) ! is_variable "${field#property.}" || set -- "$@" "${field#property.}" "$decoded" ;;
    esac
  done <"$davit_directory/record"
  davit_module=${davit_instead:-$davit_module}
  if [ -z "${davit_become-}" ] && [ -f "$davit_module.activities" ] && ! has_line "$davit_module.activities" "$davit_activity"; then
    exit 0
  fi
  davit_target_state=$davit_state/targets/$davit_target
  case $davit_module in
    "$davit_state/client/"*) "${davit_module:+become_client}" "$@" ;;
  esac
  # Modules of Dysnomia take the hash off the name of a component only if it is in this directory.
  ! is_of_dysnomia "$davit_module" || set -- "$@" NIX_STORE_DIR "${davit_nix_store:-"${davit_package%/*}"}"
  "${davit_become:-become_module}" "$@" DAVIT_SERVICE "$davit_name" DAVIT_KEY "$davit_key" DAVIT_TARGET "$davit_target" DAVIT_PROFILE "$davit_profile" \
    DAVIT_STATE_DIR "$davit_state" DAVIT_RUN_DIR "$davit_target_state/run" DAVIT_LOG_DIR "$davit_target_state/log/services" \
    DYSNOMIA_STATEDIR "${davit_view:-"$davit_store"}" ${davit_snapshot:+DAVIT_SNAPSHOT "$davit_snapshot"} -- \
    "$davit_setsid" "$davit_module" "$davit_activity" "$davit_package" "$davit_container"
}

# is_variable NAME: whether a module may be given a variable of this name. Some change how a shell runs, or keep it from running;
# only records of other versions, or changed by hand, have these.
is_variable() {
  case $1 in
    "" | [0-9]* | *[!A-Za-z0-9_]* | PATH | IFS | LD_* | BASH_ENV | BASHOPTS | SHELLOPTS | OPTIND) return 1 ;;
  esac
}

# become_module [NAME VALUE]... -- WORD...: unsets each variable before it is assigned, so that it loses its special meaning; one
# that a shell does not unset (such as UID in bash) is left out.
become_module() {
  while [ "$1" != -- ]; do
    command unset -v "$1" 2>/dev/null && command export "$1=$2" 2>/dev/null
    shift 2
  done
  shift
  # Where a shell has begun it in the background, it ignores INT and QUIT. Only GNU env(1) undoes that.
  ! env --default-signal >/dev/null 2>&1 || set -- env --default-signal "$@"
  exec "$@"
}

# open_log: makes file descriptor 7 a pipe to a process that keeps the log small. It reads as long as any process, such as a
# service in the background, has the pipe open: so nobody is blocked, and a full disk stops only the log.
open_log() {
  # Not emptied, since a service that was activated before may still write to it.
  for path in "$davit_log" "$davit_log".[123]; do
    [ ! -f "$path" ] || rm -f "$path"
  done
  open_pipe || return 1
  # Closed inside, since a shell that redirects a function keeps closed descriptors open.
  (
    exec >/dev/null <&6 6<&- 7>&-
    keep_log "$davit_log"
  ) &
  davit_keeper=$!
  exec 6<&-
}

# open_pipe: makes file descriptors 6 and 7 the ends of a pipe. A here-document is a pipe in many shells, and takes no process.
open_pipe() {
  exec 6<<end
line
end
  if is_pipe /proc/self/fd/6; then
    exec 7>/proc/self/fd/6
    read -r line <&6
    return
  fi
  rm -f "$davit_directory/output"
  mkfifo "$davit_directory/output" || return 1
  # Opened for both directions first, since opening a pipe for one waits for a process that opens it for the other.
  exec 5<>"$davit_directory/output" 6<"$davit_directory/output" 7>"$davit_directory/output" 5>&-
  rm -f "$davit_directory/output"
}

is_pipe() {
  [ -p "$1" ] && [ -w "$1" ]
}

# keep_log FILE: writes the first 2 MB to FILE, the last 1 to 2 MB to FILE.2 and FILE.3, and how much is left out between to FILE.1.
keep_log() {
  dropped=0 ended=
  ! fill_log "$1" 2097152 || while fill_log "$1.3" 1048576; do
    [ ! -f "$1.2" ] || {
      dropped=$((dropped + $(wc -c <"$1.2")))
      printf "\n... %s bytes left out ...\n" "$dropped" >"$1.1"
    }
    mv -f "$1.3" "$1.2"
  done
  [ ! -f "$1.3" ] || [ -s "$1.3" ] || rm -f "$1.3"
  [ -n "$ended" ] || cat >/dev/null
}

# fill_log FILE BYTES: fills it up to BYTES, without a buffer; fails if nothing more can be written, or if the input has $ended.
fill_log() {
  size=0
  [ ! -s "$1" ] || size=$(wc -c <"$1")
  while [ "$size" -lt "$2" ]; do
    before=$size blocks=$((($2 - size + 4095) / 4096))
    records=$(dd bs=4096 count="$blocks" 2>&1 >>"$1") || return 1
    # The line `WHOLE+PARTIAL records in` may be preceded by warnings.
    records=${records%%" records in"*}
    records=${records##*"$newline"}
    case $records in
      [0-9]*+[0-9]*)
        [ "$((${records%+*} + ${records#*+}))" -ge "$blocks" ] || {
          ended=yes
          return 1
        }
        ;;
    esac
    size=$(wc -c <"$1") && [ "$size" -gt "$before" ] || return 1
  done
}

# await_log: waits until the log is complete, but not long, as a process in the background may keep it open.
await_log() {
  tries=0
  while [ "$tries" -lt 20 ] && process_identity "$davit_keeper"; do
    tries=$((tries + 1))
    pause
  done
}

# await_module PID SECONDS: sets $davit_status; 252 if its time was over.
await_module() {
  watch=
  if [ "$2" != 0 ] && process_identity "$1"; then
    watch_module "$identity" "$2" &
    watch=$!
  fi
  wait "$1"
  davit_status=$?
  if [ -n "$watch" ] && was_late; then davit_status=252; fi
}

# watch_module OWNER SECONDS: ends its process group when the time is over: with TERM, and after five seconds with KILL. Its own
# status is then 99.
watch_module() {
  exec >/dev/null 2>&1 4>&-
  # It may be ended immediately. `$!` names `sleep` as soon as that exists, and no shell loses KILL before it becomes `sleep`.
  before=${!-}
  trap '[ "${!-}" = "$before" ] || kill -KILL "$!"; exit 0' TERM
  sleep "$2" &
  wait "$!"
  trap "" TERM
  is_alive "$1" || exit 0
  tries=0
  kill -TERM "-${1%%:*}"
  while [ "$tries" -lt 100 ] && kill -0 "-${1%%:*}"; do
    tries=$((tries + 1))
    pause
  done
  kill -KILL "-${1%%:*}"
  exit 99
}

# was_late: whether $watch has begun to end what it watched; ends it otherwise.
was_late() {
  kill "$watch" 2>/dev/null
  wait "$watch"
  [ $? = 99 ]
}
