# Activities. A mapping has a directory `targets/TARGET/active/PROFILE/CONTAINER:KEY` with
#   record   what is needed to run any activity of it: a line `FIELD WORD` each, words for printf %b; container properties are `property.NAME`
#   state    activating (also when absent), active, deactivating
#   running  claim of the runner of an activity of it
#   module   claim of the module that the runner has called, which may outlive it
#   status   `ACTIVITY STATUS` of the last one that ended, unless the state says it
# What an activity prints is in `log/PROFILE/CONTAINER:KEY.ACTIVITY`; of very much only the beginning and, in `….1` to `….3`, the end.

# mapping_directory TARGET PROFILE CONTAINER KEY; a file name has at most 255 bytes, and something is added to it for logs.
mapping_directory() {
  check_names "$@"
  directory=$state/targets/$1/active/$2/$3:$4
  [ "${#3}" -le 150 ] || directory=$state/targets/$1/active/$2/$(printf '%.150s~%s' "$3" "${#3}"):$4
}

# operation_start TARGET PROFILE TOKEN ACTIVITY SECONDS CONTAINER KEY [FIELD WORD]...; 0 seconds are as many as it takes.
operation_start() {
  umask 077
  target=$1 profile=$2 activity=$4 seconds=$5
  mapping_directory "$1" "$2" "$6" "$7"
  check_names "$activity"
  hold_mutex "$target"
  check_lock "$target" "$profile" "$3"
  shift 7
  if [ $# = 0 ] && [ ! -f "$directory/record" ]; then
    without_record
  else
    prepare_activity "$@"
    spawn run_activity "$self" "$seconds"
    trap 'rm -f "$release"' EXIT
  fi
}

# Where there is no record nothing was begun, so that there is nothing to undo.
without_record() {
  [ "$activity" = deactivate ] || fail no-record "there is no record of it"
  rm -rf "$directory"
  printf 'done %s 0\n' "$id" >&4
}

# prepare_activity [FIELD WORD]...: the intention is written down before anything happens.
prepare_activity() {
  private_directory "$directory" && private_directory "$state/targets/$target/log/$profile" &&
    mkdir -p "$state/targets/$target/run" "$state/targets/$target/log/services" ||
    fail cannot-create "cannot create the directories of target '$target' below '$state'"
  ! is_running "$directory" || fail already-running "an activity of it is still running"
  claim "$directory/running" "$self" || case $? in
    1) fail already-running "an activity of it is still running" ;;
    *) fail cannot-create "cannot write below '$directory'" ;;
  esac
  trap 'abandon_activity' EXIT
  # A module that its runner had just begun to call: it, too, looks whether the claim is still its runner's.
  ! is_claimed "$directory/module" || fail already-running "an activity of it is still running"
  rm -f "$directory/status" "$directory/running.handed" "$directory/module"
  if [ "$activity" = activate ] || ! is_complete "$directory/record"; then
    write_record "$@" || fail cannot-create "cannot write the record below '$directory'"
  fi
  case $activity in
    activate) printf 'activating\n' | replace_file "$directory/state" ;;
    deactivate) printf 'deactivating\n' | replace_file "$directory/state" ;;
  esac || fail cannot-create "cannot write the state below '$directory'"
}

# abandon_activity: before it was begun.
abandon_activity() {
  rm -f "$directory/running" "$release"
  [ -f "$directory/record" ] || [ -f "$directory/state" ] || rm -rf "$directory"
}

# is_complete RECORD: it says how to call the module.
is_complete() {
  [ -f "$1" ] || return 1
  facts=
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      'module /'*) facts=${facts}m ;;
      'pkg /'*) facts=${facts}p ;;
      'container '?*) facts=${facts}c ;;
    esac
  done <"$1"
  [ "${#facts}" = 3 ]
}

