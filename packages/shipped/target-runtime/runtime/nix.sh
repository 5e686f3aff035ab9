# A store that is the real Nix, through its own commands.

# find_nix: a user's own profile may have it, besides the places where any target has programs.
find_nix() {
  PATH=$PATH:${HOME:-}/.nix-profile/bin:${XDG_STATE_HOME:-${HOME:-}/.local/state}/nix/profile/bin
  export PATH
  command -v nix-store >/dev/null 2>&1 || fail nix-missing "there is no program 'nix-store'"
}
