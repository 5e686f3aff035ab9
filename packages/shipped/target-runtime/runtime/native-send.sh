# Sends built outputs on a channel of its own.

# send_trees MARKER DIRECTORY CHECKSUM NAME...: writes one archive to standard output, then `sent STATUS` (of tar) and `checksum
# SUM` to standard error; the checksum `none` stands for archives of which each file is verified.
send_trees() {
  printf '\n%s\n' "$1"
  directory=$2 checksum=$3
  shift 3
  [ "$checksum" != none ] || {
    write_archive "$directory" "$@"
    printf 'sent %s\nchecksum none\n' "$?" >&2
    return
  }
  exec 3>&1
  {
    {
      tar -cf - -C "$directory" "$@"
      printf 'sent %s\n' "$?" >&2
    } | tee /proc/self/fd/4 >&3
  } 4>&1 | printf 'checksum %s\n' "$("$checksum")" >&2
}
