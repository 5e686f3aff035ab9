# Finds packages of a native store into which something was written.

# operation_native_altered REGISTRATIONS SECONDS [NAME]...: for each valid path of these, or of all, in which something was changed after
# packages can have been made, a line `altered NAME file|directory ENTRY`, the entry in hexadecimal; `marked NAME` for those that are known to
# be altered, `aside COUNT` for what was set aside, and `unchecked COUNT` for those that were not looked at within this time.
operation_native_altered() {
  check_store_paths "$1"
  registrations=$1 store=${1%/*/*} patience=$2
  shift 2
  count=0
  for place in "$registrations"/../set-aside/*; do
    ! exists "$place" || count=$((count + 1))
  done
  [ "$count" = 0 ] || say aside "$count"
  for place in "$registrations"/../altered/*; do
    [ ! -f "$place" ] || ! exists "$store/${place##*/}" || say marked "${place##*/}"
  done
  began=$(date +%s)
  # Everything in a package is of 2010 or earlier (see `package-times.ts` of the store).
  days=$(((began - 1300000000) / 86400))
  # The only special character in names is `?`.
  set -f
  # shellcheck disable=SC2046
  [ $# -gt 0 ] || [ ! -d "$registrations" ] || set -- $(cd "$registrations" && find . -name '*.json' | sed 's|^\./||; s|\.json$||')
  while [ $# -gt 0 ]; do
    # A clock that is wrong says nothing.
    [ "$days" -gt 365 ] && [ "$(($(date +%s) - began))" -lt "$patience" ] || {
      say unchecked "$#"
      break
    }
    batch=
    size=0
    while [ $# -gt 0 ] && [ "$size" -lt 100 ]; do
      ! is_valid "$1" || batch="$batch $1"
      size=$((size + 1))
      shift
    done
    # shellcheck disable=SC2086
    [ -z "$batch" ] || look_for_changes $batch
  done
  set +f
}

# look_for_changes NAME...: says which of them have something newer, and what; rather a file than the directory in which it is. Links do not
# count: tar of busybox gives them no times, and directories show when one was replaced.
look_for_changes() {
  found=$(cd "$store" && find "$@" ! -type l -mtime "-$days" 2>/dev/null | head -n 10000)
  entry=
  IFS=$newline
  for line in $found; do
    unset IFS
    case " $* " in
      *" ${line%%/*} "*) ;;
      # A line of a name that has several.
      *) continue ;;
    esac
    if [ "${line%%/*}" != "${entry%%/*}" ]; then
      say_change
      entry=$line
    elif is_plain_directory "$store/$entry" && ! is_plain_directory "$store/$line"; then
      entry=$line
    fi
  done
  unset IFS
  say_change
}

say_change() {
  [ -n "$entry" ] || return 0
  what='file'
  ! is_plain_directory "$store/$entry" || what=directory
  hex=
  [ "${entry#*/}" = "$entry" ] || hex=$(printf %s "${entry#*/}" | head -c 1000 | od -An -v -tx1 | tr -d ' \n')
  say altered "${entry%%/*}" "$what" "$hex"
}

is_plain_directory() {
  [ -d "$1" ] && [ ! -L "$1" ]
}
