# Activities. A mapping has a directory `targets/TARGET/active/PROFILE/CONTAINER:KEY` with
#   record   what is needed to run any activity of it: a line `FIELD WORD` each, words for printf %b; container properties are `property.NAME`
#   state    activating (also when absent), active, deactivating
#   running  claim of who runs an activity of it
#   status   `ACTIVITY STATUS` of the last one that ended, unless the state says it

# mapping_directory TARGET PROFILE CONTAINER KEY; a file name has at most 255 bytes, and something is added to it for logs.
mapping_directory() {
  check_names "$@"
  directory=$state/targets/$1/active/$2/$3:$4
  [ "${#3}" -le 150 ] || directory=$state/targets/$1/active/$2/$(printf '%.150s~%s' "$3" "${#3}"):$4
}

# operation_start TARGET PROFILE TOKEN ACTIVITY CONTAINER KEY [FIELD WORD]...
operation_start() {
  umask 077
  target=$1 profile=$2 activity=$4
  mapping_directory "$1" "$2" "$5" "$6"
  check_names "$activity"
  hold_mutex "$target"
  check_lock "$target" "$profile" "$3"
  shift 6
  if [ $# = 0 ] && [ ! -f "$directory/record" ]; then
    without_record
  else
    prepare_activity "$@"
    spawn_activity
  fi
}

# Where there is no record nothing was begun, so that there is nothing to undo.
without_record() {
  [ "$activity" = deactivate ] || fail no-record "there is no record of it"
  rm -rf "$directory"
  printf 'done %s 0\n' "$id" >&4
}

# prepare_activity [FIELD WORD]...: the intention is written down before anything happens.
prepare_activity() {
  private_directory "$directory" && private_directory "$state/targets/$target/log/$profile" &&
    mkdir -p "$state/targets/$target/run" "$state/targets/$target/log/services" ||
    fail cannot-create "cannot create the directories of target '$target' below '$state'"
  ! is_running "$directory" || fail already-running "an activity of it is still running"
  claim "$directory/running" "$self" || case $? in
    1) fail already-running "an activity of it is still running" ;;
    *) fail cannot-create "cannot write below '$directory'" ;;
  esac
  trap 'abandon_activity' EXIT
  rm -f "$directory/status" "$directory/running.handed"
  if [ "$activity" = activate ] || [ ! -f "$directory/record" ]; then
    write_record "$@" || fail cannot-create "cannot write the record below '$directory'"
  fi
  case $activity in
    activate) printf 'activating\n' | replace_file "$directory/state" ;;
    deactivate) printf 'deactivating\n' | replace_file "$directory/state" ;;
  esac || fail cannot-create "cannot write the state below '$directory'"
}

# abandon_activity: before it was begun.
abandon_activity() {
  rm -f "$directory/running" "$release"
  [ -f "$directory/record" ] || rm -rf "$directory"
}

write_record() {
  while [ $# -ge 2 ]; do
    if [ "$1" = module ]; then
      decode "$2"
      resolve_module "$decoded"
      printf 'module %s\n' "$module" || return 1
    else
      printf '%s %s\n' "$1" "$2" || return 1
    fi
    shift 2
  done >"$directory/record.new" &&
    printf 'boot %s\n' "$(boot_id)" >>"$directory/record.new" &&
    sync "$directory/record.new" && mv -f "$directory/record.new" "$directory/record"
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

# spawn_activity: detached from this helper, so that a lost connection loses nothing. The environment is the runtime's own, with nothing of the login's.
spawn_activity() {
  log=$state/targets/$target/log/$profile/${directory##*/}.$activity
  (
    trap - EXIT
    env -i PATH="$PATH" HOME="${HOME:-/}" USER="${USER:-}" davit_runtime="$runtime" setsid sh -c \
      'eval "$davit_runtime"; unset davit_runtime; run_activity "$@"' davit-activity "$state" "$target" "$profile" "$activity" "$directory" "$self" \
      </dev/null >"$log" 2>&1 3>&- 4>&- &
    runner=$!
    exec >/dev/null 2>&1 3>&-
    wait "$runner"
    status=$?
    # A runner that could not even start has not taken over the claim.
    [ "$status" = 0 ] || [ "$(readlink "$directory/running")" != "$self" ] || rm -f "$directory/running"
    printf 'done %s %s\n' "$id" "$status" >&4
  ) &
  trap 'rm -f "$release"' EXIT
}

# run_activity STATE TARGET PROFILE ACTIVITY DIRECTORY HELPER: the runner; it alone says how the activity ended.
run_activity() {
  trap '' HUP
  davit_state=$1 davit_target=$2 davit_profile=$3 davit_activity=$4 davit_directory=$5
  take_over_claim "$davit_directory/running" "$6" || exit 254
  call_module
  davit_status=$?
  case $davit_status:$davit_activity in
    0:activate) printf 'active\n' | replace_file "$davit_directory/state" || davit_status=253 ;;
    0:deactivate) remove_mapping "$davit_directory" && exit 0 || davit_status=253 ;;
    *) printf '%s %s\n' "$davit_activity" "$davit_status" >"$davit_directory/status" || : ;;
  esac
  rm -f "$davit_directory/running"
  exit "$davit_status"
}

