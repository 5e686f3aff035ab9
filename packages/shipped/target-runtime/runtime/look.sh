# Looks at a target without changing anything.

# operation_look TARGET PROFILE PATH STORE-KIND [ROOT [NAME]...]: says `locked` if somebody has left or holds a lock, also of Disnix, `profile` if
# another path is the current profile, `root` if no root keeps it, `missing` if the path, or one of the names, is not valid.
operation_look() {
  check_names "$1" "$2"
  check_store_paths "$3"
  directory=$state/targets/$1/profiles/$2 profile=$3 kind=$4
  find_lock "$2"
  [ ! -f "$state/targets/$1/lock/$2/holder" ] && ! is_foreign || say locked
  current=$(readlink "$directory/current") && [ "$(readlink "$directory/$current")" = "$profile" ] || say profile
  shift 4
  [ -z "$(with_others "$directory" "$profile" echo)" ] || say wanted
  case $kind in
    native) look_natively "$@" || say missing ;;
    # A valid path implies that what it needs is valid.
    nix) (find_nix && nix-store --check-validity "$profile") >/dev/null 2>&1 || say missing ;;
    *) fail bad-request "unknown kind of store '$kind'" ;;
  esac
}

# look_natively ROOT [NAME]...: fails if a name has no registration, or was removed by hand.
look_natively() {
  roots=${1%/*}
  check_store_paths "$roots"
  [ -L "$1:$mark" ] && [ -L "$roots/state:$mark" ] || say root
  [ -d "$profile" ] || return 1
  shift
  for name in "$@"; do
    [ -f "${roots%/*}/registrations/$name.json" ] && exists "${roots%/*/*}/$name" || return 1
  done
}
