# Generations of a profile: links `N-link` to the profile in the store; `current` names the current one.

# operation_set_profile TARGET PROFILE TOKEN PATH add|reuse STORE-KIND [ROOT]: `unchanged`, or the number of the generation that
# is current now: a new one or, with `reuse`, the first that points to the path. It is a root of the store before it becomes
# current.
operation_set_profile() {
  check_names "$1" "$2"
  check_store_paths "$4"
  hold_mutex "$1"
  check_lock "$1" "$2" "$3"
  directory=$state/targets/$1/profiles/$2
  [ -d "$4" ] || fail no-profile "'$4' is not on the machine: run davit-distribute first"
  make_directory "$directory"
  current=
  [ ! -L "$directory/current" ] || current=$(readlink "$directory/current") || current=
  if [ -n "$current" ] && [ "$(readlink "$directory/$current")" = "$4" ]; then
    keep_generation "$directory/$current" "$4" "$6" "${7:-}"
    with_others "$directory" "$4" rm
    say unchanged
    return
  fi
  choose_generation "$directory" "$5" "$4"
  keep_generation "$directory/$number-link" "$4" "$6" "${7:-}"
  ln -sfn "$number-link" "$directory/current.new" &&
    mv -f -T "$directory/current.new" "$directory/current" || cannot 'write below' "$directory"
  with_others "$directory" "$4" rm
  say generation "$number"
}

# choose_generation DIRECTORY add|reuse PATH: sets $number.
choose_generation() {
  last=0 holder=
  for link in "$1"/*-link; do
    number=${link##*/}
    number=${number%-link}
    case $number in
      '' | *[!0-9]*) continue ;;
    esac
    [ "$number" -le "$last" ] || last=$number
    [ "$2" = reuse ] && [ "$(readlink "$link")" = "$3" ] || continue
    [ -n "$holder" ] && [ "$number" -ge "$holder" ] || holder=$number
  done
  number=${holder:-$((last + 1))}
}

# keep_generation LINK PATH STORE-KIND ROOT: makes LINK point to the path and keep it.
keep_generation() {
  case $3 in
    native)
      check_store_paths "${4%/*}"
      hold_store "${4%/*/*}/registrations"
      [ -d "$2" ] || fail no-profile "'$2' is not on the machine: run davit-distribute first"
      keep_state "${4%/*}" && keep_profile "$4" "${1%/*}" || cannot 'write below' "$4"
      [ -L "$1" ] || ln -s "$2" "$1" || cannot 'write below' "${1%/*}"
      ;;
    nix) root_nix "$1" "$2" ;;
    *) fail bad-request "unknown kind of store '$3'" ;;
  esac
}

# keep_profile ROOT DIRECTORY: adds this account's mark, since another may have the same profile; replaces the root of earlier
# versions.
keep_profile() {
  { [ -L "$1:$mark" ] && [ "$(readlink "$1:$mark")" = "$2" ]; } || ln -sfn "$2" "$1:$mark" || return 1
  [ ! -L "$1" ] || [ "$(readlink "$1")" != "$2" ] || rm -f "$1"
}
