# Confirms trials (see trial.sh).

# operation_trial_state TARGET PROFILE ID: `armed` while it can be confirmed, `back` while the machine goes back, `ended` once it has,
# with `failed STEP NAME` for each step that failed, or `none`.
operation_trial_state() {
  check_names "$1" "$2" "$3"
  trial=$state/targets/$1/trials/$2
  first_line "$trial/id"
  if [ "$line" = "$3" ]; then
    if is_over "$trial"; then say back; else say armed; fi
    return
  fi
  first_line "${trial%/*}/.ended.$2"
  if [ "$line" = "id $3" ]; then
    say ended
    while IFS= read -r line; do
      case $line in
        failed\ *) say "$line" ;;
      esac
    done <"${trial%/*}/.ended.$2"
  else
    say none
  fi
}

# operation_trial_confirm TARGET PROFILE ID: ends the trial, so that the machine stays as it is; refuses once it goes back.
operation_trial_confirm() {
  check_names "$1" "$2" "$3"
  hold_mutex "$1"
  check_trial "$1" "$2" "$3"
  profile=$2
  rm -f "${trial%/*}/.log.$2"
  end_watcher
  remove_trial || cannot remove "$trial"
  rmdir "${trial%/*}" 2>/dev/null || :
}

# check_trial TARGET PROFILE ID: sets $trial; fails if it can no longer be confirmed.
check_trial() {
  trial=$state/targets/$1/trials/$2
  first_line "$trial/id"
  [ "$line" = "$3" ] || fail no-trial 'there is nothing to confirm'
  ! is_over "$trial" || fail going-back 'the time to confirm is over, and the machine goes back'
}
