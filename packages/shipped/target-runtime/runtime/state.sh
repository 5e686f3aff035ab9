# What the runner of an activity writes of its outcome, and the helper of what is intended.

# write_state DIRECTORY STATE: on a full disk over what is there, which takes no space.
write_state() {
  printf '%s\n' "$2" | replace_file "$1/state" || {
    [ -s "$1/state" ] && printf '%s\n' "$2" 1<>"$1/state" && sync "$1/state"
  }
}

# remove_mapping DIRECTORY: in one step; what is left of it after a crash is not looked at, and removed with the next observation.
remove_mapping() {
  gone=${1%/*}/.gone.${1##*/}
  rm -rf "$gone"
  mv "$1" "$gone" || return 1
  rm -rf "$gone" || :
}
