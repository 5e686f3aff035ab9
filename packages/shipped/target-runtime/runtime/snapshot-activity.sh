# Starts activities that concern the state of a component, and waits for them. The runner itself is in snapshot-runner.sh.

# operation_start_state TARGET PROFILE TOKEN ACTIVITY SECONDS CONTAINER COMPONENT KEY REQUEST COMPRESSOR SNAPSHOT [-aside NAME] [-secret NAME WORD]... [FIELD WORD]...:
# without a lock if TOKEN is `-`. The fields are those of a record. REQUEST is new; `await_state` finds the activity by it. SNAPSHOT is the one to
# restore or to verify, or `-` for the latest; for the activity `snapshot`, `any` means of whatever is there, `replaced` the same before it is
# replaced, and `-` only of what davit has activated. With -aside, what is verified is in the store `verifying/NAME`, and is removed at the end.
operation_start_state() {
  umask 077
  target=$1 profile=$2 token=$3 activity=$4 seconds=$5
  check_names "$1" "$2" "$4" "$6" "$8" "$9"
  check_component "$7"
  snapshots=$state/targets/$1/dysnomia
  mapping_directory "$1" "$2" "$6" "$8"
  mapping=$directory
  state_directory "$1" "$6" "$7"
  container=$6 component=$7 request=$9
  shift 9
  compressor=$1 wanted=$2
  shift 2
  if [ "${1-}" = -aside ]; then
    check_names "$2"
    snapshots=$state/targets/$target/verifying/$2/dysnomia
    shift 2
  fi
  secrets=
  while [ "${1-}" = -secret ]; do
    secrets="${secrets}1 $2 $3$newline"
    shift 3
  done
  [ "$wanted" = - ] || check_component "$wanted"
  spawn begin_state "$@"
}

# check_component NAME...: refuses all but names of packages, since names become parts of paths.
check_component() {
  for name in "$@"; do
    case $name in
      '' | [.-]* | *[!A-Za-z0-9_.+?=-]*) fail bad-request "invalid name '$name'" ;;
    esac
  done
}

# state_directory TARGET CONTAINER COMPONENT: sets $directory.
state_directory() {
  directory=$2:$3
  [ "${#directory}" -le 200 ] || directory=$(printf %.200s "$directory")
  directory=$state/targets/$1/busy/$directory
}

begin_state() {
  stage=
  trap abandon_state EXIT
  for utility in awk cmp cp diff grep paste sed sha256sum sort stat wc xargs; do
    command -v "$utility" >/dev/null || fail utility-missing "'$utility' is necessary for the state of services; install it here"
  done
  [ "$activity:$wanted" != snapshot:- ] || has_state || fail no-state "nothing of it is here"
  own_identity || exit 3
  runner=$identity
  for path in "${directory#"$state/targets/$target/"}" "log/$profile" run log/services dysnomia; do
    make_directory "$state/targets/$target/$path"
  done
  claim "$directory/running" "$runner" || {
    [ "$?" = 1 ] || cannot 'write below' "$directory"
    refuse_busy
  }
  stage=claimed
  # Who takes the lock later sees the claim.
  [ "$token" = - ] || check_lock "$target" "$profile" "$token"
  # After the death of a helper, nothing begins unnoticed.
  is_alive "$self" || exit 3
  ! is_claimed "$directory/module" || refuse_busy
  rm -f "$directory/status" "$directory/module"
  compose_record "$@"
  write_text "$directory/record" "$record" && write_text "$directory/activity" "$activity $request$newline" ||
    cannot 'write below' "$directory"
  become_runner run_state "$runner" "$seconds" "$snapshots" "$container" "$component" "$request" "$compressor" "$wanted" "$mapping"
}

# has_state: whether davit has ever activated the service here, and not deleted its state since.
has_state() {
  [ -d "$mapping" ] || [ -f "$snapshots/activated/$container/$component" ] || [ -f "$snapshots/garbage/$container/$component" ]
}

refuse_busy() {
  fail already-running "another activity that concerns the state of '$component' in '$container' is still running"
}

# abandon_state: cleans up after an activity that could not begin, and keeps its end from being reported.
abandon_state() {
  [ -z "$stage" ] || rm -f "$directory/running"
  kill -KILL "$waiter"
}

# operation_discard_aside TARGET NAME: removes a store whose snapshot was not verified.
operation_discard_aside() {
  check_names "$1" "$2"
  rm -rf "$state/targets/$1/verifying/$2" 2>/dev/null || remove_tree "$state/targets/$1/verifying/$2"
}

# operation_await_state TARGET CONTAINER COMPONENT REQUEST: `done ID STATUS` when the activity with this request has ended, 256 if it
# never began.
operation_await_state() {
  check_names "$1" "$2" "$4"
  check_component "$3"
  state_directory "$1" "$2" "$3"
  request=$4
  (
    trap - EXIT
    exec >/dev/null 2>&1 3>&-
    while is_running "$directory"; do
      pause
    done
    first_line "$directory/status"
    case $line in
      "$request "*[!0-9]* | "$request ") status=255 ;;
      "$request "*) status=${line##* } ;;
      *)
        first_line "$directory/activity"
        if [ "${line##* }" = "$request" ]; then status=255; else status=256; fi
        ;;
    esac
    printf 'done %s %s\n' "$id" "$status" >&4
  ) &
}

# operation_state_marks TARGET CONTAINER COMPONENT: whether the state is in use (`activated`), or may be deleted (`garbage`), and the record
# of the activity that used it last; of which snapshot it is all, and from which ones it has come.
operation_state_marks() {
  check_names "$1" "$2"
  check_component "$3"
  for mark in activated garbage; do
    [ -f "$state/targets/$1/dysnomia/$mark/$2/$3" ] || continue
    say mark "$mark"
    while IFS= read -r line; do
      say "field $line"
    done <"$state/targets/$1/dysnomia/$mark/$2/$3"
  done
  for kind in saved restored; do
    [ -f "$state/targets/$1/dysnomia/$kind/$2/$3" ] || continue
    while IFS= read -r line; do
      case $line in
        '' | *[!A-Za-z0-9_.+?=-]*) ;;
        *) say "$kind" "$line" ;;
      esac
    done <"$state/targets/$1/dysnomia/$kind/$2/$3"
  done
}
