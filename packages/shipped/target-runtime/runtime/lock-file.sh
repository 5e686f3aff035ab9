# The file that is the lock of Disnix on this machine.

# find_lock PROFILE: sets $lock.
find_lock() {
  check_names "$1"
  lock=${TMPDIR:-/tmp}/disnix-$1.lock
}

# is_held: whether davit has made the file $lock. It is read only if it belongs to this account.
is_held() {
  # shellcheck disable=SC3067
  [ ! -L "$lock" ] && [ -f "$lock" ] && [ -O "$lock" ] && has_line "$lock" davit
}

# is_foreign: whether there is a file $lock of somebody else.
is_foreign() {
  exists "$lock" && ! is_held
}
