# Deployments that Disnix made with this account. The link `adopted/PROFILE` in the directory of the state points to the profile of
# Disnix that davit has adopted, or has set: as long as it is the current one, davit knows all that is there, unless its own state was lost.

# say_originals PROFILE: `original locked|free PROFILE PATH TEXT` for each deployment that davit has not adopted, that with this name first, the
# last two in hexadecimal. TEXT is as of `read_profiles`, and `~` if the manifests before have taken all the space of an answer.
say_originals() {
  # A helper for a client executable runs here, and not on its target.
  [ -z "$client_place" ] && find_profiles || return 0
  seen='' space=32000000
  for link in "$profiles/disnix/$1" "$profiles/disnix"/*; do
    profile=${link##*/}
    case $profile in
      [!A-Za-z0-9_]* | *[!A-Za-z0-9_.+-]* | *-[0-9]*-link | "$seen") continue ;;
    esac
    seen=$1
    [ -L "$link" ] && [ -d "$link/" ] && ! is_adopted || continue
    path=$(readlink -f "$link") || continue
    lock=free text='~'
    ! exists "${TMPDIR:-/tmp}/disnix-$profile.lock" || lock=locked
    [ "$space" -le 0 ] || read_profile_manifest "$path/profilemanifest.xml"
    space=$((space - ${#text}))
    say original "$lock" "$profile" "$(printf %s "$path" | hexadecimal)" "$text"
  done
}

# is_adopted: whether davit knows what the link $link of $profile points to, and still has a profile or records of its own.
is_adopted() {
  # shellcheck disable=SC3013
  [ "$state/adopted/$profile/" -ef "$link/" ] || return
  for own in "$state"/targets/*/profiles/"$profile"/current "$state"/targets/*/active/"$profile"/*:*; do
    [ ! -L "$own" ] && [ ! -d "$own" ] || return 0
  done
  return 1
}
