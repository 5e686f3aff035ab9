# Profiles of Disnix on this machine.

# find_profile NAME: sets $profile, which of accounts other than root is their own.
find_profile() {
  check_names "$1"
  need_profiles
  profile=$profiles/disnix/$1
}

# client_query_installed PROFILE: its profile manifest; nothing if nothing is deployed.
client_query_installed() {
  find_profile "$1"
  [ ! -e "$profile" ] || cat "$profile/profilemanifest.xml"
}