# remove_mapping DIRECTORY: in one step; what is left of it after a crash is not looked at, and removed with the next observation.
remove_mapping() {
  gone=${1%/*}/.gone.${1##*/}
  rm -rf "$gone"
  mv "$1" "$gone" || return 1
  rm -rf "$gone" || :
}

# is_running DIRECTORY: a dead helper's claim may just be on its way to the runner that it has started: looked at twice.
is_running() {
  ! is_claimed "$1/running" || return 0
  [ -L "$1/running" ] || [ -L "$1/running.handed" ] || return 1
  sleep 1
  is_claimed "$1/running"
}

# take_over_claim LINK HELPER: from the helper. Whoever found the helper dead in between may have been faster: then nothing is run.
take_over_claim() {
  process_identity "$$"
  [ "$(readlink "$1")" = "$2" ] && mv "$1" "$1.handed" && [ "$(readlink "$1.handed")" = "$2" ] && rm -f "$1.handed" && ln -s "$identity" "$1"
}

# call_module: in a subshell, so that properties are variables of the module and of nothing else. Its own variables have names
# that no property has: an assignment would change what the module is given.
call_module() (
  cd / || exit 253
  umask 022
  davit_module='' davit_package='' davit_container=''
  while IFS=' ' read -r davit_field davit_word; do
    davit_text=$(printf '%b.' "$davit_word")
    davit_text=${davit_text%.}
    case $davit_field in
      module) davit_module=$davit_text ;;
      pkg) davit_package=$davit_text ;;
      container) davit_container=$davit_text ;;
      name) export DAVIT_SERVICE="$davit_text" ;;
      service) export DAVIT_KEY="$davit_text" ;;
      property.*[!A-Za-z0-9_]* | property.[0-9]* | property. | property.PATH | property.IFS | property.LD_* | property.davit_*) ;;
      property.*) export "${davit_field#property.}=$davit_text" ;;
    esac
  done <"$davit_directory/record"
  unset davit_word davit_text
  export DAVIT_TARGET="$davit_target" DAVIT_PROFILE="$davit_profile" DAVIT_STATE_DIR="$davit_state"
  export DAVIT_RUN_DIR="$davit_state/targets/$davit_target/run" DAVIT_LOG_DIR="$davit_state/targets/$davit_target/log/services"
  export DYSNOMIA_STATEDIR="$davit_state/targets/$davit_target/dysnomia"
  if [ -f "$davit_module.activities" ] && ! (answers_activity "$davit_module.activities" "$davit_activity"); then
    exit 0
  fi
  exec "$davit_module" "$davit_activity" "$davit_package" "$davit_container"
)

# answers_activity FILE ACTIVITY: a module with such a file is asked for nothing else.
answers_activity() {
  while IFS= read -r line || [ -n "$line" ]; do
    [ "$line" = "$2" ] && return 0
  done <"$1"
  return 1
}

# operation_await TARGET PROFILE ACTIVITY CONTAINER KEY: `done ID STATUS` when what runs there has ended; 0 only if the activity reached what it is for.
operation_await() {
  activity=$3
  mapping_directory "$1" "$2" "$4" "$5"
  (
    exec >/dev/null 2>&1 3>&-
    while is_running "$directory"; do
      pause
    done
    printf 'done %s %s\n' "$id" "$(ended_status)" >&4
  ) &
}

ended_status() {
  first_line "$directory/state"
  [ "$activity:$line" != activate:active ] || line='activate 0'
  [ "$activity" != deactivate ] || [ -d "$directory" ] || line='deactivate 0'
  [ "${line##* }" = 0 ] || first_line "$directory/status"
  case $line in
    "$activity "*[!0-9]* | "$activity ") line=255 ;;
    "$activity "*) line=${line##* } ;;
    *) line=255 ;;
  esac
  printf '%s' "$line"
}

# operation_log TARGET PROFILE ACTIVITY CONTAINER KEY BYTES: the end of what the activity printed.
operation_log() {
  check_names "$3"
  mapping_directory "$1" "$2" "$4" "$5"
  log=$state/targets/$1/log/$2/${directory##*/}.$3
  if [ -f "$log" ]; then
    say log "$(tail -c "$6" "$log" | hexadecimal)"
  fi
}

# operation_observe PROFILE: every mapping of the profile, of all targets that are this machine.
operation_observe() {
  check_names "$1"
  rm -rf "$state"/targets/*/active/"$1"/.gone.*
  for directory in "$state"/targets/*/active/"$1"/*:*; do
    [ -f "$directory/record" ] || continue
    target=${directory#"$state"/targets/}
    running=ended
    ! is_running "$directory" || running=running
    first_line "$directory/state"
    case $line in
      active | deactivating) ;;
      *) line=activating ;;
    esac
    say mapping "${target%%/*}" "$line" "$running" "${directory##*:}"
    while IFS= read -r line; do
      say "field $line"
    done 2>/dev/null <"$directory/record" || :
  done
}
