# The target half of a store that is the real Nix, through its own commands.

# find_nix: a user's own profile may have it, besides the places where any target has programs.
find_nix() {
  PATH=$PATH:${HOME:-}/.nix-profile/bin:${XDG_STATE_HOME:-${HOME:-}/.local/state}/nix/profile/bin
  export PATH
  command -v nix-store >/dev/null 2>&1 || fail nix-missing "there is no program 'nix-store'"
}

# root_nix LINK PATH...: LINK, LINK-2 … lead to the paths, and keep them. Derivations are kept as they are: to realise them
# would build them.
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
  [ $# = 0 ] || nix-store --realise --add-root "$link" --indirect "$@" >/dev/null || fail nix-failed "cannot keep what is in the store"
  [ -z "$derivations" ] || nix-instantiate --add-root "$link.drv" --indirect --expr \
    "map (path: { type = \"derivation\"; name = \"kept\"; outputName = \"out\"; outPath = \"\"; drvPath = path; }) [$derivations ]" >/dev/null ||
    fail nix-failed "cannot keep derivations"
}

# serve_nix: the store on standard input and output, in the serve protocol of Nix.
serve_nix() {
  find_nix
  printf '\n%s\n' "$1"
  exec nix-store --serve --write
}

# build_nix MARKER JOBS: builds the derivations on standard input, to an empty line, and says `done`. Nix says on standard error
# what it is at. When standard input ends, whoever waits has gone: nothing goes on.
build_nix() {
  find_nix
  printf '\n%s\n' "$1"
  derivations=
  while IFS= read -r derivation && [ -n "$derivation" ]; do
    check_store_paths "$derivation"
    derivations="$derivations$derivation
"
  done
  printf %s "$derivations" | runtime="$runtime" setsid sh -c 'eval "$runtime"; realise_nix "$1"' sh "$2" &
  group=$!
  # From here on, the end of standard output tells that nothing is built any more; sshd tells it when both have ended.
  exec >/dev/null 2>&1
  cat
  # It may still be on its way to become a group of its own.
  until kill -TERM "-$group" 2>/dev/null || ! kill -0 "$group" 2>/dev/null; do
    pause
  done
  wait "$group"
}

# realise_nix JOBS: not too many at a time, since one call takes longer with each of them than a call for each.
realise_nix() {
  # Once what it waits for has ended, by the same signal.
  trap 'exit 1' TERM
  jobs=$1
  set --
  while IFS= read -r derivation; do
    set -- "$@" "$derivation"
    [ $# -lt 100 ] || {
      realise_some "$@"
      set --
    }
  done
  [ $# = 0 ] || realise_some "$@"
  echo 'done'
}

# realise_some DERIVATION...: Nix gives up on all of them where one is for another system; then each is tried on its own.
realise_some() {
  realise_together "$@"
  [ "$?" = 1 ] && [ $# -gt 1 ] || return 0
  for derivation in "$@"; do
    realise_together "$derivation"
  done
}

realise_together() {
  nix-store --realise --keep-going -j "$jobs" --log-format internal-json "$@" >/dev/null </dev/null
}
