# Writes states, for runners (outcomes) and helpers (intentions).

# write_state DIRECTORY STATE: replaces the state; on a full disk overwrites it in place, which takes no space.
write_state() {
  printf '%s\n' "$2" | replace_file "$1/state" || {
    [ -s "$1/state" ] && printf '%s\n' "$2" 1<>"$1/state" && sync "$1/state"
  }
}

# remove_mapping DIRECTORY: in one step; what a crash leaves of it is ignored, and removed by the next observation.
remove_mapping() {
  gone=${1%/*}/.gone.${1##*/}
  rm -rf "$gone"
  mv "$1" "$gone" || return 1
  rm -rf "$gone" || :
}
