# Garbage collection, on a target or the coordinator, by a helper of its own. In a native store, the caller decides which paths are
# removed, and is refused if what is kept has changed since its survey. The hidden directory of the store contains
#   commit               claim of the process that changes what is valid or kept
#   incoming/*-commit-*  directories of coordinators that are changing that, and wait while `commit` is claimed
#   asked/OWNER          paths that living helpers reported as valid, while the rest of their closures may be on its way
#   needed/OWNER         paths that living coordinators are about to need; they count if temporary roots do not
#   locks/NAME           outputs that a coordinator is building
#   collected            a text that each collection changes, since paths that were valid may be gone

# use_native STORE INCOMING REGISTRATIONS ROOTS LOCKS
use_native() {
  check_store_paths "$@"
  store=$1 incoming=$2 registrations=$3 roots=$4 locks=$5
}

# list_kept: lines `NAME-OR-PATH BY`; for temporary roots also `NAME since DAY TIME`, in UTC; `locked` if a deployment holds a
# lock. Expired temporary roots are skipped, not removed, as they may be renewed at this moment.
list_kept() {
  find "$roots" -type l -name 'temporary:*' ! -mtime +0 2>/dev/null | while IFS= read -r root; do
    name=${root##*/temporary:}
    case $name in
      .new.*) ;;
      *) printf '%s temporary\n' "$name" ;;
    esac
  done
  TZ=UTC0 LC_ALL=C find "$roots" -type l -name 'temporary:*' ! -mtime +0 -exec ls -dln --full-time {} + 2>/dev/null |
    while read -r _ _ _ _ _ day clock _ name _; do
      printf '%s since %s %s\n' "${name##*/temporary:}" "$day" "$clock"
    done
  ! is_locked "$state/targets" || echo 'locked'
  for root in "$roots"/*; do
    [ -L "$root" ] || continue
    name=${root##*/}
    case $name in
      temporary:*) ;;
      profile:*) list_generations "$root" "$(name_of_profile "$name" "$(readlink "$root")")" ;;
      state:*) list_others "$(readlink "$root")" ;;
      *) printf '%s %s\n' "${name##*:}" "${name%:*}" ;;
    esac
  done
  for owner in "${registrations%/*}"/asked/*; do
    [ -L "$owner" ] || [ ! -f "$owner" ] || is_dead "${owner##*/}" || list_fields ' asked' <"$owner"
  done
  for owner in "${registrations%/*}"/needed/*; do
    [ -L "$owner" ] || [ ! -f "$owner" ] || is_dead "${owner##*/}" || list_fields ' needed' <"$owner"
  done
  for lock in "$locks"/*; do
    [ ! -f "$lock" ] || printf '%s building\n' "${lock##*/}"
  done
  list_active "$state/targets"
  list_wanted "$state/targets"
}

# name_of_profile ROOT DIRECTORY: without the mark if it is this account's, else with `other:` in front.
name_of_profile() {
  case $2 in
    "$state"/targets/*) printf %s "${1%":$mark"}" ;;
    *) printf 'other:%s' "$1" ;;
  esac
}

# list_others TARGETS: what the targets of another account keep in this store.
list_others() {
  [ "$1" != "$state/targets" ] && can_see "$1" || return 0
  for part in "$1"/*/ "$1"/*/active/ "$1"/*/active/*/ "$1"/*/active/*/*/ "$1"/*/profiles/ "$1"/*/profiles/*/; do
    [ ! -d "$part" ] || can_see "$part"
  done
  ! is_locked "$1" || echo 'locked'
  list_active "$1"
  list_wanted "$1"
}

# is_locked TARGETS: whether a deployment holds a lock whose lease is not over.
is_locked() {
  read_clock
  for lock in "$1"/*/lock/*; do
    read_holder "$lock" && [ "$((now - ${holder_renewed:-$now}))" -le "$holder_lease" ] && return 0
  done
  return 1
}

# can_see DIRECTORY: whether it exists; ends the operation if this account may not read it.
can_see() {
  case $1 in
    /*) ;;
    *) return 1 ;;
  esac
  seen=$1
  until [ -d "$seen/" ]; do
    seen=${seen%/*}
  done
  [ -x "$seen/." ] && { [ "$seen" != "$1" ] || [ -r "$seen/" ]; } || fail cannot-read "cannot read '$1', which may keep packages"
  [ "$seen" = "$1" ]
}

# list_fields SUFFIX < LINES: appends the suffix to each.
list_fields() {
  while IFS= read -r field; do
    printf '%s%s\n' "$field" "$1"
  done
}

# list_active TARGETS: packages and modules that are needed to stop active services, or to start again those before a trial.
list_active() {
  list_records "$1"/*/active/*/*/record
  list_records "$1"/*/trials/*/before/*/record
}

# list_records [RECORD]...: those that are files. Other accounts have made some of them, and a pipe would have no end.
list_records() {
  ! exists "$1" || find "$@" -prune -type f -exec cat {} + | list_needed
}

# list_wanted TARGETS: profiles that runs have wanted (see wanted.sh) and not reached, or not yet.
list_wanted() {
  for link in "$1"/*/profiles/*/wanted.next.*; do
    [ ! -L "$link" ] || printf '%s wanted\n' "$(readlink "$link")"
  done
}

# list_needed < RECORDS: their packages and modules.
list_needed() {
  while IFS=' ' read -r field word; do
    case $field in
      pkg | module) printf '%s active\n' "$word" ;;
    esac
  done
}

# say_each WORD < LINES: says each with the word in front.
say_each() {
  while IFS= read -r field; do
    say "$1" "$field"
  done
}

# list_generations ROOT NAME: the generations of a profile, and the current one.
list_generations() {
  can_see "$(readlink "$1")" || return 0
  for generation in "$1"/*-link; do
    [ ! -L "$generation" ] || printf '%s %s\n' "$(readlink "$generation")" "$2/${generation##*/}"
  done
  current=$(readlink "$1/current") || return 0
  printf '%s %s\n' "$(readlink "$1/$current")" "$2/current"
}

