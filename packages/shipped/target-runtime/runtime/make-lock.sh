# Makes the file that is the lock of Disnix on this machine.

# make_lock [TEXT]: in one step, and only if there is nothing, as anybody may put a link or a pipe there.
make_lock() {
  made=$(mktemp "$lock.XXXXXXXX") && printf %s "${1-}" >"$made" || return
  ln -T "$made" "$lock"
  set -- "$?"
  rm -f "$made"
  return "$1"
}
