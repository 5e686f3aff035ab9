# Takes, renews and releases locks of deployments. Holders are read in holder.sh.

# believe_holder DIRECTORY: starts the lease now if its time is missing or in the future; otherwise it might never end.
believe_holder() {
  [ -z "$holder_renewed" ] || [ "$holder_renewed" -gt "$now" ] || return 0
  holder_renewed=$now
  write_holder "$1" "$holder_token" "$holder_owner" "$holder_since" "$now" "$holder_lease" "$holder_number" ||
    cannot 'write the lock below' "$1"
}

write_holder() {
  describe_holder "$@"
  replace_text "$1/holder" "$described"
}

# describe_holder DIRECTORY TOKEN OWNER SINCE RENEWED LEASE NUMBER: sets $described to the lines of its file.
describe_holder() {
  described="token $2${newline}owner $3${newline}since $4${newline}renewed $5${newline}lease $6${newline}number $7${newline}"
}

# write_new_holder DIRECTORY TOKEN OWNER SINCE RENEWED LEASE NUMBER: the number first, as it must rise even if the machine fails. Both
# contents are synced before their names refer to them, then the names, and those of what is wanted, in the directory $wanted_in.
write_new_holder() {
  describe_holder "$@"
  write_text "$1/number.new" "$7$newline" && write_text "$1/holder.new" "$described" &&
    sync "$1/number.new" "$1/holder.new" && mv -f "$1/number.new" "$1/number" && mv -f "$1/holder.new" "$1/holder" && sync "$1" ${wanted_in:+"$wanted_in"} || {
    rm -f "$1/number.new" "$1/holder.new"
    return 1
  }
}

# operation_lock TARGET PROFILE TOKEN OWNER LEASE [DEAD-TOKEN|- [WANTED TARGETS STORE-KIND]]: takes or renews it; replaces a holder
# whose lease is over or who is known to be dead; notes the profile that is wanted (see wanted.sh).
operation_lock() {
  check_names "$1" "$2" "$3"
  hold_mutex "$1"
  directory=$state/targets/$1/lock/$2
  make_directory "$directory"
  read_clock
  if read_holder "$directory"; then
    if [ "$holder_token" = "$3" ]; then
      [ $# -lt 9 ] || tell_wanted "$1" "$2" "$3" "$holder_number" "$7" "$8" "$9"
      write_holder "$directory" "$3" "$holder_owner" "$holder_since" "$now" "$5" "$holder_number" ||
        cannot 'renew the lock below' "$directory"
      say_number "$2" "$holder_number"
      return
    fi
    believe_holder "$directory"
    if [ $((now - holder_renewed)) -le "$holder_lease" ] && [ "$holder_token" != "${6:-}" ]; then
      say holder "$holder_token" "$holder_owner" "$holder_since"
      fail already-locked 'locked by somebody else'
    fi
  fi
  first_line "$directory/number"
  is_number "$line" || line=$holder_number
  lock_number=$((line + 1)) wanted_in=
  [ $# -lt 9 ] || tell_wanted "$1" "$2" "$3" "$lock_number" "$7" "$8" "$9"
  write_new_holder "$directory" "$3" "$4" "$now" "$now" "$5" "$lock_number" || {
    withdraw_wanted "$1" "$2" "$3"
    cannot 'write the lock below' "$directory"
  }
  # Another run will not confirm any more.
  { command : >"$state/targets/$1/trials/$2/back"; } 2>/dev/null
  say_number "$2" "$lock_number"
}

# say_number PROFILE [NUMBER]: also says whether it was adopted: then Disnix has a lock of its own.
say_number() {
  [ ! -L "$state/adopted/$1" ] || say adopted
  [ $# = 1 ] || say number "$2"
}

# operation_renew TARGET PROFILE TOKEN LEASE: fails if the holder has lost it.
operation_renew() {
  check_names "$1" "$2" "$3"
  hold_mutex "$1"
  check_lock "$1" "$2" "$3"
  need_holder "$1" "$2"
  read_clock
  write_holder "$state/targets/$1/lock/$2" "$3" "$holder_owner" "$holder_since" "$now" "$4" "$holder_number" ||
    cannot 'renew the lock below' "$state/targets/$1/lock/$2"
}

# operation_unlock TARGET PROFILE TOKEN [withdraw]: fails for anybody but the holder; with `withdraw`, its run wants nothing any more.
operation_unlock() {
  check_names "$1" "$2" "$3"
  hold_mutex "$1"
  directory=$state/targets/$1/lock/$2
  read_holder "$directory" || fail not-locked 'not locked'
  [ "$holder_token" = "$3" ] || fail lock-lost 'locked by somebody else'
  [ "${4:-}" != withdraw ] || withdraw_wanted "$1" "$2" "$3"
  rm -f "$directory/holder" "$release" && release=
  say_number "$2"
}