write_record() {
  [ $# -gt 0 ] || fail bad-record "the record '$directory/record' does not say what to call"
  while [ $# -ge 2 ]; do
    if [ "$1" = module ]; then
      decode "$2"
      resolve_module "$decoded"
      printf 'module %s\n' "$module" || return 1
    else
      printf '%s %s\n' "$1" "$2" || return 1
    fi
    shift 2
  done >"$directory/record.new" &&
    printf 'boot %s\n' "$(boot_id)" >>"$directory/record.new" &&
    sync "$directory/record.new" && mv -f "$directory/record.new" "$directory/record"
}

# resolve_module PATH: a module, or the directory of a service that provides its container with exactly one module in it.
resolve_module() {
  module=$1
  if [ -d "$1/libexec/dysnomia" ]; then
    set -- "$1"/libexec/dysnomia/*
    module=
    for candidate in "$@"; do
      case $candidate in
        *.activities) continue ;;
      esac
      [ -z "$module" ] || fail no-module "more than one module in '${1%/*}'"
      module=$candidate
    done
  fi
  module=$(readlink -f "$module") || module=
  [ -n "$module" ] && [ -f "$module" ] && [ -x "$module" ] || fail no-module "there is no module '${1#"$state"/}'"
  check_store_paths "$module"
}

# spawn FUNCTION [WORD]...: detached from this helper, so that a lost connection loses nothing. The environment is the runtime's own,
# with nothing of the login's. `done ID STATUS` says how it ended.
spawn() {
  (
    trap - EXIT
    env -i PATH="$PATH" HOME="${HOME:-/}" USER="${USER:-}" davit_runtime="$runtime" setsid sh -c \
      'eval "$davit_runtime"; unset davit_runtime; run "$@"' davit-activity "$state" "$target" "$profile" "$activity" "$directory" "$@" \
      </dev/null >/dev/null 2>&1 3>&- 4>&- &
    runner=$!
    exec >/dev/null 2>&1 3>&-
    wait "$runner"
    status=$?
    # A runner that could not even start has not taken over the claim.
    [ "$status" = 0 ] || [ "$(readlink "$directory/running")" != "$self" ] || rm -f "$directory/running"
    printf 'done %s %s\n' "$id" "$status" >&4
  ) &
}

# run STATE TARGET PROFILE ACTIVITY DIRECTORY FUNCTION [WORD]...
run() {
  trap '' HUP
  davit_state=$1 davit_target=$2 davit_profile=$3 davit_activity=$4 davit_directory=$5
  shift 5
  "$@"
}

# run_activity HELPER SECONDS: the runner; it alone says how the activity ended.
run_activity() {
  take_over_claim "$davit_directory/running" "$1" || exit 254
  davit_runner=$identity davit_log=$davit_state/targets/$davit_target/log/$davit_profile/${davit_directory##*/}.$davit_activity
  open_log || exit 253
  (claim_module && call_module) >&7 2>&1 7>&- &
  exec 7>&-
  await_module "$!" "$2"
  case $davit_status:$davit_activity in
    0:activate) printf 'active\n' | replace_file "$davit_directory/state" || davit_status=253 ;;
    0:deactivate) remove_mapping "$davit_directory" && exit 0 || davit_status=253 ;;
    *)
      await_log
      printf '%s %s\n' "$davit_activity" "$davit_status" >"$davit_directory/status" || :
      ;;
  esac
  rm -f "$davit_directory/module" "$davit_directory/running"
  exit "$davit_status"
}

# ask_module SECONDS: as run_activity, for a question, which changes nothing and is not written down.
ask_module() {
  (call_module) &
  await_module "$!" "$1"
  exit "$davit_status"
}

# open_log: file descriptor 7 is a pipe to a process of its own that keeps the log small. It reads for as long as anybody has the
# pipe, such as a service in the background: nobody is blocked by it, and a full disk stops only the log.
open_log() {
  rm -f "$davit_log" "$davit_log".[123] "$davit_directory/output"
  (umask 077 && mkfifo "$davit_directory/output") || return 1
  # Opened for both at first: to open a pipe for one waits for who opens it for the other.
  exec 5<>"$davit_directory/output" 6<"$davit_directory/output" 7>"$davit_directory/output" 5>&-
  rm -f "$davit_directory/output"
  keep_log "$davit_log" <&6 6<&- 7>&- &
  davit_keeper=$!
  exec 6<&-
}

# keep_log FILE: pieces of 512 writes or 1 MB, whichever is less: the first, and the last two or three.
keep_log() {
  umask 077
  dd bs=2048 count=512 of="$1"
  while [ -s "$1" ]; do
    dd bs=2048 count=512 of="$1.3"
    [ -s "$1.3" ] || break
    [ ! -f "$1.2" ] || mv -f "$1.2" "$1.1"
    mv -f "$1.3" "$1.2"
  done
  rm -f "$1.3"
  cat >/dev/null
}

