# Work with a Nix store on a channel of its own.

# serve_nix MARKER: serves the store on standard input and output, in the serve protocol of Nix.
serve_nix() {
  find_nix
  printf '\n%s\n' "$1"
  exec nix-store --serve --write
}

# build_nix MARKER JOBS: builds the derivations on standard input, up to an empty line, and prints `done`. Nix reports its
# progress on standard error. When standard input ends, nobody waits any longer, and the build is stopped.
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
  # From here on, the end of standard output shows that the build has ended; sshd closes it when both outputs are closed.
  exec >/dev/null 2>&1
  cat
  # The process may not have become a group of its own yet.
  until kill -TERM "-$group" 2>/dev/null || ! kill -0 "$group" 2>/dev/null; do
    pause
  done
  wait "$group"
}
