# Trials: what a run changes on a target is undone there, unless the run confirms it in time. A trial has a directory
# `targets/TARGET/trials/PROFILE` with
#   id, token   name of the trial, and token of the lock of its run
#   deadline    `BOOT SECONDS`: when it is over, by the uptime of the machine; it is also over after a restart
#   before      copies of all records of the profile as they were
#   order       lines `stop NAME`, then `start NAME`: directories of records, in the order in which to go back
#   limits      seconds for an activity that still runs when the trial is over, and for each activity on the way back
#   secrets     `stop/NAME` and `start/NAME`: values that modules need, as runners read them
#   reserve     space on the disk for the way back
#   script, detached   what the watcher evaluates, also after a restart
#   boot        files that have the machine start the watcher after a restart, or a word
#   watcher     claim of the watcher, a detached process, which goes back when the trial is over
#   back        once it is over: only the watcher begins activities from then on
# Once a machine has gone back, `.ended.PROFILE` has lines `id ID`, `failed STEP NAME`, and `token TOKEN`, since the run must begin nothing
# more; `.log.PROFILE` says more.

# is_over TRIAL
is_over() {
  [ ! -f "$1/back" ] || return 0
  first_line "$1/deadline"
  [ "${line% *}" = "$boot" ] || return 0
  IFS=. read -r uptime rest </proc/uptime && [ "$uptime" -ge "${line##* }" ]
}

# mark_back: nobody can confirm $trial any more. An empty file takes no space.
mark_back() {
  [ -f "$trial/back" ] || command : >"$trial/back"
}

# keep_watcher: starts the watcher of $trial if it was killed, or the machine restarted.
keep_watcher() {
  is_claimed "$trial/watcher" || { sh "$trial/script" & }
}

# end_watcher: ends the watcher of $trial, which has not begun to go back.
end_watcher() {
  claimant=$(readlink "$trial/watcher") && is_alive "$claimant" && kill -KILL "-${claimant%%:*}" 2>/dev/null || :
}

# remove_trial: in one step.
remove_trial() {
  [ ! -f "$trial/boot" ] || forget_boot <"$trial/boot"
  gone=${trial%/*}/.gone.$profile
  rm -rf "$gone"
  mv "$trial" "$gone" || return 1
  sync "${trial%/*}" || :
  rm -rf "$gone"
}

# forget_boot: undoes `arrange_boot`, whose lines follow on standard input.
forget_boot() {
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      /*) rm -f "$line" ;;
      crontab) in_crontab remove_from_crontab ;;
    esac
  done 2>/dev/null
}

# in_crontab COMMAND: no other target of this account changes the table meanwhile.
in_crontab() {
  claim_in_turn "$state/crontab" "$self" || return
  "$1"
  set -- "$?"
  rm -f "$state/crontab"
  return "$1"
}

remove_from_crontab() {
  place=$(cd "${trial%/*}" && pwd -P)/${trial##*/}
  lines=$(crontab -l) && printf '%s\n' "$lines" | { grep -v -F "$place/script" || :; } | crontab -
}
