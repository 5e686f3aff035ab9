# Holds the lock of Disnix while davit changes a deployment that it has adopted, so that one waits for the other.

# hold_original MARKER STATE PROFILE: makes the lock file, unless davit holds it already; says `held`, or `locked PATH`, in hexadecimal. What
# is left by a run that was killed is removed once its own lock is over.
hold_original() {
  begin_holding "$@"
  if make_lock "davit$newline" 2>/dev/null || is_held; then
    # Nothing that ends this channel may end it.
    setsid=$(command -v setsid) || setsid=
    TMPDIR=${TMPDIR:-/tmp} davit_runtime=$detached ${setsid:+"$setsid"} sh -c 'eval "$davit_runtime"; unset davit_runtime; watch_lock "$@"' davit-lock \
      "$state" "$profile" </dev/null >/dev/null 2>&1 &
    printf 'held\n'
  else
    printf 'locked %s\n' "$(printf %s "$lock" | hexadecimal)"
  fi
}

# drop_original MARKER STATE PROFILE: removes what davit holds, unless it still works there.
drop_original() {
  begin_holding "$@"
  is_at_work || ! is_held || rm -f "$lock"
  printf 'dropped\n'
}

begin_holding() {
  printf '\n%s\n' "$1"
  trap '' HUP
  state=$2 profile=$3
  find_lock "$3"
}

# watch_lock STATE PROFILE: removes the file once davit does not work any more.
watch_lock() {
  trap '' HUP
  cd / || exit
  state=$1 profile=$2
  find_lock "$2"
  while is_held; do
    if ! is_at_work; then
      rm -f "$lock"
      exit
    fi
    sleep 1
  done
}

# is_at_work: whether davit holds its own lock of the profile, for any target of this machine, or an activity runs.
is_at_work() {
  now=$(date +%s)
  for place in "$state"/targets/*/lock/"$profile"; do
    ! read_holder "$place" || [ -n "$holder_renewed" ] && [ "$((now - holder_renewed))" -gt "$holder_lease" ] || return 0
  done
  for place in "$state"/targets/*/active/"$profile"/*:*; do
    ! is_claimed "$place/running" && ! is_claimed "$place/module" || return 0
  done
  return 1
}
