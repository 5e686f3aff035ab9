# The watcher of a trial, which goes back when it is over (see trial.sh).

# watch_trial STATE TARGET PROFILE: the watcher.
watch_trial() {
  trap '' HUP
  umask 077
  cd / || exit
  state=$1 target=$2 profile=$3 trial=$1/targets/$2/trials/$3
  mark='' client_place='' token=- resolved=' ' newly_resolved='' release='' instead='' id=0
  own_identity || exit
  self=$identity
  claim_trial
  exec </dev/null >/dev/null 2>&1 3>/dev/null 4>/dev/null
  until end_of_trial; do
    sleep 1
  done
  go_back
}

# claim_trial: ends this process if there is another watcher.
claim_trial() {
  until claim "$trial/watcher" "$self" 2>/dev/null; do
    claimant=$(readlink "$trial/watcher") || claimant=
    [ "$claimant" != "$self" ] || return 0
    [ -d "$trial" ] || exit 0
    [ -z "$claimant" ] || is_dead "$claimant" || exit 0
    pause
  done
}

# end_of_trial: whether it is time to go back, so that nobody can confirm any more. Ends this process if the trial is gone.
end_of_trial() {
  [ -d "$trial" ] || exit 0
  is_over "$trial" || return 1
  claim_in_turn "$state/targets/$target/mutex" "$self" || return 1
  [ "$(readlink "$trial/watcher")" = "$self" ] && is_over "$trial" && mark_back
  status=$?
  rm -f "$state/targets/$target/mutex"
  # It may be another trial by now, with a watcher of its own.
  [ "$status" = 0 ] || claim_trial
  return "$status"
}

# go_back: to what was active before, one service after the other.
go_back() {
  # Not where it cannot be made: that would end this process.
  ! { command : >>"${trial%/*}/.log.$profile"; } 2>/dev/null || exec >>"${trial%/*}/.log.$profile" 2>&1
  printf '%s going back\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  IFS=' ' read -r patience seconds <"$trial/limits"
  # Runners evaluate it.
  detached=$(cat "$trial/detached")
  setsid=$(command -v setsid) || setsid=setsid
  active=$state/targets/$target/active/$profile ended=
  rm -f "$trial/reserve"
  await_activities
  set -f
  while IFS=' ' read -r step name; do
    directory=$active/$name
    case $step in
      stop) go_back_stop ;;
      *) go_back_start ;;
    esac || {
      echo "failed: $step $name"
      ended="${ended}failed $step $name$newline"
    }
  done <"$trial/order"
  set +f
  end_trial
}

# await_activities: waits for activities of the run; their modules get some time, and are ended then.
await_activities() {
  for directory in "$active"/*:*; do
    watch=
    while is_running "$directory"; do
      if [ -z "$watch" ] && claimant=$(readlink "$directory/module"); then
        watch_module "$claimant" "$patience" &
        watch=$!
      fi
      pause
    done
    [ -z "$watch" ] || was_late || :
  done
}

# go_back_stop: deactivates a service, unless it is as it was.
go_back_stop() {
  [ -d "$directory" ] && ! is_as_before || return 0
  carry_out deactivate
  [ ! -d "$directory" ]
}

# go_back_start: activates a service as it was recorded, unless it is active, or could not be stopped.
go_back_start() {
  ! is_as_before || return 0
  [ ! -d "$directory" ] || return 1
  set --
  while IFS=' ' read -r field word || [ -n "$field" ]; do
    [ "$field" = boot ] || set -- "$@" "$field" "$word"
  done <"$trial/before/$name/record"
  carry_out activate "$@"
  is_activated
}

# is_activated: whether that is the state of the service.
is_activated() {
  read_state "$directory"
  verb_traits activate
  [ "$line" = "$after" ]
}

# is_as_before: whether the service is active with the record that it had, and the machine was not restarted, or its module
# reports that it runs.
is_as_before() {
  [ -f "$trial/before/$name/record" ] && [ -f "$directory/record" ] || return 1
  is_activated && [ "$(cat "$directory/record")" = "$(cat "$trial/before/$name/record")" ] || return 1
  has_line "$directory/record" "boot $boot" || reports_to_run
}

# reports_to_run: asks the module for the status, for at most 30 seconds.
reports_to_run() {
  while IFS=' ' read -r field word || [ -n "$field" ]; do
    [ "$field" != module ] || decode "$word"
  done <"$directory/record"
  [ -f "$decoded.activities" ] && has_line "$decoded.activities" status || return 1
  # The last process of a pipe becomes the module.
  { secrets_for start && printf '.\n'; } | run "$state" "$target" "$profile" status "$directory" "$setsid" call_module '' &
  await_module "$!" 30
  [ "$davit_status" = 0 ]
}

# secrets_for STEP: prints the values that the module of the service needs.
secrets_for() {
  [ ! -f "$trial/secrets/$1/$name" ] || cat "$trial/secrets/$1/$name"
}

# carry_out ACTIVITY [FIELD WORD]...: as a helper does, and waits for its end; the record tells how it ended.
carry_out() {
  activity=$1
  shift
  secrets=$(secrets_for "$step")
  [ -z "$secrets" ] || secrets=$secrets$newline
  set +f
  (spawn_and_wait begin_activity "$@")
  set -f
}

# end_trial: leaves what has failed. Until there is space for that the trial stays, since one of which there is nothing was confirmed.
# Nobody waits for it where the trial was removed, as with all of the state.
end_trial() {
  first_line "$trial/id"
  ended="id $line$newline$ended"
  first_line "$trial/token"
  until replace_text "${trial%/*}/.ended.$profile" "${ended}token $line$newline"; do
    [ -d "$trial" ] || exit 0
    sleep 1
  done
  printf '%s at the end\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  remove_trial
}
