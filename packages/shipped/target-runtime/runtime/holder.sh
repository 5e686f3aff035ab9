# Holders of deployment locks, one for each target and profile, by this machine's clock. The file `holder` has a line for each fact:
# token, owner, since, renewed, lease, number.

# read_holder DIRECTORY: sets $holder_*. Garbled facts get defaults; without a time the lease begins now (see `believe_holder`).
read_holder() {
  holder_token=unreadable holder_owner=- holder_since=- holder_renewed='' holder_lease=60 holder_number=0
  [ -f "$1/holder" ] || return 1
  while IFS=' ' read -r fact value; do
    case $fact in
      token) is_token "$value" && holder_token=$value ;;
      owner) holder_owner=${value%% *} ;;
      since) holder_since=${value%% *} ;;
      renewed) is_number "$value" && holder_renewed=$value ;;
      lease) is_number "$value" && holder_lease=$value ;;
      number) is_number "$value" && holder_number=$value ;;
    esac
  done <"$1/holder"
  return 0
}

is_token() {
  case $1 in
    '' | *[!A-Za-z0-9_-]*) return 1 ;;
  esac
}

# is_number TEXT: whether the arithmetic of every shell reads it as the same number.
is_number() {
  case $1 in
    0) ;;
    '' | 0* | *[!0-9]* | ?????????????*) return 1 ;;
  esac
}

# read_clock: sets $now.
read_clock() {
  now=$(date +%s)
  is_number "$now" || fail no-clock "'date +%s' printed '$now' instead of a time"
}

# check_lock TARGET PROFILE TOKEN: fails if the token does not hold the lock, or the machine goes back; `-` stands for operations that
# need none.
check_lock() {
  [ "$3" = - ] && return
  # A run may not know yet that the machine goes back, or has gone back.
  [ ! -f "$state/targets/$1/trials/$2/back" ] && ! has_line "$state/targets/$1/trials/.ended.$2" "token $3" 2>/dev/null ||
    fail going-back 'not confirmed in time'
  # The token has the first line of its own.
  first_line "$state/targets/$1/lock/$2/holder"
  [ "$line" = "token $3" ] && return
  need_holder "$1" "$2"
  [ "$holder_token" = "$3" ] || fail lock-lost "the lock of profile '$2' was taken by somebody else"
}

# need_holder TARGET PROFILE: fails if nobody holds the lock.
need_holder() {
  read_holder "$state/targets/$1/lock/$2" || fail lock-lost "the lock of profile '$2' is gone"
}
