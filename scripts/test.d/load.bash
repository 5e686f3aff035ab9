# Loads the processors while tests run. Sourced by scripts/test.
# shellcheck shell=bash

# Starts busy loops. The kernel ends each of them together with this script, also when the script is killed.
start_load() { # COUNT
  local number
  # Not the script that is loaded should be slow, but the tests: the loops are outside of the control groups of stages.
  # shellcheck disable=SC2016
  for ((number = 0; number < $1; number++)); do
    # A script that has ended before the loop asked for this leaves the loop to another parent.
    setpriv --pdeathsig KILL sh -c '[ "$PPID" = "$1" ] || exit; while :; do :; done' busy-loop $$ </dev/null >/dev/null 2>&1 &
    load+=("$!")
  done
}

end_load() {
  [ ${#load[@]} = 0 ] || { kill -KILL "${load[@]}"; wait "${load[@]}"; } 2>/dev/null
  load=()
}
