# The Nix store of a machine, used through its own commands.

# find_nix: adds to PATH the profiles of the user that may contain Nix.
find_nix() {
  PATH=$PATH:${HOME:-}/.nix-profile/bin:${XDG_STATE_HOME:-${HOME:-}/.local/state}/nix/profile/bin
  export PATH
  command -v nix-store >/dev/null 2>&1 || fail nix-missing "there is no program 'nix-store'"
}
