# Tells who holds a lock.

# operation_lock_state TARGET PROFILE: the holder, if there is one, with the end of its lease, if that is known, and the time now.
operation_lock_state() {
  check_names "$1" "$2"
  if read_holder "$state/targets/$1/lock/$2"; then
    now=$(date +%s)
    describe_lease
    say "$described"
  fi
}

# describe_lease: sets $described to what answers have of the holder, at the time $now.
describe_lease() {
  lease_end=-
  [ -z "$holder_renewed" ] || lease_end=$((holder_renewed + holder_lease))
  described="holder $holder_token $holder_owner $holder_since $lease_end $now"
}
