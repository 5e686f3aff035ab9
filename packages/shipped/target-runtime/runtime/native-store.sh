# The target's half of the native store.

# is_valid NAME: whether a path is registered, was not removed by hand, and is not marked as altered.
is_valid() {
  [ -f "$registrations/$1.json" ] && exists "$store/$1" && [ ! -f "$registrations/../altered/$1" ]
}

# is_rubbish NAME: whether something in the store is not valid, and is not being built here for a coordinator.
is_rubbish() {
  case $1 in
    *-*) ;;
    *) return 1 ;;
  esac
  hash=${1%%-*}
  [ "${#hash}" = 32 ] && [ ! -f "$registrations/$1.json" ] && ! is_claimed "$incoming/build.$hash.lock"
}

# check_received NAME: fails if the name is not one of a path, or was not received.
check_received() {
  check_store_paths "/$1"
  case $1 in
    '' | */* | [.-]*) fail bad-request "invalid name '$1'" ;;
  esac
  exists "$incoming/paths/$1" || fail incomplete-archive "the archive lacks '$1'"
}

# clear_path NAME: removes what is in the place of a path that is not valid. What was altered is set aside, since a program may have
# written data into it; whatever runs from there goes on.
clear_path() {
  exists "$store/$1" || return 0
  [ -f "$registrations/../altered/$1" ] || {
    remove_tree "$store/$1"
    return
  }
  aside=$registrations/../set-aside
  mkdir -p "$aside" && { [ -L "$store/$1" ] || [ ! -d "$store/$1" ] || chmod u+w "$store/$1"; } || return
  aside=$aside/$1.$(date +%s)
  ! exists "$aside" || aside=$aside.$$
  mv "$store/$1" "$aside"
}

# clear_marks NAME...: from now on, these paths are as they were made.
clear_marks() {
  [ ! -d "$registrations/../altered" ] || (cd "$registrations/../altered" && rm -f "$@")
}

# place_paths NAME...: moves what was received into the store, without write permissions; it is not valid yet.
place_paths() {
  for name in "$@"; do
    clear_path "$name" || return
  done
  in_batches place_batch "$@"
}

place_batch() {
  sealed=
  for name in "$@"; do
    [ -L "$incoming/paths/$name" ] || [ ! -d "$incoming/paths/$name" ] || [ -w "$incoming/paths/$name" ] || sealed="$sealed $name"
  done
  # Only root can move a directory without write permission.
  # shellcheck disable=SC2086
  { [ -z "$sealed" ] || (cd "$incoming/paths" && chmod u+w $sealed); } &&
    (cd "$incoming/paths" && mv "$@" "$store/") &&
    { [ -z "$sealed" ] || (cd "$store" && chmod a-w $sealed); }
}

# in_batches FUNCTION WORD...: calls it with as many words at a time as fit into a command line. `set -f` must be in effect, since names contain `?`.
in_batches() {
  function=$1
  shift
  while [ $# -gt 0 ]; do
    batch=
    size=0
    while [ $# -gt 0 ] && [ "$size" -lt 500 ]; do
      batch="$batch $1"
      size=$((size + 1))
      shift
    done
    # shellcheck disable=SC2086
    "$function" $batch || return
  done
}
