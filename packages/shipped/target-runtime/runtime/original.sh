# Deployments that Disnix made with this account. The link `adopted/PROFILE` in the directory of the state points to the profile of
# Disnix that davit has adopted, or has set: as long as it is the current one, davit knows all that is there, unless its own state was lost.

# say_originals PROFILE [replace]: `locked LOCK` if Disnix is at work on the deployment of this name, or has left its lock; `original LOCK|free
# PROFILE PATH TEXT` for each deployment that davit has not adopted, that with this name first. All but the name are in hexadecimal. TEXT is as
# of `read_profiles`, and `~` if the manifests before have taken all the space of an answer. With `replace`, what an earlier version has adopted
# counts as well.
say_originals() {
  # A helper for a client executable runs here, and not on its target.
  [ -z "$client_place" ] && find_profiles || return 0
  find_lock "$1"
  # As long as davit has adopted nothing, the file of an account that has no part in it keeps nobody from deploying.
  ! is_foreign || { [ ! -L "$state/adopted/$1" ] && [ -z "$(find "$lock" -prune \( -user 0 -o -user "$user" \))" ]; } || say locked "$(printf %s "$lock" | hexadecimal)"
  seen='' space=32000000
  for link in "$profiles/disnix/$1" "$profiles/disnix"/*; do
    profile=${link##*/}
    case $profile in
      [!A-Za-z0-9_]* | *[!A-Za-z0-9_.+-]* | *-[0-9]*-link | "$seen") continue ;;
    esac
    seen=$1
    [ -L "$link" ] && [ -d "$link/" ] && { [ "${2-}:$profile" = "replace:$1" ] && [ ! -e "$state/adopted/$1:taken" ] || ! is_adopted; } || continue
    path=$(readlink -f "$link") || continue
    sign=free text='~'
    find_lock "$profile"
    ! is_foreign || sign=$(printf %s "$lock" | hexadecimal)
    [ "$space" -le 0 ] || read_profile_manifest "$path/profilemanifest.xml"
    space=$((space - ${#text}))
    say original "$sign" "$profile" "$(printf %s "$path" | hexadecimal)" "$text"
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
