# Reads profile manifests, which anybody may have replaced.

# read_profile_manifest FILE: sets $text.
read_profile_manifest() {
  text=-
  [ -e "$1" ] || return 0
  text='!'
  [ -f "$1" ] && size=$(wc -c 2>/dev/null <"$1") || return 0
  if [ "$size" -gt 8000000 ]; then
    text=+
  elif [ "$size" -eq 0 ]; then
    text='='
  else
    text=$(head -c 8000000 2>/dev/null <"$1" | hexadecimal)
    : "${text:=!}"
  fi
}
