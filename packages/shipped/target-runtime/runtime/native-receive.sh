# Receives packages for a native store on a channel of its own.

# receive_archive INCOMING NAME OWNER CHECKSUM: unpacks standard input outside the store, in a directory that OWNER (a helper)
# claims until it is committed; prints the status of tar and the checksum.
receive_archive() {
  process_identity "$$"
  self=$identity
  begin_transfer "$1" "$2" "$3"
  # Unnamed pipes block nobody, even if the directory is removed in the meantime.
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
