# The runner of an activity: in a session of its own, detached from the helper that has started it.

# run STATE TARGET PROFILE ACTIVITY DIRECTORY FUNCTION [WORD]...
run() {
  trap '' HUP
  umask 077
  davit_state=$1 davit_target=$2 davit_profile=$3 davit_activity=$4 davit_directory=$5
  shift 5
  "$@"
}

# run_activity HELPER SECONDS MODULE: the runner, of another module than the record's unless that is empty; it alone says how the activity ended.
run_activity() {
  take_over_claim "$davit_directory/running" "$1" || exit 254
  davit_runner=$identity davit_log=$davit_state/targets/$davit_target/log/$davit_profile/${davit_directory##*/}.$davit_activity
  open_log || {
    rm -f "$davit_directory/activity" "$davit_directory/running"
    exit 253
  }
  (
    exec >&7 2>&1 7>&-
    claim_module && call_module "$3"
  ) &
  exec 7>&-
  await_module "$!" "$2"
  case $davit_status:$davit_activity in
    0:activate) write_state "$davit_directory" active || davit_status=253 ;;
    0:deactivate) remove_mapping "$davit_directory" && exit 0 || davit_status=253 ;;
    *)
      await_log
      printf '%s %s\n' "$davit_activity" "$davit_status" >"$davit_directory/status" || :
      ;;
  esac
  rm -f "$davit_directory/activity" "$davit_directory/module" "$davit_directory/running"
  exit "$davit_status"
}

# take_over_claim LINK HELPER: from the helper. Whoever found the helper dead in between may have been faster: then nothing is run.
# At every moment there is one of both links, so that nobody takes it for ended. Where there is no inode left for another link, that of
# the name of the activity is taken; where that does not help, none stays: nothing was begun.
take_over_claim() {
  process_identity "$$"
  [ "$(readlink "$1")" = "$2" ] && mv "$1" "$1.handed" && [ "$(readlink "$1.handed")" = "$2" ] || return 1
  ln -s "$identity" "$1" || {
    [ ! -L "$1" ] && rm -f "${1%/*}/activity" && ln -s "$identity" "$1"
  } || {
    [ -L "$1" ] || rm -f "$1.handed"
    return 1
  }
  rm -f "$1.handed"
}

# claim_module: for this very process, which becomes the module; not if somebody else has taken over from its runner meanwhile.
claim_module() {
  read -r process_pid identity </proc/self/stat || return 253
  process_identity "$process_pid"
  claim "$davit_directory/module" "$identity" || return "$((255 - $?))"
  [ "$(readlink "$davit_directory/running")" != "$davit_runner" ] || return 0
  rm -f "$davit_directory/module"
  return 254
}

# call_module [MODULE]: another one than the record's unless that is empty; in a subshell, which becomes the module. Properties wait
# among the arguments of the shell, which nobody else sees, until nothing is done any more but to call the module: to assign one
# may change what a shell does, or end it.
call_module() {
  cd / || exit 253
  umask 022
  davit_instead=${1-} davit_module='' davit_package='' davit_container='' davit_name='' davit_key=''
  set --
  while IFS=' ' read -r field word || [ -n "$field" ]; do
    decode "$word"
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
  if [ -f "$davit_module.activities" ] && ! answers_activity "$davit_module.activities" "$davit_activity"; then
    exit 0
  fi
  davit_target_state=$davit_state/targets/$davit_target
  become_module "$@" DAVIT_SERVICE "$davit_name" DAVIT_KEY "$davit_key" DAVIT_TARGET "$davit_target" DAVIT_PROFILE "$davit_profile" \
    DAVIT_STATE_DIR "$davit_state" DAVIT_RUN_DIR "$davit_target_state/run" DAVIT_LOG_DIR "$davit_target_state/log/services" \
    DYSNOMIA_STATEDIR "$davit_target_state/dysnomia" -- \
    "$(command -v setsid)" "$davit_module" "$davit_activity" "$davit_package" "$davit_container"
}