# await_log: until all that was printed is in it, unless something in the background keeps it open.
await_log() {
  tries=0
  while [ "$tries" -lt 20 ] && process_identity "$davit_keeper"; do
    tries=$((tries + 1))
    pause
  done
}

# claim_module: for this very process, which becomes the module; not if somebody else has taken over from its runner meanwhile.
claim_module() {
  read -r process_pid identity </proc/self/stat || return 1
  process_identity "$process_pid" && claim "$davit_directory/module" "$identity" || return 1
  [ "$(readlink "$davit_directory/running")" != "$davit_runner" ] || return 0
  rm -f "$davit_directory/module"
  return 1
}

# await_module PID SECONDS: its status goes to $davit_status; 252 when its time was over.
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

# watch_module OWNER SECONDS: ends it when its time is over, with all that it has started and that is still in its process group;
# TERM gives it five seconds. Then its own status is 99.
watch_module() {
  exec >/dev/null 2>&1 4>&-
  sleeper=
  trap '[ -z "$sleeper" ] || kill "$sleeper"; exit 0' TERM
  sleep "$2" &
  sleeper=$!
  wait "$sleeper"
  trap '' TERM
  is_alive "$1" || exit 0
  tries=0
  kill -s TERM -- "-${1%%:*}"
  while [ "$tries" -lt 100 ] && kill -s 0 -- "-${1%%:*}"; do
    tries=$((tries + 1))
    pause
  done
  kill -s KILL -- "-${1%%:*}"
  exit 99
}

# was_late: ends $watch, unless it has begun to end what it watched.
was_late() {
  kill "$watch" 2>/dev/null
  wait "$watch"
  [ $? = 99 ]
}

# remove_mapping DIRECTORY: in one step; what is left of it after a crash is not looked at, and removed with the next observation.
remove_mapping() {
  gone=${1%/*}/.gone.${1##*/}
  rm -rf "$gone"
  mv "$1" "$gone" || return 1
  rm -rf "$gone" || :
}

# is_running DIRECTORY: also when only the module is left. A dead helper's claim may just be on its way to the runner that it has
# started: looked at twice.
is_running() {
  ! is_claimed "$1/running" && ! is_claimed "$1/module" || return 0
  [ -L "$1/running" ] || [ -L "$1/running.handed" ] || return 1
  sleep 1
  is_claimed "$1/running" || is_claimed "$1/module"
}

# take_over_claim LINK HELPER: from the helper. Whoever found the helper dead in between may have been faster: then nothing is run.
take_over_claim() {
  process_identity "$$"
  [ "$(readlink "$1")" = "$2" ] && mv "$1" "$1.handed" && [ "$(readlink "$1.handed")" = "$2" ] && rm -f "$1.handed" && ln -s "$identity" "$1"
}

# call_module: to be called in a subshell, which becomes the module, so that properties are variables of the module and of nothing else. Its own variables have names
# that no property has: an assignment would change what the module is given.
call_module() {
  cd / || exit 253
  umask 022
  davit_module='' davit_package='' davit_container=''
  while IFS=' ' read -r davit_field davit_word; do
    davit_text=$(printf '%b.' "$davit_word")
    davit_text=${davit_text%.}
    case $davit_field in
      module) davit_module=$davit_text ;;
      pkg) davit_package=$davit_text ;;
      container) davit_container=$davit_text ;;
      name) export DAVIT_SERVICE="$davit_text" ;;
      service) export DAVIT_KEY="$davit_text" ;;
      property.*[!A-Za-z0-9_]* | property.[0-9]* | property. | property.PATH | property.IFS | property.LD_* | property.davit_*) ;;
      property.*) export "${davit_field#property.}=$davit_text" ;;
    esac
  done <"$davit_directory/record"
  unset davit_word davit_text
  export DAVIT_TARGET="$davit_target" DAVIT_PROFILE="$davit_profile" DAVIT_STATE_DIR="$davit_state"
  export DAVIT_RUN_DIR="$davit_state/targets/$davit_target/run" DAVIT_LOG_DIR="$davit_state/targets/$davit_target/log/services"
  export DYSNOMIA_STATEDIR="$davit_state/targets/$davit_target/dysnomia"
  if [ -f "$davit_module.activities" ] && ! (answers_activity "$davit_module.activities" "$davit_activity"); then
    exit 0
  fi
  exec setsid "$davit_module" "$davit_activity" "$davit_package" "$davit_container"
}

