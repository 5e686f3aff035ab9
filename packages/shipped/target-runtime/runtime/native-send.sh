# What was built, sent on a channel of its own.

# send_trees MARKER DIRECTORY CHECKSUM NAME...: one archive of them on standard output; then, on standard error, `sent STATUS` of
# what made it, and `checksum SUM`.
send_trees() {
  printf '\n%s\n' "$1"
  directory=$2 checksum=$3
  shift 3
  exec 3>&1
  {
    {
      tar -cf - -C "$directory" "$@"
      printf 'sent %s\n' "$?" >&2
    } | tee /proc/self/fd/4 >&3
  } 4>&1 | printf 'checksum %s\n' "$("$checksum")" >&2
}
