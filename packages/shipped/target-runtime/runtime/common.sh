# Shared by all scripts that run on targets. POSIX sh: dash, bash and busybox.
# Fields of requests are words for `printf %b`; answers are plain words, or hexadecimal for arbitrary text.

set -u
umask 022

newline='
'

# Of this boot.
{ IFS= read -r boot </proc/sys/kernel/random/boot_id && [ -n "$boot" ]; } 2>/dev/null || boot=unknown

# decode FIELD: sets $decoded to the text, including newlines at its end.
decode() {
  case $1 in
    *\\*)
      decoded=$(printf "%b." "$1")
      decoded=${decoded%.}
      ;;
    *) decoded=$1 ;;
  esac
}

# write_text PATH TEXT: without a process; if that fails, once more by a utility, which prints the reason.
write_text() {
  { printf "%s" "$2" >"$1"; } 2>/dev/null || printf "%s" "$2" | cat >"$1"
}

# rename_text PATH TEXT: replaces a file atomically; the content is synced before the name refers to it.
rename_text() {
  write_text "$1.new" "$2" && sync "$1.new" && mv -f "$1.new" "$1" || {
    rm -f "$1.new"
    return 1
  }
}

# replace_text PATH TEXT: like rename_text; then the name is synced too.
replace_text() {
  rename_text "$1" "$2" && sync "${1%/*}"
}

# first_line FILE: sets $line, empty if there is none.
first_line() {
  line=
  if [ -f "$1" ]; then
    IFS= read -r line <"$1" || :
  fi
}

# exists PATH: even a dangling link.
exists() {
  [ -e "$1" ] || [ -L "$1" ]
}

# has_line FILE LINE
has_line() {
  while IFS= read -r line || [ -n "$line" ]; do
    [ "$line" = "$2" ] && return 0
  done <"$1"
  return 1
}

# make_places DIRECTORY...: in a store of snapshots, closed to others unless it is that of Dysnomia, whose modules read there as other users.
make_places() {
  (umask "${open_places:-077}" && mkdir -p "$@")
}

pause() {
  sleep 0.05 2>/dev/null || sleep 1
}

# tar_in_large_parts COMMAND...: has tar of GNU read and write pipes in parts of 64 kB, up to which it then fills an archive; others
# ignore that. Its own 10 kB take twice as much time.
tar_in_large_parts() {
  TAR_OPTIONS=--blocking-factor=128 "$@"
}
