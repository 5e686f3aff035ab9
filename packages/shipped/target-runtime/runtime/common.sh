# Shared by all scripts that run on targets. POSIX sh: dash, bash and busybox.
# Fields of requests are words for `printf %b`; answers are plain words, or hexadecimal for arbitrary text.

set -u
umask 022

newline='
'

# decode FIELD: sets $decoded to the text, including newlines at its end.
decode() {
  decoded=$(printf '%b.' "$1")
  decoded=${decoded%.}
}

# replace_file PATH < CONTENT: atomically; the content is synced before the name refers to it, then the name too.
replace_file() {
  cat >"$1.new" && sync "$1.new" && mv -f "$1.new" "$1" && sync "${1%/*}" || {
    rm -f "$1.new"
    return 1
  }
}

# first_line FILE: sets $line, empty if there is none.
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
