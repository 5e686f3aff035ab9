# Finds missing paths and closures in a native store, and commits or discards transfers.

# operation_native_missing REGISTRATIONS [PATH]... names [NAME]...: those names that are not valid. If there are none and paths
# are given, protects these; otherwise keeps the named paths until this helper ends.
operation_native_missing() {
  check_store_paths "$1"
  registrations=$1 store=${1%/*/*} paths=
  shift
  while [ "$1" != names ]; do
    check_store_paths "$1"
    paths="$paths $1"
    shift
  done
  shift
  hold_asked
  for name in "$@"; do
    is_valid "$name" || {
      say "$name"
      lacking=yes
    }
  done
  if [ -z "${lacking:-}" ] && [ -n "$paths" ]; then
    set -f
    # shellcheck disable=SC2086
    protect_native "${registrations%/*}/roots" $paths
  elif [ -n "$release_store" ]; then
    keep_asked "$@"
  fi
}

# hold_asked: holds the store, so that paths can be kept, unless this account may not write to it: then nothing is sent to it either.
hold_asked() {
  { [ -d "${asked%/*}" ] || mkdir -p "${asked%/*}" 2>/dev/null; } && [ -w "${asked%/*}" ] && hold_store "$registrations" || return
  for owner in "${asked%/*}"/*; do
    [ ! -f "$owner" ] || ! is_dead "${owner##*/}" || rm -f "$owner"
  done
}

# keep_asked NAME...: keeps them while this helper lives.
keep_asked() {
  printf '%s\n' "$@" | cat >>"$asked" || cannot 'write below' "${asked%/*}"
}

# operation_native_closure REGISTRATIONS [NAME]...: a line `registration TEXT` for each of these paths and of those that they need, which
# are kept until this helper ends, or `invalid NAME`.
operation_native_closure() {
  check_store_paths "$1"
  registrations=$1 store=${1%/*/*} noted=0 listed=0
  shift
  [ ! -d "$registrations" ] || hold_asked
  # The only special character in names is `?`.
  set -f
  for name in "$@"; do
    note_needed "$name"
  done
  while [ "$listed" -lt "$noted" ]; do
    batch=
    while [ "$listed" -lt "$noted" ]; do
      eval "batch=\"\$batch \$noted_$listed\""
      listed=$((listed + 1))
      [ "$((listed % 100))" != 0 ] || break
    done
    # shellcheck disable=SC2086
    list_registrations $batch
  done
  set +f
}

# note_needed NAME: adds it to what is to be listed, once. Each has a variable, as it would take long to append to one with all names.
note_needed() {
  case $1 in
    *[!A-Za-z0-9_.+?=-]*) fail bad-request "invalid name '$1'" ;;
  esac
  hash=${1%%-*}
  case $hash in
    '' | *[!0-9a-z]*) fail bad-request "invalid name '$1'" ;;
  esac
  eval "known=\${known_$hash-}"
  [ -z "$known" ] || return 0
  eval "known_$hash=yes noted_$noted=\$1"
  noted=$((noted + 1))
}

# list_registrations NAME...: says their registrations, and notes what they refer to.
list_registrations() {
  files= valid=
  for name in "$@"; do
    if is_valid "$name"; then
      files="$files $name.json" valid="$valid $name"
    else
      say invalid "$name"
    fi
  done
  [ -n "$files" ] || return 0
  # shellcheck disable=SC2086
  [ -z "$release_store" ] || keep_asked $valid
  # shellcheck disable=SC2086
  texts=$(cd "$registrations" && cat $files) || fail cannot-read "cannot read '$registrations'"
  IFS=$newline
  # shellcheck disable=SC2086
  set -- $texts
  unset IFS
  for text in "$@"; do
    say registration "$text"
    text=${text#*'"references":['}
    note_references "${text%%]*}"
  done
}

# note_references TEXT: notes the paths in a list of JSON.
note_references() {
  IFS='",'
  # shellcheck disable=SC2086
  set -- $1
  unset IFS
  for path in "$@"; do
    [ -z "$path" ] || note_needed "${path##*/}"
  done
}