# is_variable NAME: of those that may be given to a module. Some change how every shell runs, and may keep it from running at all:
# no record has them but those of other versions, or that somebody wrote by hand.
is_variable() {
  case $1 in
    '' | [0-9]* | *[!A-Za-z0-9_]* | PATH | IFS | LD_* | BASH_ENV | BASHOPTS | SHELLOPTS | OPTIND) return 1 ;;
  esac
}

# become_module [NAME VALUE]... -- WORD...: what is unset before it is assigned has no special meaning to a shell any more; what a shell
# does not give up (as bash does not give up UID) the module cannot be given.
become_module() {
  while [ "$1" != -- ]; do
    command unset -v "$1" 2>/dev/null && command export "$1=$2" 2>/dev/null
    shift 2
  done
  shift
  exec "$@"
}

# answers_activity FILE ACTIVITY: a module with such a file is asked for nothing else.
answers_activity() {
  while IFS= read -r line || [ -n "$line" ]; do
    [ "$line" = "$2" ] && return 0
  done <"$1"
  return 1
}

# ask_module SECONDS: as run_activity, for a question, which changes nothing and is not written down.
ask_module() {
  (call_module '') &
  await_module "$!" "$1"
  exit "$davit_status"
}

# open_log: file descriptor 7 is a pipe to a process of its own that keeps the log small. It reads for as long as anybody has the
# pipe, such as a service in the background: nobody is blocked by it, and a full disk stops only the log.
open_log() {
  rm -f "$davit_log" "$davit_log".[123] "$davit_directory/output"
  mkfifo "$davit_directory/output" || return 1
  # Opened for both at first: to open a pipe for one waits for who opens it for the other.
  exec 5<>"$davit_directory/output" 6<"$davit_directory/output" 7>"$davit_directory/output" 5>&-
  rm -f "$davit_directory/output"
  # Closed within: a shell that redirects a function keeps what it closes.
  (
    exec <&6 6<&- 7>&-
    keep_log "$davit_log"
  ) &
  davit_keeper=$!
  exec 6<&-
}

# keep_log FILE: the first 2 MB in it, and the last 1 to 2 MB in FILE.2 and FILE.3; how much was left out between in FILE.1.
keep_log() {
  dropped=0
  ! fill_log "$1" 2097152 || while fill_log "$1.3" 1048576; do
    [ ! -f "$1.2" ] || {
      dropped=$((dropped + $(wc -c <"$1.2")))
      printf '\n... %s bytes left out ...\n' "$dropped" >"$1.1"
    }
    mv -f "$1.3" "$1.2"
  done
  [ -s "$1.3" ] || rm -f "$1.3"
  cat >/dev/null
}

# fill_log FILE BYTES: until it has so many, each write at once; fails where nothing more comes, or nothing more can be written.
fill_log() {
  size=0
  while [ "$size" -lt "$2" ]; do
    before=$size
    dd bs=4096 count="$((($2 - size + 4095) / 4096))" >>"$1" && size=$(wc -c <"$1") && [ "$size" -gt "$before" ] || return 1
  done
}

# await_log: until all that was printed is in it, unless something in the background keeps it open.
await_log() {
  tries=0
  while [ "$tries" -lt 20 ] && process_identity "$davit_keeper"; do
    tries=$((tries + 1))
    pause
  done
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
  # It may be ended at once: by a name that is there as soon as the process is, and with what no shell loses before it becomes `sleep`.
  before=${!-}
  trap '[ "${!-}" = "$before" ] || kill -KILL "$!"; exit 0' TERM
  sleep "$2" &
  wait "$!"
  trap '' TERM
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

# was_late: ends $watch, unless it has begun to end what it watched.
was_late() {
  kill "$watch" 2>/dev/null
  wait "$watch"
  [ $? = 99 ]
}
