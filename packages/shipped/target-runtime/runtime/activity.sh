# Activities: begun, waited for, and asked about. What runs them is in runner.sh.

# operation_start TARGET PROFILE TOKEN ACTIVITY SECONDS CONTAINER KEY [instead MODULE] [FIELD WORD]...; 0 seconds are as many as it
# takes; with `instead` another module is called than the record says.
operation_start() {
  umask 077
  target=$1 profile=$2 activity=$4 seconds=$5
  mapping_directory "$1" "$2" "$6" "$7"
  check_names "$activity"
  hold_mutex "$target"
  check_lock "$target" "$profile" "$3"
  shift 7
  module=
  if [ "${1-}" = instead ]; then
    decode "$2"
    resolve_module "$decoded"
    shift 2
  fi
  instead=$module
  if [ $# = 0 ] && [ ! -f "$directory/record" ]; then
    without_record
  else
    prepare_activity "$@"
    spawn run_activity "$self" "$seconds" "$instead"
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
  for path in "active/$profile/${directory##*/}" "log/$profile" run log/services; do
    make_directory "$state/targets/$target/$path"
  done
  ! is_running "$directory" || fail already-running "an activity of it is still running"
  claim "$directory/running" "$self" || case $? in
    1) fail already-running "an activity of it is still running" ;;
    *) cannot 'write below' "$directory" ;;
  esac
  named=
  trap 'abandon_activity' EXIT
  # A module that its runner had just begun to call: it, too, looks whether the claim is still its runner's.
  ! is_claimed "$directory/module" || fail already-running "an activity of it is still running"
  named=$directory/activity
  rm -f "$named" "$directory/status" "$directory/running.handed" "$directory/module"
  if [ "$activity" = activate ] || ! is_complete "$directory/record"; then
    keep_active "$@"
    write_record "$@" || cannot 'write the record below' "$directory"
  fi
  state_during "$activity"
  [ -z "$during" ] || write_state "$directory" "$during" || cannot 'write the state below' "$directory"
  # On a full disk the state alone says it.
  printf '%s\n' "$activity" | replace_file "$named" || :
}

# keep_active [FIELD WORD]...: whoever else uses the store of the package sees that it is needed.
keep_active() {
  while [ $# -ge 2 ] && [ "$1" != pkg ]; do
    shift 2
  done
  [ $# -ge 2 ] && decode "$2" && [ -d "${decoded%/*}/.davit/roots" ] || return 0
  keep_state "${decoded%/*}/.davit/roots" 2>/dev/null || :
}

# abandon_activity: before it was begun; nothing was where nothing says how far it is.
abandon_activity() {
  [ -z "$named" ] || rm -f "$named"
  rm -f "$directory/running" "$release"
  [ -f "$directory/state" ] || {
    [ "$activity" != activate ] && [ -f "$directory/record" ]
  } || rm -rf "$directory"
}

# spawn FUNCTION [WORD]...: detached from this helper, so that a lost connection loses nothing. The environment is the runtime's own,
# with nothing of the login's. `done ID STATUS` says how it ended.
spawn() {
  (
    trap - EXIT
    env -i PATH="$PATH" HOME="${HOME:-/}" USER="${USER:-}" davit_runtime="$detached" setsid sh -c \
      'eval "$davit_runtime"; unset davit_runtime; run "$@"' davit-activity "$state" "$target" "$profile" "$activity" "$directory" "$@" \
      </dev/null >/dev/null 2>&1 3>&- 4>&- &
    runner=$!
    exec >/dev/null 2>&1 3>&-
    wait "$runner"
    status=$?
    # A runner that could not even start has not taken over the claim.
    [ "$status" = 0 ] || [ "$(readlink "$directory/running")" != "$self" ] || rm -f "$directory/activity" "$directory/running"
    # A runner that was killed says nothing of its module.
    while [ "$status" -gt 128 ] && is_running "$directory"; do
      status=255
      pause
    done
    printf 'done %s %s\n' "$id" "$status" >&4
  ) &
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

# operation_abandon TARGET PROFILE TOKEN CONTAINER KEY: its record is put aside, without any activity; where it is then. A damaged one
# is named as its directory is, in which a long container is shortened.
operation_abandon() {
  umask 077
  case $4 in
    *'~'*) check_names "$1" "$2" "${4%~*}" "$5" "${4##*~}" && directory=$state/targets/$1/active/$2/$4:$5 ;;
    *) mapping_directory "$1" "$2" "$4" "$5" ;;
  esac
  hold_mutex "$1"
  check_lock "$1" "$2" "$3"
  [ -d "$directory" ] || fail no-record "there is no record of it"
  ! is_running "$directory" || fail already-running "an activity of it is still running"
  # A directory of its own: a name that is as long as names may be has no room for more.
  kept=$state/targets/$1/abandoned/$2/$(date -u +%Y%m%dT%H%M%SZ).$$/${directory##*/}
  make_directory "${kept%/*}"
  mv "$directory" "$kept" || cannot 'put aside' "$directory"
  say kept "$(printf '%s' "$kept" | hexadecimal)"
}

# operation_log TARGET PROFILE ACTIVITY CONTAINER KEY BYTES: the end of what the activity printed, and why nothing can be written.
operation_log() {
  check_names "$3"
  mapping_directory "$1" "$2" "$4" "$5"
  log=$state/targets/$1/log/$2/${directory##*/}.$3
  if [ -f "$log" ]; then
    say log "$(cat "$log" "$log".[123] 2>/dev/null | tail -c "$6" | hexadecimal)"
  fi
  room=$( (mkdir "$state/room" && cd "$state/room" && head -c 65536 /dev/zero | cat >full && mkdir 1 2 3 4 5) 2>&1) ||
    say room "$(printf %s "$room" | hexadecimal)"
  rm -rf "$state/room"
}

# operation_status TARGET PROFILE SECONDS CONTAINER KEY: asks the module of something active whether it runs, `done ID STATUS`.
operation_status() {
  target=$1 profile=$2 activity=status
  mapping_directory "$1" "$2" "$4" "$5"
  [ -f "$directory/record" ] || fail no-record "there is no record of it"
  spawn ask_module "$3"
}
