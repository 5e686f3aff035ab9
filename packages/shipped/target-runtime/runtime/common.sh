# Shared by everything that davit runs on a target. POSIX sh: dash, bash and busybox.
# Fields of requests are words for `printf %b`; what goes back is plain words, or hexadecimal where it may be anything.

set -u
umask 022

newline='
'

# decode FIELD: the text goes to $decoded, trailing newlines included.
decode() {
  decoded=$(printf '%b.' "$1")
  decoded=${decoded%.}
}

# replace_file PATH < CONTENT: atomically, on the disk before the name points to it, and the name as well in the end.
replace_file() {
  cat >"$1.new" && sync "$1.new" && mv -f "$1.new" "$1" && sync "${1%/*}" || {
    rm -f "$1.new"
    return 1
  }
}

# first_line FILE: to $line, empty when there is none.
first_line() {
  line=
  if [ -f "$1" ]; then
    IFS= read -r line <"$1" || :
  fi
}

boot_id() {
  first_line /proc/sys/kernel/random/boot_id
  printf '%s' "${line:-unknown}"
}

pause() {
  sleep 0.05 2>/dev/null || sleep 1
}
