# Starts activities, waits for them, and asks for the status of services. The runner itself is in runner.sh.

# operation_start TARGET PROFILE TOKEN ACTIVITY SECONDS CONTAINER KEY [instead MODULE] [FIELD WORD]...; 0 seconds mean no time
# limit; `instead` calls another module than that of the record.
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

# Without a record nothing was begun, so there is nothing to deactivate.
without_record() {
  [ "$activity" = deactivate ] || fail no-record "there is no record of it"
  rm -rf "$directory"
  printf 'done %s 0\n' "$id" >&4
}

# prepare_activity [FIELD WORD]...: claims the mapping and writes the intention, before anything happens.
prepare_activity() {
  for path in "active/$profile/${directory##*/}" "log/$profile" run log/services; do
    make_directory "$state/targets/$target/$path"
  done
  ! is_running "$directory" || fail already-running "another activity of this service is still running"
  claim "$directory/running" "$self" || case $? in
    1) fail already-running "another activity of this service is still running" ;;
    *) cannot 'write below' "$directory" ;;
  esac
  named=
  trap 'abandon_activity' EXIT
  # A runner may have just begun to call its module; that one also checks whether its runner still holds the claim.
  ! is_claimed "$directory/module" || fail already-running "another activity of this service is still running"
  named=$directory/activity
  rm -f "$named" "$directory/status" "$directory/running.handed" "$directory/module"
  if [ "$activity" = activate ] || ! is_complete "$directory/record"; then
    keep_active "$@"
    write_record "$@" || cannot 'write the record below' "$directory"
  fi
  state_during "$activity"
  [ -z "$during" ] || write_state "$directory" "$during" || cannot 'write the state below' "$directory"
  # On a full disk the state alone tells which activity it is.
  printf '%s\n' "$activity" | replace_file "$named" || :
}

# keep_active [FIELD WORD]...: shows other users of the package's store that it is needed.
keep_active() {
  while [ $# -ge 2 ] && [ "$1" != pkg ]; do
    shift 2
  done
  [ $# -ge 2 ] && decode "$2" && [ -d "${decoded%/*}/.davit/roots" ] || return 0
  keep_state "${decoded%/*}/.davit/roots" 2>/dev/null || :
}

# abandon_activity: cleans up after an activity that could not begin; removes the mapping's directory if it is new.
abandon_activity() {
  [ -z "$named" ] || rm -f "$named"
  rm -f "$directory/running" "$release"
  [ -f "$directory/state" ] || {
    [ "$activity" != activate ] && [ -f "$directory/record" ]
  } || rm -rf "$directory"
}

# spawn FUNCTION [WORD]...: runs it detached from this helper, so that a lost connection loses nothing; `done ID STATUS` reports
# its end. The environment is new and has nothing of the login shell's.
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
    # A runner that failed to start has not taken over the claim.
    [ "$status" = 0 ] || [ "$(readlink "$directory/running")" != "$self" ] || rm -f "$directory/activity" "$directory/running"
    # If the runner was killed, its module may still run.
    while [ "$status" -gt 128 ] && is_running "$directory"; do
      status=255
      pause
    done
    printf 'done %s %s\n' "$id" "$status" >&4
  ) &
}

# operation_await TARGET PROFILE ACTIVITY SECONDS CONTAINER KEY: `done ID STATUS` when the running activity has ended, with 0 only
# if it reached its purpose. Its module is stopped after SECONDS, unless they are 0.
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

# operation_abandon TARGET PROFILE TOKEN CONTAINER KEY: moves a record aside, without any activity, and says where. A damaged one
# is named as its directory, in which a long container is shortened.
operation_abandon() {
  umask 077
  case $4 in
    *'~'*) check_names "$1" "$2" "${4%~*}" "$5" "${4##*~}" && directory=$state/targets/$1/active/$2/$4:$5 ;;
    *) mapping_directory "$1" "$2" "$4" "$5" ;;
  esac
  hold_mutex "$1"
  check_lock "$1" "$2" "$3"
  [ -d "$directory" ] || fail no-record "there is no record of it"
  ! is_running "$directory" || fail already-running "another activity of this service is still running"
  # In a directory of its own, since the name may be too long to append anything.
  kept=$state/targets/$1/abandoned/$2/$(date -u +%Y%m%dT%H%M%SZ).$$/${directory##*/}
  make_directory "${kept%/*}"
  mv "$directory" "$kept" || cannot 'move aside' "$directory"
  say kept "$(printf '%s' "$kept" | hexadecimal)"
}

# operation_log TARGET PROFILE ACTIVITY CONTAINER KEY BYTES: the end of an activity's log, and why nothing can be written, if so.
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

# operation_status TARGET PROFILE SECONDS CONTAINER KEY: asks the module of an active mapping for its status; `done ID STATUS`.
operation_status() {
  target=$1 profile=$2 activity=status
  mapping_directory "$1" "$2" "$4" "$5"
  [ -f "$directory/record" ] || fail no-record "there is no record of it"
  spawn ask_module "$3"
}
