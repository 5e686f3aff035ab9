# Protects, for a day, what a deployment is about to need.

# operation_protect STORE-KIND ROOTS [PATH]...: protects them for a day. ROOTS is the directory of roots in a native store, or a
# name for this set of paths in a Nix store.
operation_protect() {
  kind=$1 roots=$2
  shift 2
  check_store_paths "$@"
  case $kind in
    native)
      check_store_paths "$roots"
      hold_store "${roots%/*}/registrations"
      for path in "$@"; do
        [ -f "$registrations/${path##*/}.json" ] || fail collected "'$path' was collected in the meantime: run the same command again"
      done
      protect_native "$roots" "$@"
      ;;
    nix) protect_nix "$roots" "$@" ;;
    *) fail bad-request "unknown kind of store '$kind'" ;;
  esac
}

# protect_native ROOTS PATH...: as the coordinator does in its own store.
protect_native() {
  keep_state "$1" || cannot 'write below' "$1"
  roots=$1 made=no
  shift
  for path in "$@"; do
    # An existing root begins its day anew. The name of a path determines the path.
    [ -L "$roots/temporary:${path##*/}" ] && touch -c -h "$roots/temporary:${path##*/}" 2>/dev/null && continue
    ln -sfn "$path" "$roots/temporary:.new.$$" && mv -f -T "$roots/temporary:.new.$$" "$roots/temporary:${path##*/}" ||
      cannot 'write below' "$roots"
    made=yes
  done
  [ "$made" = no ] || find "$roots" -type l -name 'temporary:*' -mtime +0 -exec rm -f {} +
}

# protect_nix NAME PATH...: replaces what the name protected before.
protect_nix() {
  check_names "$1"
  link=$state/protected/$1
  shift
  make_directory "${link%/*}"
  find "${link%/*}" -type l -mtime +0 -exec rm -f {} +
  root_nix "$link" "$@"
}