# sum_of UTILITY TEXT: sets $sum.
sum_of() {
  sum=$(printf '%s\n' "$2" | "$1")
  sum=${sum%% *}
}

# operation_native_survey CHECKSUM STORE INCOMING REGISTRATIONS ROOTS LOCKS: what is kept, its checksum, what is valid, and rubbish.
operation_native_survey() {
  checksum=$1
  shift
  use_native "$@"
  kept=$(list_kept) || exit 3
  sum_of "$checksum" "$kept"
  say sum "$sum"
  say now "$(TZ=UTC0 date '+%Y-%m-%d %H:%M:%S')"
  printf '%s\n' "$kept" | say_each kept
  [ ! -d "$registrations" ] || find "$registrations" -name '*.json' -exec cat {} + | say_each valid
  for place in "$store"/*; do
    is_rubbish "${place##*/}" || continue
    [ -e "$place" ] || [ -L "$place" ] || continue
    size=$(du -sk "$place" 2>/dev/null) || size=0
    say rubbish "${place##*/}" "${size%%[!0-9]*}"
  done
}

# operation_native_collect CHECKSUM SUM STORE INCOMING REGISTRATIONS ROOTS LOCKS LOGS [NAME]... rubbish [NAME]...: removes paths,
# referrers before references, and rubbish, also that of interrupted collections; says `changed` instead if the checksum of what
# is kept differs.
operation_native_collect() {
  checksum=$1 expected=$2 logs=$8
  use_native "$3" "$4" "$5" "$6" "$7"
  shift 8
  for name in "$@"; do
    case $name in
      */* | .*) fail bad-request "invalid name '$name'" ;;
    esac
  done
  if [ ! -d "$registrations" ]; then
    say collected
    return
  fi
  hold_store "$registrations"
  await_commits
  find "$roots" -type l -name 'temporary:*' -mtime +0 -exec rm -f {} + 2>/dev/null
  kept=$(list_kept) || exit 3
  sum_of "$checksum" "$kept"
  if [ "$sum" != "$expected" ]; then
    say changed
    return
  fi
  check_owner "$@"
  aside=$incoming/collected.$id.$self
  begin_transfer "$incoming" "${aside##*/}" "$self"
  unregister "$@"
  move_aside "$@"
  let_go
  discard_transfer "$aside"
  say collected
}

# check_owner NAME...: fails if one belongs to another account, since only root can move it.
check_owner() {
  [ "$(id -u)" != 0 ] || return 0
  # Their number has no limit, unlike that of arguments.
  foreign=$(
    for name in "$@"; do
      printf '%s\0' "$store/$name"
    done | xargs -0 -r sh -c 'exec find "$@" -prune ! -user "$0"' "$(id -u)" 2>/dev/null | head -n 1
  )
  [ -z "$foreign" ] || fail not-owner "'$foreign' belongs to another account"
}

# unregister NAME... rubbish ...: removes registrations, logs and temporary roots of the paths before `rubbish`.
unregister() {
  [ "${1-rubbish}" = rubbish ] || {
    printf '%s\n' "$self $id" >"${registrations%/*}/collected" && for name in "$@"; do
      [ "$name" != rubbish ] || break
      printf '%s\0' "$registrations/$name.json" "$logs/$name.log" "$roots/temporary:$name"
    done | xargs -0 -r rm -f && { sync "$registrations" 2>/dev/null || sync; }
  } || cannot 'remove below' "$registrations"
}

