# What a native store lacks, and what becomes of what it was sent.

# operation_native_missing REGISTRATIONS [NAME]...: which of these have no registration. The others stay until this helper ends.
operation_native_missing() {
  check_store_paths "$1"
  keep_asked "$@"
  registrations=$1
  shift
  for name in "$@"; do
    [ -f "$registrations/$name.json" ] || say "$name"
  done
}

# keep_asked REGISTRATIONS NAME...: while this helper lives. Not where nobody may write: nothing is sent to there.
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

# operation_native_discard INCOMING: what was received and is not committed.
operation_native_discard() {
  check_store_paths "$1"
  discard_transfer "$1"
}
