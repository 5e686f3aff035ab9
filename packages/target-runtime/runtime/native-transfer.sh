# What a native store is sent: unpacked aside, then committed.

# operation_native_missing REGISTRATIONS NAME...: which of these have no registration. The others stay until this helper ends.
operation_native_missing() {
  check_store_paths "$1"
  keep_asked "$@"
  registrations=$1
  shift
  for name in "$@"; do
    [ -f "$registrations/$name.json" ] || say "$name"
  done
}

# receive_archive INCOMING NAME OWNER CHECKSUM: standard input unpacked aside from the store, in a directory that is OWNER's (a
# helper) until it is committed; prints how that ended and the checksum.
receive_archive() {
  process_identity "$$"
  self=$identity
  begin_transfer "$1" "$2" "$3"
  # Through unnamed pipes, for which nobody waits where the directory was removed meanwhile.
  {
    tee /proc/self/fd/3 | {
      tar -xof - -C "$1/$2/paths"
      echo "$?" | cat >"$1/$2/status"
      cat >/dev/null
    } 3>&-
  } 3>&1 >/dev/null | "$4" | cat >"$1/$2/checksum"
  first_line "$1/$2/status"
  status=$line
  first_line "$1/$2/checksum"
  printf 'received %s %s\n' "$status" "$line"
}

# begin_transfer INCOMING NAME OWNER: what transfers of dead owners have left is removed, and of those discarded as they began.
begin_transfer() {
  make_directory "$1"
  for claimed in "$1"/*.lock "$1"/transfer.*; do
    claimed=${claimed%.lock}
    { [ -L "$claimed.lock" ] || [ -d "$claimed" ]; } && claim "$claimed.lock" "$self" || continue
    discard_transfer "$claimed"
  done
  claim "$1/$2.lock" "$3" && mkdir "$1/$2" "$1/$2/paths" || cannot 'write below' "$1"
}

# operation_native_commit STORE INCOMING REGISTRATIONS ROOTS [NAME RECORD]... protect [NAME]... needs [NAME]...: what was received
# becomes valid, in the order given, and some of it protected, if what it needs is still valid.
operation_native_commit() {
  check_store_paths "$1" "$2" "$3" "$4"
  store=$1 incoming=$2 registrations=$3 roots=$4
  shift 4
  claim "$incoming.lock" "$self" || [ "$(readlink "$incoming.lock")" = "$self" ] ||
    fail incomplete-archive 'somebody else has removed the transfer'
  hold_store "$registrations"
  check_needs "$@"
  chmod -R a-w,ug-s "$incoming/paths" && chmod u+w "$incoming/paths" && mkdir "$incoming/records" ||
    cannot 'write below' "$incoming"
  sync
  committed=
  # Names hold nothing but `?` that a shell takes for something else.
  set -f
  while [ "$1" != protect ]; do
    place_with_record "$1" "$2" || {
      # Space is what lacks.
      for name in $committed "$1"; do
        remove_tree "$store/$name"
      done
      cannot "move '$1' into" "$store"
    }
    shift 2
  done
  sync
  # shellcheck disable=SC2086
  publish_records $committed
  set +f
  shift
  keep_state "$roots" || cannot 'write below' "$roots"
  for name in "$@"; do
    [ "$name" != needs ] || break
    protect_native "$roots" "$store/$name"
  done
  discard_transfer "$incoming"
}

# place_with_record NAME RECORD: the record waits aside, since all are synced at once.
place_with_record() {
  [ ! -f "$registrations/$1.json" ] || return 0
  place_path "$1" && decode "$2" && printf '%s' "$decoded" | cat >"$incoming/records/$1.json" && committed="$committed $1"
}

# publish_records NAME...: they count from now on, each after those that were given before it.
publish_records() {
  while [ $# -gt 0 ]; do
    batch=
    size=0
    while [ $# -gt 0 ] && [ "$size" -lt 500 ]; do
      batch="$batch $incoming/records/$1.json"
      size=$((size + 1))
      shift
    done
    # shellcheck disable=SC2086
    mv -f $batch "$registrations/" || cannot 'write below' "$registrations"
  done
}

check_needs() {
  while [ $# -gt 0 ] && [ "$1" != needs ]; do
    shift
  done
  for name in "$@"; do
    [ "$name" = needs ] || [ -f "$registrations/$name.json" ] || fail collected "'$name' was collected meanwhile: send again"
  done
}

operation_native_discard() {
  check_store_paths "$1"
  discard_transfer "$1"
}

discard_transfer() {
  remove_tree "$1"
  rm -f "$1.lock"
}
