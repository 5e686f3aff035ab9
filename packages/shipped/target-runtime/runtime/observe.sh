# Reads records, for plans.

# operation_observe PROFILE [replace]: all profiles that were ever set here; deployments of Disnix that were not adopted; its unconfirmed trials;
# all its mappings, under any target name, with the activities that the module declares; the mappings of other profiles.
operation_observe() {
  check_names "$1"
  for gone in "$state"/targets/*/active/"$1"/.gone.*; do
    [ ! -e "$gone" ] || rm -rf "$gone"
  done
  say boot "$boot"
  for directory in "$state"/targets/*/profiles/*; do
    case ${directory##*/} in
      *[!A-Za-z0-9_.+-]*) ;;
      *) [ ! -L "$directory/current" ] || say profile "${directory##*/}" ;;
    esac
  done
  say_originals "$@"
  for trial in "$state"/targets/*/trials/"$1"; do
    [ -d "$trial" ] || continue
    # Its watcher may have been killed, or the machine restarted.
    is_claimed "$trial/watcher" || { sh "$trial/script" & }
    say trial "$trial"
  done
  for directory in "$state"/targets/*/active/*/*:*; do
    [ -f "$directory/record" ] || [ -f "$directory/state" ] || continue
    place=${directory#"$state"/targets/}
    case $place in
      *[!A-Za-z0-9_./:~+-]* | *:*:* | -* | */-*)
        say strange "$(printf '%s' "$directory" | hexadecimal)"
        continue
        ;;
    esac
    target=${place%%/*}
    case $place in
      "$target/active/$1/"*) say_mapping ;;
      *) say_other ;;
    esac
  done
}

say_mapping() {
  running=ended
  ! is_running "$directory" || running=running
  read_state "$directory"
  current=${line:-activating}
  is_state "$current" || current=unknown
  say mapping "$target" "$current" "$running" "${directory##*/}"
  first_line "$directory/status"
  [ -z "$intended" ] || [ "${line%% *}" != "$intended" ] || say failed
  case $line in
    'lock '* | 'unlock '[!0]*) say locked ;;
  esac
  say_activity "${line%% *}"
  [ ! -f "$directory/restored" ] || say restored
  module=
  # Anything else than a file could be endless.
  [ ! -f "$directory/record" ] || while IFS= read -r line || [ -n "$line" ]; do
    say "field $line"
    case $line in
      'module '*) module=${line#module } ;;
    esac
  done 2>/dev/null <"$directory/record" || :
  [ -d "$directory" ] || {
    say gone
    return
  }
  [ -z "$module" ] || [ ! -f "$module.activities" ] || say_declared "$module" declares
}

# say_declared MODULE WORD...: says these words, and which activities the module declares.
say_declared() {
  file=$1.activities
  shift
  # No module declares nearly as many.
  [ ! -f "$file" ] || while { IFS= read -r line || [ -n "$line" ]; } && [ $# -lt 99 ]; do
    case $line in
      '' | *[!a-z_-]*) ;;
      *) set -- "$@" "$line" ;;
    esac
  done <"$file"
  say "$@"
}

# say_activity ENDED: says which activity runs or was cut off, unless it is the one that ended last, or the state contradicts it.
say_activity() {
  first_line "$directory/activity"
  case $line in
    '' | "$1" | *[!a-z_-]*) return ;;
  esac
  verb_traits "$line"
  case $during in
    '' | "$current") say activity "$line" ;;
  esac
}

say_other() {
  pkg= name=
  while IFS= read -r line; do
    case $line in
      'pkg '*) pkg=${line#pkg } ;;
      'name '*) name=${line#name } ;;
    esac
  done 2>/dev/null <"$directory/record" || :
  [ -z "$pkg" ] || say other "$target" "${place#*/active/}" "$pkg" "$name"
}
