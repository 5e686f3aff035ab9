# Starts activities and waits for them. The runner itself is in runner.sh.

# operation_start TARGET PROFILE TOKEN ACTIVITY SECONDS CONTAINER KEY [-secret NAME WORD]... [instead MODULE] [FIELD WORD]...; 0 seconds
# mean no time limit; secrets are properties for this call, which no record contains; `instead` calls another module than that of the
# record.
operation_start() {
  umask 077
  target=$1 profile=$2 token=$3 activity=$4 seconds=$5
  mapping_directory "$1" "$2" "$6" "$7"
  check_names "$activity"
  check_lock "$target" "$profile" "$token"
  shift 7
  secrets=
  while [ "${1-}" = -secret ]; do
    secrets="${secrets}1 $2 $3$newline"
    shift 3
  done
  module=
  if [ "${1-}" = instead ]; then
    decode "$2"
    resolve_module "$decoded"
    shift 2
  fi
  instead=$module
  spawn begin_activity "$@"
}

# operation_await TARGET PROFILE ACTIVITY SECONDS CONTAINER KEY: `done ID STATUS` when the running activity has ended, with 0 only
# if it reached its purpose, and 256 if it certainly never began. Its module is stopped after SECONDS, unless they are 0.
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
    if never_began; then status=256; else status=$(ended_status); fi
    if [ -n "$watch" ] && was_late; then status=252; fi
    printf 'done %s %s\n' "$id" "$status" >&4
  ) &
}

# never_began: whether that is certain of $activity. An intention is written before anything happens, and no state says that it is
# another one's; a helper that was lost begins nothing any more.
never_began() {
  read_state "$directory"
  verb_traits "$activity"
  [ -n "$line" ] || [ ! -f "$directory/record" ] || line=activating
  case $line in
    "${during:-$line}") return 1 ;;
    "$after") [ -n "$writes" ] && ! has_line "$directory/record" "boot $boot" ;;
    *) is_state "${line:-$after}" && { [ "$after" != - ] || [ -f "$directory/record" ]; } ;;
  esac
}

ended_status() {
  read_state "$directory"
  verb_traits "$activity"
  # A service that was changed in place was in that state before.
  ! is_state "$line" || [ "$line" != "$after" ] || [ "$effect" = changes ] || line="$activity 0"
  [ "$after" != - ] || [ -d "$directory" ] || line="$activity 0"
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
  ! is_running "$directory" || refuse_running
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