# operation_native_commit STORE INCOMING REGISTRATIONS ROOTS [NAME]... protect [NAME]... needs [NAME]...: makes received paths valid
# with the records that were received with them, in this order, and protects some of them, if those that they need are still valid.
operation_native_commit() {
  check_store_paths "$1" "$2" "$3" "$4"
  store=$1 incoming=$2 registrations=$3 roots=$4
  shift 4
  # The receiver has claimed it for this helper.
  [ "$(readlink "$incoming.lock")" = "$self" ] || claim "$incoming.lock" "$self" ||
    fail incomplete-archive 'another process has removed the transfer'
  hold_store "$registrations"
  check_needs "$@"
  chmod -R a-w,ug-s "$incoming/paths" && { [ -w "$incoming/paths" ] || chmod u+w "$incoming/paths"; } ||
    cannot 'write below' "$incoming"
  time_directories
  # The only special character in names is `?`.
  set -f
  placed=$(choose_received "$@") || exit
  while [ "$1" != protect ]; do
    shift
  done
  # shellcheck disable=SC2086
  place_paths $placed || {
    # The likely reason is a full disk: free what was taken.
    for name in $placed; do
      [ -f "$registrations/../altered/$name" ] || remove_tree "$store/$name"
    done
    cannot 'move packages into' "$store"
  }
  # All are on the same file system: paths, records, and the directories that they are moved into.
  sync -f "$registrations" 2>/dev/null || sync
  # shellcheck disable=SC2086
  in_batches publish_records $placed || cannot 'write below' "$registrations"
  shift
  # shellcheck disable=SC2046
  protect_native "$roots" $(
    for name in "$@"; do
      [ "$name" != needs ] || break
      printf ' %s' "$store/$name"
    done
  )
  discard_transfer "$incoming"
}

# time_directories: gives directories the time of their package, which its record has too, if tar has not: that of busybox sets it before it
# fills them.
time_directories() {
  (cd "$incoming/paths" && find . -type d ! -path . -mtime -1) | cut -d / -f 2 | sort -u | while IFS= read -r name; do
    [ ! -f "$incoming/records/$name.json" ] ||
      (cd "$incoming/paths" && find "./$name" -type d -exec touch -r "$incoming/records/$name.json" {} + 2>/dev/null)
  done
}

# choose_received NAME... protect ...: prints those that are to be placed, as they are not valid yet.
choose_received() {
  for name in "$@"; do
    [ "$name" != protect ] || return 0
    check_received "$name"
    is_valid "$name" || {
      [ -f "$incoming/records/$name.json" ] || fail incomplete-archive "the archive lacks the record of '$name'"
      printf ' %s' "$name"
    }
  done
}

# publish_records NAME...: makes these paths valid, in this order.
publish_records() {
  files=
  for name in "$@"; do
    files="$files $name.json"
  done
  # shellcheck disable=SC2086
  (cd "$incoming/records" && mv -f $files "$registrations/") && clear_marks "$@"
}

# check_needs [NAME]... protect [NAME]... needs [NAME]...
check_needs() {
  needed=no
  for name in "$@"; do
    [ "$needed" = no ] || is_valid "$name" ||
      fail collected "'$name' was collected in the meantime: run the same command again"
    [ "$name" != needs ] || needed=yes
  done
}

# operation_native_mark REGISTRATIONS [NAME]...: marks paths as altered, so that they are not valid until they are made or sent again.
operation_native_mark() {
  check_store_paths "$1"
  hold_store "$1"
  shift
  mkdir -p "$registrations/../altered" || cannot 'write below' "$registrations"
  for name in "$@"; do
    check_store_paths "/$name"
    : >"$registrations/../altered/$name" || cannot 'write below' "$registrations"
  done
}

# operation_native_discard INCOMING: removes what was received and not committed.
operation_native_discard() {
  check_store_paths "$1"
  discard_transfer "$1"
}
