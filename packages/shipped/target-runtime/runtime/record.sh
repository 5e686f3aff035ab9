# Records. A mapping has a directory `targets/TARGET/active/PROFILE/CONTAINER:KEY`, of that at most 240 characters, with
#   record   what is needed to run any activity of it: a line `FIELD WORD` each, words for printf %b; container properties are `property.NAME`
#   state    its first line: one of $states, of which each has behind a colon what was intended; activating when absent
#   running  claim of the runner of an activity of it
#   activity name of the activity that runs; of one that was cut off as well, unless state or status say that it ended. Written after
#            the state and removed after the outcome: alone, it says nothing. Earlier versions have none, and neither has a full disk.
#   module   claim of the module that the runner has called, which may outlive it
#   status   `ACTIVITY STATUS` of the last one that ended, unless the state says it
# What an activity prints is in `log/PROFILE/CONTAINER:KEY.ACTIVITY`; of very much only the beginning, in `….1` how much is left out then,
# and in `….2` and `….3` the end.

# mapping_directory TARGET PROFILE CONTAINER KEY; a file name has at most 255 bytes, and logs add something to it. What is left of a key
# beside the longest container is still that of one service alone.
mapping_directory() {
  check_names "$@"
  directory=$state/targets/$1/active/$2/$(printf %.240s "$3:$4")
  # So older versions have shortened long containers.
  [ "${#3}" -le 150 ] || [ ! -d "${directory%/*}/$(printf '%.150s~%s' "$3" "${#3}"):$4" ] ||
    directory=${directory%/*}/$(printf '%.150s~%s' "$3" "${#3}"):$4
}

# is_complete RECORD: it says how to call the module.
is_complete() {
  [ -f "$1" ] || return 1
  facts=
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      'module /'*) facts=${facts}m ;;
      'pkg /'*) facts=${facts}p ;;
      'container '?*) facts=${facts}c ;;
    esac
  done <"$1"
  [ "${#facts}" = 3 ]
}

write_record() {
  [ $# -gt 0 ] || fail bad-record "the record '$directory/record' does not say what to call"
  record=$(
    while [ $# -ge 2 ]; do
      word=$2
      if [ "$1" = module ]; then
        decode "$2"
        resolve_module "$decoded"
        word=$module
      fi
      printf '%s %s\n' "$1" "$word"
      shift 2
    done
    printf 'boot %s' "$(boot_id)"
  ) || exit 3
  printf '%s\n' "$record" | replace_file "$directory/record"
}

# resolve_module PATH: a module, or the directory of a service that provides its container with exactly one module in it.
resolve_module() {
  module=$1
  if [ -d "$1/libexec/dysnomia" ]; then
    set -- "$1"/libexec/dysnomia/*
    module=
    for candidate in "$@"; do
      case $candidate in
        *.activities) continue ;;
      esac
      [ -z "$module" ] || fail no-module "more than one module in '${1%/*}'"
      module=$candidate
    done
  fi
  module=$(readlink -f "$module") || module=
  [ -n "$module" ] && [ -f "$module" ] && [ -x "$module" ] || fail no-module "there is no module '${1#"$state"/}'"
  check_store_paths "$module"
}

# is_running DIRECTORY: also when only the module is left. A dead helper's claim may just be on its way to the runner that it has
# started: looked at twice.
is_running() {
  ! is_claimed "$1/running" && ! is_claimed "$1/module" || return 0
  [ -L "$1/running" ] || [ -L "$1/running.handed" ] || return 1
  sleep 1
  is_claimed "$1/running" || is_claimed "$1/module"
}

# operation_resolve [WORD]...: the module that each reference leads to, or `-`.
operation_resolve() {
  for word in "$@"; do
    decode "$word"
    (resolve_module "$decoded" && say module "$module") 2>/dev/null || say module -
  done
}

# operation_observe PROFILE: the profiles that were ever set here; every mapping of this one, of all targets that are this machine,
# with `answers` when its module can be asked for its status; what other profiles have here.
operation_observe() {
  check_names "$1"
  rm -rf "$state"/targets/*/active/"$1"/.gone.*
  say boot "$(boot_id)"
  for directory in "$state"/targets/*/profiles/*; do
    case ${directory##*/} in
      *[!A-Za-z0-9_.+-]*) ;;
      *) [ ! -L "$directory/current" ] || say profile "${directory##*/}" ;;
    esac
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
  first_line "$directory/state"
  current=${line:-activating}
  intended_during "$current" || current=unknown
  say mapping "$target" "$current" "$running" "${directory##*/}"
  first_line "$directory/status"
  [ -z "$intended" ] || [ "${line%% *}" != "$intended" ] || say failed
  say_activity "${line%% *}"
  module=
  while IFS= read -r line || [ -n "$line" ]; do
    say "field $line"
    case $line in
      'module '*) module=${line#module } ;;
    esac
  done 2>/dev/null <"$directory/record" || :
  [ -d "$directory" ] || {
    say gone
    return
  }
  if [ -n "$module" ] && [ -f "$module.activities" ] && answers_activity "$module.activities" status; then
    say answers
  fi
}

# say_activity ENDED: what runs or was cut off, unless that is what has ended last, or the state is not the one during it.
say_activity() {
  first_line "$directory/activity"
  case $line in
    '' | "$1" | *[!a-z_-]*) return ;;
  esac
  state_during "$line"
  [ -n "$during" ] && [ "$during" != "$current" ] || say activity "$line"
}

# intended_during STATE: the activity goes to $intended, empty where none was; fails for what is no state.
intended_during() {
  intended=
  for known in $states; do
    [ "${known%%:*}" = "$1" ] || continue
    intended=${known#*:}
    return
  done
  return 1
}

# state_during ACTIVITY: goes to $during, empty for an activity that leaves the state as it is.
state_during() {
  during=
  for known in $states; do
    [ "${known#*:}" != "$1" ] || during=${known%%:*}
  done
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
