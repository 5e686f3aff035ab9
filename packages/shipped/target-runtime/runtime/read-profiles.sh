# Reads the current and wanted profiles of targets.

# operation_read_profiles PROFILE [TARGET]...: for each target with a current profile `profile locked|free TARGET PATH TEXT`, the last
# two in hexadecimal. PATH is `-` if the links do not lead to one. TEXT is the profile manifest, or `-` if there is none, `=` if it is
# empty, `!` if it cannot be read, and `+` if it is larger than any that davit writes. Then what is
# wanted there (see wanted.sh).
operation_read_profiles() {
  profile=$1
  shift
  for target in "$@"; do
    check_names "$target" "$profile"
    directory=$state/targets/$target/profiles/$profile
    current=
    if exists "$directory/current"; then
      path=$(readlink "$directory/current") && current=$(readlink "$directory/$path") || current=
      lock=free text=- path=
      [ ! -f "$state/targets/$target/lock/$profile/holder" ] || lock=locked
      if [ -n "$current" ]; then
        read_profile_manifest "$current/profilemanifest.xml"
        path=$(printf %s "$current" | hexadecimal)
      fi
      say profile "$lock" "$target" "${path:--}" "$text"
    fi
    say_wanted "$target" "$profile" "$current"
  done
}
