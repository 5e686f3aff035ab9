# Roots in a Nix store.

# root_nix LINK PATH...: makes LINK, LINK-2 … roots of the paths. Derivations get roots of another kind, since to realise them would
# build them.
root_nix() {
  find_nix
  link=$1
  derivations=
  for path in "$@"; do
    shift
    case $path in
      "$link") ;;
      *.drv) derivations="$derivations \"$path\"" ;;
      *) set -- "$@" "$path" ;;
    esac
  done
  [ $# = 0 ] || nix-store --realise --add-root "$link" --indirect "$@" >/dev/null || fail nix-failed "cannot add roots for paths"
  [ -z "$derivations" ] || nix-instantiate --add-root "$link.drv" --indirect --expr \
    "map (path: { type = \"derivation\"; name = \"kept\"; outputName = \"out\"; outPath = \"\"; drvPath = path; }) [$derivations ]" >/dev/null ||
    fail nix-failed "cannot add roots for derivations"
}
