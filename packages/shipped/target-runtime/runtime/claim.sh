# Claims: a symbolic link is made in one step, with its owner as the text it holds, and only where there is none. An owner is
# PID:START-TIME:BOOT-ID, so that a process that got the same number later, or after a reboot, is not mistaken for it.

# process_identity PID: to $identity; status 1 for one that has ended, 2 when nothing can be read of it (see proc(5) for the fields).
process_identity() {
  identity=
  case $1 in
    '' | *[!0-9]*) return 1 ;;
  esac
  [ -r "/proc/$1/stat" ] && { IFS= read -r process_stat <"/proc/$1/stat"; } 2>/dev/null || return 2
  process_pid=$1
  IFS=' '
  # shellcheck disable=SC2086
  set -- ${process_stat##*) }
  unset IFS
  case $1 in
    Z | X) return 1 ;;
  esac
  shift 19
  identity=$process_pid:$1:$(boot_id)
}

# is_alive OWNER: certainly, as whoever signals it has to know.
is_alive() {
  process_identity "${1%%:*}" && [ "$identity" = "$1" ]
}

# is_dead OWNER: certainly, as whoever takes something from it has to know. What cannot be read may live: `hidepid` hides
# processes of other users.
is_dead() {
  case $(boot_id) in
    "${1##*:}" | '' | unknown) ;;
    *) [ "${1##*:}" = unknown ] || return 0 ;;
  esac
  process_identity "${1%%:*}"
  case $? in
    0) [ "${identity%:*}" != "${1%:*}" ] ;;
    2) has_no_process "${1%%:*}" ;;
  esac
}

# has_no_process PID: only the words of `kill` tell one that is not there from one of another user.
has_no_process() {
  case $( (kill -0 "$1") 2>&1) in
    *[Nn]'o such process'*) ;;
    *) return 1 ;;
  esac
}

# claim LINK OWNER: status 1 when somebody has it who may live, 2 when it cannot be made.
claim() {
  tries=0
  until ln -s "$2" "$1" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -le 50 ] || {
      # Once more, to say why.
      ln -s "$2" "$1" || return 2
      return
    }
    claimant=$(readlink "$1") || continue
    is_dead "$claimant" || return 1
    take_away "$1" "$claimant" "$2" || return 1
  done
}

# take_away LINK DEAD OWNER: a dead owner's claim, by one alone: he who holds the guard that is named after the dead, and, should
# he die over it, the one that is named after him as well. Fails while somebody who may live is at it.
take_away() {
  guard=$1.after.$2
  until ln -s "$3" "$guard" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -le 50 ] || return 1
    guardian=$(readlink "$guard") || return 0
    is_dead "$guardian" || return 1
    guard=$guard.$guardian
  done
  [ "$(readlink "$1")" != "$2" ] || rm -f "$1"
  rm -f "$1.after.$2"*
}

# claim_in_turn LINK OWNER: waits for as long as somebody else has it. An owner does one thing after the other: what it finds of
# its own was left behind.
claim_in_turn() {
  until claim "$1" "$2"; do
    [ "$?" = 1 ] || return 1
    [ "$(readlink "$1")" != "$2" ] || return 0
    pause
  done
}

# is_claimed LINK: by somebody who may live.
is_claimed() {
  [ -L "$1" ] && claimant=$(readlink "$1") && ! is_dead "$claimant"
}
