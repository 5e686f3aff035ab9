# Profiles of Disnix on this machine.

nix_profiles=${NIX_STATE_DIR:-/nix/var/nix}/profiles

# find_profile NAME: sets $profile, which of accounts other than root is their own.
find_profile() {
  check_names "$1"
  profile=$nix_profiles/disnix/$1
  [ "$user" = 0 ] || profile=$nix_profiles/per-user/$(id -un)/disnix/$1
}

# client_query_installed PROFILE: its profile manifest; nothing if nothing is deployed.
client_query_installed() {
  find_profile "$1"
  [ ! -e "$profile" ] || cat "$profile/profilemanifest.xml"
}
