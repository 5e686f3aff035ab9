# A claim is a symbolic link whose text is its owner: it is made in one step, and only if there is none. An owner is
# PID:START-TIME:BOOT-ID, so that a later process with the same number is not mistaken for it.

# process_identity PID: sets $identity; status 1 if the process has ended, 2 if it cannot be read (see proc(5) for the fields).
process_identity() {
  identity=
  case $1 in
    "" | *[!0-9]*) return 1 ;;
  esac
  [ -r "/proc/$1/stat" ] && { IFS= read -r process_stat <"/proc/$1/stat"; } 2>/dev/null || return 2
  process_pid=$1
  IFS=" "
  # shellcheck disable=SC2086
  set -- ${process_stat##*) }
  unset IFS
  case $1 in
    Z | X) return 1 ;;
  esac
  shift 19
  identity=$process_pid:$1:$boot
}

# own_identity: sets $identity of the process that calls it, which may be a subshell.
own_identity() {
  IFS=" " read -r process_pid identity </proc/self/stat && process_identity "$process_pid"
}

# is_alive OWNER: whether it certainly lives, which must be known before it is sent a signal.
is_alive() {
  process_identity "${1%%:*}" && [ "$identity" = "$1" ]
}

# is_dead OWNER: whether it is certainly dead, which must be known before its claim is taken away. A process that cannot be read may
# live: `hidepid` hides processes of other users.
is_dead() {
  case $boot in
    "${1##*:}" | "" | unknown) ;;
    *) [ "${1##*:}" = unknown ] || return 0 ;;
  esac
  process_identity "${1%%:*}"
  case $? in
    0) [ "${identity%:*}" != "${1%:*}" ] ;;
    2) has_no_process "${1%%:*}" ;;
  esac
}

# has_no_process PID: only the message of `kill` distinguishes a missing process from one of another user.
has_no_process() {
  case $( (kill -0 "$1") 2>&1) in
    *[Nn]"o such process"*) ;;
    *) return 1 ;;
  esac
}

# claim LINK OWNER: status 1 if an owner that may live has it, 2 if it cannot be made.
claim() {
  tries=0
  until complaint=$(LC_ALL=C ln -s "$2" "$1" 2>&1); do
    # What is there may be gone before its text is read; anything else stays as it is, as where no space is left.
    case $((tries = tries + 1)):$complaint in
      [1-9]:*exists* | [1-4][0-9]:*exists*) ;;
      *)
        printf '%s\n' "$complaint" >&2
        return 2
        ;;
    esac
    claimant=$(readlink "$1") || continue
    is_dead "$claimant" || return 1
    take_away "$1" "$claimant" "$2" || return 1
  done
}

# take_away LINK DEAD OWNER: removes a dead owner's claim, which only the owner of the guard named after the dead one may do. If
# that one dies too, another guard is named after both. Fails while a guard's owner may live.
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

# claim_in_turn LINK OWNER: waits while somebody else has it. An owner does one thing at a time, so an earlier claim of its own
# was left behind and counts.
claim_in_turn() {
  until claim "$1" "$2"; do
    [ "$?" = 1 ] || return 1
    [ "$(readlink "$1")" != "$2" ] || return 0
    pause
  done
}

# is_claimed LINK: whether an owner that may live has it.
is_claimed() {
  [ -L "$1" ] && claimant=$(readlink "$1") && ! is_dead "$claimant"
}
