# Deployment locks: one holder a target and profile, by this machine's clock. `holder` has a line a fact: token, owner, since, renewed, lease, number.

read_holder() {
  holder_token='' holder_owner='' holder_since=0 holder_renewed=0 holder_lease=0 holder_number=0
  [ -f "$1/holder" ] || return 1
  while IFS=' ' read -r fact value; do
    case $fact in
      token) holder_token=$value ;;
      owner) holder_owner=$value ;;
      since) holder_since=$value ;;
      renewed) holder_renewed=$value ;;
      lease) holder_lease=$value ;;
      number) holder_number=$value ;;
    esac
  done <"$1/holder"
}

write_holder() {
  printf 'token %s\nowner %s\nsince %s\nrenewed %s\nlease %s\nnumber %s\n' "$2" "$3" "$4" "$5" "$6" "$7" | replace_file "$1/holder"
}

# operation_lock TARGET PROFILE TOKEN OWNER LEASE [DEAD-TOKEN]: takes or renews; a holder whose lease is over, or who is known to be dead, is replaced.
operation_lock() {
  check_names "$1" "$2" "$3"
  hold_mutex "$1"
  directory=$state/targets/$1/lock/$2
  mkdir -p "$directory" || fail cannot-create "cannot create '$directory'"
  now=$(date +%s)
  if read_holder "$directory"; then
    if [ "$holder_token" = "$3" ]; then
      write_holder "$directory" "$3" "$holder_owner" "$holder_since" "$now" "$5" "$holder_number" || fail cannot-create 'cannot renew the lock'
      say number "$holder_number"
      return
    fi
    age=$((now - holder_renewed))
    if [ "$age" -lt 0 ] || [ "$age" -le "$holder_lease" ]; then
      if [ "$holder_token" != "${6:-}" ]; then
        say holder "$holder_token" "$holder_owner" "$holder_since"
        fail already-locked 'locked by somebody else'
      fi
    fi
  fi
  first_line "$directory/number"
  number=$((${line:-0} + 1))
  printf '%s\n' "$number" | replace_file "$directory/number" && write_holder "$directory" "$3" "$4" "$now" "$now" "$5" "$number" ||
    fail cannot-create 'cannot write the lock'
  say number "$number"
}

# operation_renew TARGET PROFILE TOKEN LEASE: only for who has never lost it.
operation_renew() {
  check_names "$1" "$2" "$3"
  hold_mutex "$1"
  check_lock "$1" "$2" "$3"
  write_holder "$state/targets/$1/lock/$2" "$3" "$holder_owner" "$holder_since" "$(date +%s)" "$4" "$holder_number" ||
    fail cannot-create 'cannot renew the lock'
}

operation_unlock() {
  check_names "$1" "$2" "$3"
  hold_mutex "$1"
  directory=$state/targets/$1/lock/$2
  read_holder "$directory" || fail not-locked 'not locked'
  [ "$holder_token" = "$3" ] || fail lock-lost 'locked by somebody else'
  rm -f "$directory/holder"
}

operation_lock_state() {
  check_names "$1" "$2"
  if read_holder "$state/targets/$1/lock/$2"; then
    say holder "$holder_token" "$holder_owner" "$holder_since"
  fi
}

# check_lock TARGET PROFILE TOKEN: nothing is done for somebody who no longer holds the lock; `-` is asked by those who need none.
check_lock() {
  [ "$3" = - ] && return
  read_holder "$state/targets/$1/lock/$2" || fail lock-lost "the lock of profile '$2' is gone"
  [ "$holder_token" = "$3" ] || fail lock-lost "the lock of profile '$2' was taken by somebody else"
}