# move_aside NAME... rubbish NAME...: moves them out of the store, while nobody else can put anything there.
move_aside() {
  for name in "$@"; do
    [ "$name" = rubbish ] || is_rubbish "$name" || continue
    ! exists "$store/$name" || printf '%s\0' "$store/$name"
  done | xargs -0 -r sh -c 'find "$@" -prune -type d ! -perm -200 -exec chmod u+w {} + && exec mv "$@" "$0"' "$aside/paths" ||
    cannot 'remove below' "$store"
}

# await_commits: waits for coordinators that began to change the store before it was claimed.
await_commits() {
  tries=0
  for marker in "$incoming"/*-commit-*; do
    while [ -d "$marker" ] && is_coordinator_alive "${marker##*/}"; do
      tries=$((tries + 1))
      [ "$tries" -le 600 ] || fail store-busy 'another process has been changing the store for too long'
      pause
    done
  done
}

# is_coordinator_alive NAMESPACE.PID.START-TIME-...: also if that is not certain.
is_coordinator_alive() {
  reference=${1%%-*}
  case $(readlink /proc/self/ns/pid) in
    *"[${reference%%.*}]"*) ;;
    *) return 0 ;;
  esac
  reference=${reference#*.}
  ! is_dead "${reference%%.*}:${reference#*.}:unknown"
}

# operation_trim_profile TARGET PROFILE [PATH]...: removes its generations, except the current one and those of the paths.
operation_trim_profile() {
  check_names "$1" "$2"
  hold_mutex "$1"
  directory=$state/targets/$1/profiles/$2
  current=$(readlink "$directory/current") || return 0
  shift 2
  {
    [ $# = 0 ] || printf -- '- %s\n' "$@"
    for link in "$directory"/[0-9]*-link; do
      [ ! -L "$link" ] || [ "${link##*/}" = "$current" ] || printf '%s\n' "${link##*/} $(readlink "$link")"
    done
  } | awk '
    { path = substr($0, length($1) + 2) }
    $1 == "-" { kept[path]; next }
    !(path in kept) { print $1 }' | while IFS= read -r link; do
    rm -f "$directory/$link" && say removed "$link"
  done
}

# operation_trim_remnants [--dry-run]: removes, for all targets, logs of keys without a record that nobody has written to for a
# day, and records that were given up thirty days ago.
operation_trim_remnants() {
  for place in "$state"/targets/*; do
    [ -d "$place/log" ] || [ -d "$place/abandoned" ] || continue
    target=${place##*/}
    check_names "$target"
    hold_mutex "$target"
    [ ! -d "$place/log" ] || {
      for record in "$place"/active/*/*:*/; do
        printf '%s\n' "record ${record%/}"
      done
      find "$place/log" -type f -name '*:*.*' -mtime +0 | sed 's/^/log /'
    } | without_records | trim_logs "$@"
    [ ! -d "$place/abandoned" ] || find "$place/abandoned" -mindepth 2 -maxdepth 2 -type d -mtime +29 | trim_given_up "$@"
    rm -f "$release"
    release=
  done
}

# without_records: of lines `record PATH` and then `log PATH`, the paths of the logs of keys that have no record.
without_records() {
  awk '
    { key = $0; sub(/.*\//, "", key) }
    $1 == "record" { sub(/.*:/, "", key); recorded[key]; next }
    { sub(/[.][123]$/, "", key); sub(/[.][^.]*$/, "", key); sub(/.*:/, "", key) }
    !(key in recorded) { print substr($0, 5) }'
}

# trim_logs [--dry-run] < LOGS: removes logs of $target. An activity may just have begun to write to one, which is then no longer old.
trim_logs() {
  while IFS= read -r log; do
    size=$(wc -c <"$log") || continue
    [ "${1-}" = --dry-run ] || find "$log" -mtime +0 -exec rm -f {} +
    say log "$((size))" "$(printf '%s' "$log" | hexadecimal)"
  done
}

# trim_given_up [--dry-run] < DIRECTORIES: removes records that were given up.
trim_given_up() {
  while IFS= read -r kept; do
    size=$(cat "$kept"/*/* 2>/dev/null | wc -c)
    [ "${1-}" = --dry-run ] || rm -rf "$kept"
    say given-up "$((size))" "$(printf '%s' "$kept" | hexadecimal)"
  done
}

# operation_nix_collect [--dry-run]: has Nix collect its garbage; returns the line in which Nix reports how much.
operation_nix_collect() {
  find_nix
  command -v nix-collect-garbage >/dev/null 2>&1 || fail nix-missing "there is no program 'nix-collect-garbage'"
  output=$(nix-collect-garbage "$@" 2>&1) || fail nix-failed "$output"
  say result "$(printf '%s' "$output" | tail -n 1 | hexadecimal)"
}

let_go() {
  [ -z "$release_store" ] || rm -f "$release_store"
  release_store=
}
