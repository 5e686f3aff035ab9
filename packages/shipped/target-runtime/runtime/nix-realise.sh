# Builds in a Nix store, in a process group of its own.

# realise_nix JOBS < DERIVATIONS: realises 100 at a time, since with too many, one call takes longer than a call for each.
realise_nix() {
  # The trap runs once the child has ended, by the same signal.
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

# realise_some DERIVATION...: if one is for another system, Nix refuses all of them; then each is tried on its own.
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
