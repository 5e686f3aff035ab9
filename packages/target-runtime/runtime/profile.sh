# Generations of a profile: links `N-link` to the profile in the store; `current` names the one that counts.

# operation_set_profile TARGET PROFILE TOKEN PATH STORE-KIND [ROOTS]: `unchanged`, or the number of the new generation. It is a
# root of the store before it counts.
operation_set_profile() {
  check_names "$1" "$2"
  check_store_paths "$4"
  hold_mutex "$1"
  check_lock "$1" "$2" "$3"
  directory=$state/targets/$1/profiles/$2
  [ -d "$4" ] || fail no-profile "'$4' is not on the machine: davit-distribute brings it"
  mkdir -p "$directory" || fail cannot-create "cannot create '$directory'"
  current=$(readlink "$directory/current") || current=
  if [ -n "$current" ] && [ "$(readlink "$directory/$current")" = "$4" ]; then
    keep_generation "$directory/$current" "$4" "$5" "${6:-}/profile:$1:$2"
    say unchanged
    return
  fi
  last=0
  for link in "$directory"/*-link; do
    number=${link##*/}
    number=${number%-link}
    case $number in
      '' | *[!0-9]*) continue ;;
    esac
    [ "$number" -le "$last" ] || last=$number
  done
  number=$((last + 1))
  keep_generation "$directory/$number-link" "$4" "$5" "${6:-}/profile:$1:$2"
  ln -sfn "$number-link" "$directory/current.new" &&
    mv -f -T "$directory/current.new" "$directory/current" || fail cannot-create "cannot write below '$directory'"
  say generation "$number"
}
