# Receives packages for a native store on a channel of its own.

# receive_archive INCOMING NAME OWNER CHECKSUM: unpacks standard input outside the store, in a directory that OWNER (a helper)
# claims until it is committed; prints `status STATUS` (of tar) and `checksum SUM`, in any order. The checksum may be `none`.
receive_archive() {
  process_identity "$$"
  self=$identity
  # State may be secret.
  case $1 in */dysnomia/incoming) umask 077 ;; esac
  begin_transfer "$1" "$2" "$3"
  [ "$4" != none ] || {
    tar_in_large_parts tar -xof - -C "$1/$2"
    printf 'status %s\nchecksum none\n' "$?"
    cat >/dev/null
    return
  }
  # Unnamed pipes block nobody, even if the directory is removed in the meantime.
  {
    {
      tee /proc/self/fd/3 | {
        tar -xof - -C "$1/$2"
        printf '\nstatus %s\n' "$?" >&4
        cat >/dev/null
      } 3>&-
    } 3>&1 >/dev/null | printf '\nchecksum %s\n' "$("$4")"
  } 4>&1
}