# answers_activity FILE ACTIVITY: a module with such a file is asked for nothing else.
answers_activity() {
  while IFS= read -r line || [ -n "$line" ]; do
    [ "$line" = "$2" ] && return 0
  done <"$1"
  return 1
}

# operation_await TARGET PROFILE ACTIVITY SECONDS CONTAINER KEY: `done ID STATUS` when what runs there has ended; 0 only if the activity
# reached what it is for. After so many seconds, unless 0, its module is ended.
operation_await() {
  activity=$3 seconds=$4
  mapping_directory "$1" "$2" "$5" "$6"
  (
    trap - EXIT
    exec >/dev/null 2>&1 3>&-
    watch=
    while is_running "$directory"; do
      if [ -z "$watch" ] && [ "$seconds" != 0 ] && claimant=$(readlink "$directory/module"); then
        watch_module "$claimant" "$seconds" &
        watch=$!
      fi
      pause
    done
    status=$(ended_status)
    if [ -n "$watch" ] && was_late; then status=252; fi
    printf 'done %s %s\n' "$id" "$status" >&4
  ) &
}

ended_status() {
  first_line "$directory/state"
  [ "$activity:$line" != activate:active ] || line='activate 0'
  [ "$activity" != deactivate ] || [ -d "$directory" ] || line='deactivate 0'
  [ "${line##* }" = 0 ] || first_line "$directory/status"
  case $line in
    "$activity "*[!0-9]* | "$activity ") line=255 ;;
    "$activity "*) line=${line##* } ;;
    *) line=255 ;;
  esac
  printf '%s' "$line"
}

# operation_log TARGET PROFILE ACTIVITY CONTAINER KEY BYTES: the end of what the activity printed.
operation_log() {
  check_names "$3"
  mapping_directory "$1" "$2" "$4" "$5"
  log=$state/targets/$1/log/$2/${directory##*/}.$3
  if [ -f "$log" ]; then
    say log "$(cat "$log" "$log".[123] 2>/dev/null | tail -c "$6" | hexadecimal)"
  fi
}

# operation_status TARGET PROFILE SECONDS CONTAINER KEY: asks the module of something active whether it runs, `done ID STATUS`.
operation_status() {
  target=$1 profile=$2 activity=status
  mapping_directory "$1" "$2" "$4" "$5"
  [ -f "$directory/record" ] || fail no-record "there is no record of it"
  spawn ask_module "$3"
}

# operation_resolve WORD...: the module that each reference leads to, or `-`.
operation_resolve() {
  for word in "$@"; do
    decode "$word"
    (resolve_module "$decoded" && say module "$module") 2>/dev/null || say module -
  done
}

# operation_observe PROFILE: every mapping of the profile, of all targets that are this machine, with `answers` when its module can be
# asked for its status; then what other profiles have here.
operation_observe() {
  check_names "$1"
  rm -rf "$state"/targets/*/active/"$1"/.gone.*
  say boot "$(boot_id)"
  for directory in "$state"/targets/*/active/*/*:*; do
    [ -f "$directory/record" ] || [ -f "$directory/state" ] || continue
    place=${directory#"$state"/targets/}
    case $place in
      *[!A-Za-z0-9_./:~+-]*)
        say strange "$(printf '%s' "$directory" | hexadecimal)"
        continue
        ;;
    esac
    target=${place%%/*}
    case $place in
      "$target/active/$1/"*) say_mapping ;;
      *) say_other ;;
    esac
  done
}

say_mapping() {
  running=ended
  ! is_running "$directory" || running=running
  first_line "$directory/state"
  case $line in
    active | activating | deactivating) ;;
    '') line=activating ;;
    *) line=unknown ;;
  esac
  say mapping "$target" "$line" "$running" "${directory##*/}"
  module=
  while IFS= read -r line || [ -n "$line" ]; do
    say "field $line"
    case $line in
      'module '*) module=${line#module } ;;
    esac
  done 2>/dev/null <"$directory/record" || :
  if [ -n "$module" ] && [ -f "$module.activities" ] && answers_activity "$module.activities" status; then
    say answers
  fi
}

say_other() {
  while IFS= read -r line; do
    case $line in
      'pkg '*) say other "$target" "${place#*/active/}" "${line#pkg }" ;;
    esac
  done 2>/dev/null <"$directory/record" || :
}
