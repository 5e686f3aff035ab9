# The asker calls the modules of many services with an activity that changes no state: `status`, or `lock` and `unlock` under the lock
# of the deployment. It runs in a session of its own, detached from the helper that started it. For questions under a lock it has the file
# `active/PROFILE/.questions`: the name of the last questions, and their asker; of all others none is begun any more.

# ask_services SECONDS TOKEN LANES NAME MAPPING...: the asker; mappings are directories below $davit_directory. Prints `NUMBER STATUS`
# for each that has answered; if nobody reads that any more, it continues all the same.
ask_services() {
  trap "" PIPE
  process_identity "$$"
  davit_runner=$identity davit_records=$davit_directory davit_seconds=$1 davit_token=$2 davit_lanes=$3 davit_asking=$4
  shift 4
  [ "$davit_lanes" -le "$#" ] || davit_lanes=$#
  if [ "$davit_activity" = status ]; then
    ask_in_lanes "$@"
  elif prepare_questions "$@"; then
    ask_in_lanes "$@"
    forget_questions "$@"
  fi
}

# prepare_questions MAPPING...: ends earlier questions together with their answers. On a full disk, the files that it writes take no
# more space than before.
prepare_questions() {
  for mapping in "$@"; do
    [ ! -s "$davit_records/$mapping/status" ] || printf "" >"$davit_records/$mapping/status" || return 1
  done
  printf "%s %s\n" "$davit_asking" "$davit_runner" 1<>"$davit_records/.questions"
}

# forget_questions MAPPING...: removes what only the questions needed, unless others have been asked since, or an activity has begun.
forget_questions() {
  may_ask || return 0
  left=
  for mapping in "$@"; do
    [ -L "$davit_records/$mapping/running" ] || left="$left $mapping/module $mapping/activity"
  done
  # Names of mappings have neither white space nor patterns. In a subshell, as modules would notice the change of the directory.
  # shellcheck disable=SC2086
  (cd "$davit_records" && exec rm -f $left)
}

# ask_in_lanes MAPPING...: asks them in lanes, and waits for these, but not for processes in the background.
ask_in_lanes() {
  lane=1 lanes=
  while [ "$lane" -lt "$davit_lanes" ]; do
    ask_in_turn "$lane" "$@" &
    lane=$((lane + 1)) lanes="$lanes $!"
  done
  ask_in_turn 0 "$@"
  # shellcheck disable=SC2086
  [ -z "$lanes" ] || wait $lanes
}

# ask_in_turn LANE MAPPING...: asks those of a lane, one after the other.
ask_in_turn() {
  turn=$1 number=0
  shift
  for davit_mapping in "$@"; do
    number=$((number + 1))
    [ "$((number % davit_lanes))" = "$turn" ] || continue
    davit_directory=$davit_records/$davit_mapping davit_number=$number
    if [ ! -f "$davit_directory/record" ]; then
      davit_status=gone
    elif [ "$davit_activity" = status ]; then
      (
        exec >/dev/null
        trap - PIPE
        call_module ""
      ) &
      await_module "$!" "$davit_seconds"
    else
      ask_under_lock
    fi
    printf "%s %s\n" "$number" "$davit_status"
  done
}

# ask_under_lock: calls the module, unless that is not allowed any more, and keeps its output and its status.
ask_under_lock() {
  davit_status=255 davit_log=$davit_state/targets/$davit_target/log/$davit_profile/$davit_mapping.$davit_activity
  may_ask && open_log || return 0
  (
    exec >&7 2>&1 7>&-
    trap - PIPE
    claim_question && call_module ""
  ) &
  exec 7>&-
  await_module "$!" "$davit_seconds"
  case $davit_status in
    0) ;;
    253 | 254 | 255) return 0 ;;
    *) await_log ;;
  esac
  printf "%s %s\n" "$davit_activity" "$davit_status" >"$davit_directory/status" || :
}

# may_ask: whether these are the last questions, their asker lives, and their token holds the lock of the deployment.
may_ask() {
  first_line "$davit_records/.questions"
  [ "$line" = "$davit_asking $davit_runner" ] && is_alive "$davit_runner" || return 1
  [ "$davit_token" != - ] || return 0
  first_line "$davit_state/targets/$davit_target/lock/$davit_profile/holder"
  [ "$line" = "token $davit_token" ]
}

# claim_question: claims the mapping for this process, which becomes the module. Whoever takes the lock, asks again or begins an activity
# does that first, and looks for claims afterwards; here it is the other way round, so that one of the two notices.
claim_question() {
  own_identity || return 253
  claim "$davit_directory/module" "$identity" || return "$((255 - $?))"
  refused=0
  may_ask || refused=255
  ! is_claimed "$davit_directory/running" || refused=254
  if [ "$refused" != 0 ]; then
    rm -f "$davit_directory/module"
    return "$refused"
  fi
  printf "%s\n" "$davit_activity" >"$davit_directory/activity" || :
}
