# Finds missing paths of a native store, and commits or discards transfers.

# operation_native_missing REGISTRATIONS [NAME]...: those without a registration. The others are kept until this helper ends.
operation_native_missing() {
  check_store_paths "$1"
  keep_asked "$@"
  registrations=$1
  shift
  for name in "$@"; do
    [ -f "$registrations/$name.json" ] || say "$name"
  done
}

# keep_asked REGISTRATIONS NAME...: keeps them while this helper lives, unless the store is not writable, as nothing is sent there
# then.
keep_asked() {
  asked=${1%/*}/asked
  [ $# -gt 1 ] && mkdir -p "$asked" 2>/dev/null && [ -w "$asked" ] || return 0
  hold_store "$1"
  shift
  for owner in "$asked"/*; do
    [ -f "$owner" ] && is_dead "${owner##*/}" && rm -f "$owner"
  done
  printf '%s\n' "$@" | cat >>"$asked/$self" || cannot 'write below' "$asked"
}

# operation_native_commit STORE INCOMING REGISTRATIONS ROOTS [NAME RECORD]... protect [NAME]... needs [NAME]...: makes received
# paths valid, in this order, and protects some of them, if those that they need are still valid.
operation_native_commit() {
  check_store_paths "$1" "$2" "$3" "$4"
  store=$1 incoming=$2 registrations=$3 roots=$4
  shift 4
  claim "$incoming.lock" "$self" || [ "$(readlink "$incoming.lock")" = "$self" ] ||
    fail incomplete-archive 'another process has removed the transfer'
  hold_store "$registrations"
  check_needs "$@"
  chmod -R a-w,ug-s "$incoming/paths" && chmod u+w "$incoming/paths" && mkdir "$incoming/records" ||
    cannot 'write below' "$incoming"
  sync
  committed=
  # The only special character in names is `?`.
  set -f
  while [ "$1" != protect ]; do
    place_with_record "$1" "$2" || {
      # The likely reason is a full disk: free what was taken.
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

# place_with_record NAME RECORD: the record waits aside until all paths are synced together.
place_with_record() {
  [ ! -f "$registrations/$1.json" ] || return 0
  place_path "$1" && decode "$2" && printf '%s' "$decoded" | cat >"$incoming/records/$1.json" && committed="$committed $1"
}

# publish_records NAME...: makes them valid, in this order.
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
    [ "$name" = needs ] || [ -f "$registrations/$name.json" ] || fail collected "'$name' was collected in the meantime: run the same command again"
  done
}

# operation_native_discard INCOMING: removes what was received and not committed.
operation_native_discard() {
  check_store_paths "$1"
  discard_transfer "$1"
}
