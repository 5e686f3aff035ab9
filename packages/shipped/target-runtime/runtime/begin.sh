# Begins activities, each in a process that becomes its runner (see runner.sh).

# spawn FUNCTION [WORD]...: calls it in another process, which becomes a runner (see become_runner) or fails; `done ID STATUS`
# reports the runner's end.
spawn() {
  spawn_and_wait "$@" &
  exit "$pending"
}

spawn_and_wait() {
  trap - EXIT
  IFS=' ' read -r waiter rest </proc/self/stat
  # $! is the last process of a pipe, so in either case the one that becomes the runner.
  if [ -n "$secrets" ]; then
    print_secrets | {
      exec 5<&0 </dev/null
      "$@"
    } &
  else
    "$@" </dev/null &
  fi
  runner=$!
  exec >/dev/null 2>&1 3>&-
  wait "$runner"
  status=$?
  # If the runner was killed, its module may still run.
  while [ "$status" -gt 128 ] && is_running "$directory"; do
    status=255
    pause
  done
  printf 'done %s %s\n' "$id" "$status" >&4
}

# become_runner FUNCTION [WORD]...: detaches this process from the helper, so that a lost connection loses nothing. The environment
# is new and has nothing of the login shell's. The runner reads $secrets from its standard input, since others can read arguments and
# environments: from file descriptor 5, if there are any.
become_runner() {
  trap - EXIT
  # The helper may have died; what is claimed goes on. Handled and not ignored, since modules would inherit that.
  trap : PIPE HUP
  printf 'davit:begun%s\n' "$newly_resolved" >&2
  [ -n "$secrets" ] || exec 5<<end
.
end
  # A client executable needs the environment of the user.
  fresh=-i
  [ -z "$client_place" ] || fresh=
  # shellcheck disable=SC2086
  exec env $fresh PATH="$PATH" HOME="${HOME:-/}" USER="${USER:-}" davit_runtime="$detached" setsid sh -c \
    'eval "$davit_runtime"; unset davit_runtime; run "$@"' davit-activity "$state" "$target" "$profile" "$activity" \
    "$directory" "$setsid" "$@" <&5 >/dev/null 2>&1 3>&- 4>&- 5<&-
}

# begin_activity [FIELD WORD]...: claims the mapping for this process, writes the intention, and becomes the runner.
begin_activity() {
  stage=
  verb_traits "$activity"
  trap abandon_activity EXIT
  own_identity || exit 3
  runner=$identity
  if [ $# = 0 ] && [ ! -f "$directory/record" ]; then
    without_record
  fi
  claim_mapping
  write_intention "$@"
  become_runner run_activity "$runner" "$seconds" "$instead"
}

# without_record: ends an activity without a record: nothing was begun, so there is nothing to stop.
without_record() {
  [ "$after" = - ] || fail no-record "there is no record of it"
  if [ -d "$directory" ]; then
    claim_mapping
    remove_mapping "$directory" || cannot remove "$directory"
  fi
  trap - EXIT
  printf 'davit:begun\n' >&2
  exit 0
}

# claim_mapping: claims it for $runner. The lock and the helper are checked after that: who takes the lock later, or replaces the
# helper, sees the claim.
claim_mapping() {
  tried='' parent=
  [ -d "$directory" ] || parent=${directory%/*}
  until
    for path in "active/$profile/${directory##*/}" "log/$profile" run log/services; do
      make_directory "$state/targets/$target/$path"
    done
    claim "$directory/running" "$runner"
  do
    if [ "$?" = 1 ]; then
      check_lock "$target" "$profile" "$token"
      refuse_running
    fi
    # An activity that was refused may just have removed the directory.
    [ -z "$tried" ] && [ ! -d "$directory" ] || cannot 'write below' "$directory"
    tried=yes
  done
  stage=claimed
  check_lock "$target" "$profile" "$token"
  # After the death of a helper, nothing begins unnoticed.
  is_alive "$self" || exit 3
  # A runner may have just begun to call its module; that one also checks whether its runner still lives.
  ! is_claimed "$directory/module" || refuse_running
  stage=writing
  set --
  for path in activity status module output running.handed; do
    [ ! -e "$directory/$path" ] && [ ! -L "$directory/$path" ] || set -- "$@" "$directory/$path"
  done
  [ $# = 0 ] || rm -f "$@"
}

# write_intention [FIELD WORD]...: has it on the disk before anything happens.
write_intention() {
  if [ -n "$writes" ] || ! is_complete "$directory/record"; then
    keep_active "$@"
    compose_record "$@"
    rename_text "$directory/record" "$record" || cannot 'write the record below' "$directory"
    set -- "$directory"
  else
    set --
  fi
  if [ -z "$during" ]; then
    set -- "$directory/activity" "$directory"
  elif [ -s "$directory/state" ]; then
    write_state "$directory" "$during" || cannot 'write the state below' "$directory"
  else
    # Without a state it is `activating`, so this one need not be written in one step.
    stage=new
    state_text "$during"
    write_text "$directory/state" "$text" || cannot 'write the state below' "$directory"
    set -- "$directory/state" "$directory" ${parent:+"$parent"}
  fi
  # On a full disk the state alone tells which activity it is.
  write_text "$directory/activity" "$activity$newline" || {
    rm -f "$directory/activity"
    [ -n "$during" ] || set --
  }
  [ $# = 0 ] || sync "$@" || cannot 'write the state below' "$directory"
}

# abandon_activity: cleans up after an activity that could not begin, and keeps its end from being reported. Files go before the
# claim, and the directory only if it is empty then.
abandon_activity() {
  set --
  case $stage in
    writing) set -- activity record.new state.new ;;
    new) set -- activity state ;;
  esac
  # Without a state nothing was begun.
  case $stage:$writes in
    writing:yes) [ -f "$directory/state" ] || set -- "$@" record ;;
    new:yes) set -- "$@" record ;;
  esac
  [ -z "$stage" ] || {
    cd "$directory" && rm -f "$@" running && cd / && rmdir "$directory" 2>/dev/null
  }
  kill -KILL "$waiter"
}
