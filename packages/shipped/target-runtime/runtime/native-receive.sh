# The channel on which a native store is sent packages.

# receive_archive INCOMING NAME OWNER CHECKSUM: standard input unpacked aside from the store, in a directory that is OWNER's (a
# helper) until it is committed; prints how that ended and the checksum.
receive_archive() {
  process_identity "$$"
  self=$identity
  begin_transfer "$1" "$2" "$3"
  # Through unnamed pipes, for which nobody waits where the directory was removed meanwhile.
  {
    tee /proc/self/fd/3 | {
      tar -xof - -C "$1/$2/paths"
      echo "$?" | cat >"$1/$2/status"
      cat >/dev/null
    } 3>&-
  } 3>&1 >/dev/null | "$4" | cat >"$1/$2/checksum"
  first_line "$1/$2/status"
  status=$line
  first_line "$1/$2/checksum"
  printf 'received %s %s\n' "$status" "$line"
}
