# Generations of a profile: links `N-link` to the profile in the store; `current` names the one that counts.

# operation_set_profile TARGET PROFILE TOKEN PATH ROOTS: `unchanged`, or the number of the new generation.
operation_set_profile() {
  check_names "$1" "$2"
  check_store_paths "$4" "$5"
  hold_mutex "$1"
  check_lock "$1" "$2" "$3"
  directory=$state/targets/$1/profiles/$2
  [ -d "$4" ] || fail no-profile "'$4' is not on the machine: davit-distribute brings it"
  mkdir -p "$directory" "$5" || fail cannot-create "cannot create '$directory'"
  ln -sfn "$directory" "$5/profile:$1:$2" || fail cannot-create "cannot write below '$5'"
  current=$(readlink "$directory/current") || current=
  if [ -n "$current" ] && [ "$(readlink "$directory/$current")" = "$4" ]; then
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
  ln -s "$4" "$directory/$number-link" &&
    ln -sfn "$number-link" "$directory/current.new" &&
    mv -f -T "$directory/current.new" "$directory/current" || fail cannot-create "cannot write below '$directory'"
  say generation "$number"
}
