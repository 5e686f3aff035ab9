# Tells all that an inventory needs with one request.

# operation_inventory PROFILE [TARGET]... - [WORD]...: what `observe` tells, a line `others`, and then `time SECONDS TARGET RECORD` for
# each record, what `read_profiles` tells of the targets, `missing PATH` for each package of a record and each current profile that is
# not valid here, and what `resolve` tells of the words.
operation_inventory() {
  operation_observe "$1"
  say others
  profile=$1 targets=
  shift
  while [ "${1--}" != - ]; do
    targets="$targets $1"
    shift
  done
  [ $# = 0 ] || shift
  say_times "$profile"
  # Names of targets have neither white space nor patterns.
  # shellcheck disable=SC2086
  (operation_read_profiles "$profile" $targets)
  (say_missing "$profile")
  operation_resolve "$@"
}

# say_times PROFILE: for each of its mappings when the state was written, in seconds since 1970, if this machine has `stat`.
say_times() {
  find "$state"/targets/*/active/"$1" -name state -exec stat -c '%Y %n' {} + 2>/dev/null | while read -r seconds file; do
    file=${file#"$state"/targets/} file=${file%/state}
    record=${file##*/}
    case $seconds.$file in
      *[!A-Za-z0-9_./:~+-]*) ;;
      *) [ "$record" = "${record#*:}" ] || say time "$seconds" "${file%%/*}" "$record" ;;
    esac
  done
}

# say_missing PROFILE: packages of records and current profiles that are not valid here, each once.
say_missing() {
  set -- "$state"/targets/*/profiles/"$1"/current "$state"/targets/*/active/"$1"/*:*/record
  { for current in "$@"; do
    case $current in
      */current) path=$(readlink "$current") && readlink "${current%/*}/$path" ;;
      *) [ ! -f "$current" ] || while IFS=' ' read -r field word; do
        [ "$field" != pkg ] || printf '%s\n' "$word"
      done <"$current" ;;
    esac
  done } 2>/dev/null | { sort -u 2>/dev/null || cat; } | {
    of_nix=$(say_missing_natively)
    # shellcheck disable=SC2086
    say_missing_of_nix $of_nix
  } 5>&1
}

# say_missing_natively < PATHS: prints those that are in no native store.
say_missing_natively() {
  while IFS= read -r path; do
    case $path in
      [!/]* | */../* | */./* | *//* | *[!A-Za-z0-9_.+?=/-]*) continue ;;
    esac
    if [ ! -d "${path%/*}/.davit" ]; then
      printf '%s\n' "$path"
    elif [ ! -f "${path%/*}/.davit/registrations/${path##*/}.json" ] || ! exists "$path"; then
      say missing "$path" >&5
    fi
  done
}

# say_missing_of_nix [PATH]...: asks Nix once if all are valid.
say_missing_of_nix() {
  [ $# -gt 0 ] || return 0
  (find_nix && nix-store --check-validity "$@") >/dev/null 2>&1 && return
  for path in "$@"; do
    (find_nix && nix-store --check-validity "$path") >/dev/null 2>&1 || say missing "$path"
  done
}
