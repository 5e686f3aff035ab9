# What has a channel of its own with a Nix store.

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
  printf %s "$derivations" | davit_runtime=$detached setsid sh -c 'eval "$davit_runtime"; realise_nix "$1"' sh "$2" &
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
