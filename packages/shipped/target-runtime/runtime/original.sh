# Deployments that Disnix made with this account. The link `adopted/PROFILE` in the directory of the state points to the profile of
# Disnix that davit has adopted, or has set: as long as it is the current one, davit knows all that is there.

# find_originals: sets $originals, the directory of the profiles of Disnix.
find_originals() {
  originals=${NIX_STATE_DIR:-/nix/var/nix}/profiles
  [ "$user" = 0 ] || originals=$originals/per-user/${USER:-$(id -un)}
  originals=$originals/disnix
}

# say_originals: `original locked|free PROFILE PATH TEXT` for each deployment that davit has not adopted, the last two in hexadecimal.
say_originals() {
  # A helper for a client executable runs here, and not on its target.
  [ -z "$client_place" ] || return 0
  find_originals
  for link in "$originals"/*; do
    profile=${link##*/}
    case $profile in
      [!A-Za-z0-9_]* | *[!A-Za-z0-9_.+-]* | *-[0-9]*-link) continue ;;
    esac
    # shellcheck disable=SC3013
    [ -L "$link" ] && [ -d "$link/" ] && ! [ "$state/adopted/$profile/" -ef "$link/" ] || continue
    path=$(readlink -f "$link") || continue
    lock=free text=-
    ! exists "${TMPDIR:-/tmp}/disnix-$profile.lock" || lock=locked
    read_profile_manifest "$path/profilemanifest.xml"
    say original "$lock" "$profile" "$(printf %s "$path" | hexadecimal)" "$text"
  done
}
