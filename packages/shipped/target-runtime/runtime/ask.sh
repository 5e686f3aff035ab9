# Asks the services of a target: all of them in one request, with one detached asker, which is in asker.sh.

# operation_ask TARGET PROFILE TOKEN ACTIVITY SECONDS LANES NAME [-secret NUMBER NAME WORD]... [CONTAINER KEY]...: asks the module of each mapping, LANES at a
# time, each for SECONDS at most unless they are 0. `told ID NUMBER STATUS` for each that has answered, then `done ID 0`. The first
# mapping has the number 1, by which secrets name it. NAME is new; with it, `await_asked` finds the questions again.
operation_ask() {
  umask 077
  target=$1 profile=$2 token=$3 activity=$4 seconds=$5 lanes=$6 asking=$7
  check_names "$target" "$profile" "$activity" "$asking"
  check_lock "$target" "$profile" "$token"
  shift 7
  secrets=
  while [ "${1-}" = -secret ]; do
    secrets="$secrets$2 $3 $4$newline"
    shift 4
  done
  mappings=
  while [ $# -ge 2 ]; do
    mapping_directory "$target" "$profile" "$1" "$2"
    mappings="$mappings ${directory##*/}"
    shift 2
  done
  begin_asking "$state/targets/$target/active/$profile"
}

# begin_asking DIRECTORY [REMOVED]: asks about $mappings, whose records are in the directory, and removes one when all have answered.
begin_asking() {
  for path in "log/$profile" run log/services; do
    [ -d "$state/targets/$target/$path" ] || make_directory "$state/targets/$target/$path"
  done
  print_secrets | {
    exec 2>/dev/null 3>&- 4>&-
    # Names of mappings have neither white space nor patterns.
    # shellcheck disable=SC2086
    exec env -i PATH="$PATH" HOME="${HOME:-/}" USER="${USER:-}" davit_runtime="$detached" setsid sh -c \
      'eval "$davit_runtime"; unset davit_runtime; run "$@"' davit-asker "$state" "$target" "$profile" "$activity" \
      "$1" "$setsid" ask_services "$seconds" "$token" "$lanes" "$asking" $mappings
  } | {
    exec >/dev/null 2>&1 3>&-
    while IFS=' ' read -r number status; do
      printf 'told %s %s %s\n' "$id" "$number" "$status" >&4
    done
    [ -z "${2-}" ] || rm -rf "$2"
    printf 'done %s 0\n' "$id" >&4
  } &
}

# operation_await_asked TARGET PROFILE ACTIVITY NAME [CONTAINER KEY]...: waits for questions under a lock, and tells all answers again,
# as `ask` does; 255 stands for those that have none.
operation_await_asked() {
  target=$1 profile=$2 activity=$3 asking=$4
  check_names "$target" "$profile" "$activity" "$asking"
  shift 4
  (
    trap - EXIT
    exec >/dev/null 2>&1 3>&-
    # The asker may have just been started.
    names_questions || sleep 1
    while names_questions && is_alive "${line#* }"; do
      pause
    done
    number=0
    while [ $# -ge 2 ]; do
      number=$((number + 1)) status=255
      mapping_directory "$target" "$profile" "$1" "$2"
      # If the asker was killed, its modules may still run.
      while is_claimed "$directory/module"; do
        pause
      done
      ! names_questions || status=$(ended_status)
      printf 'told %s %s %s\n' "$id" "$number" "$status" >&4
      shift 2
    done
    printf 'done %s 0\n' "$id" >&4
  ) &
}

# names_questions: whether $asking are the last questions of the profile under a lock; $line then ends with their asker.
names_questions() {
  first_line "$state/targets/$target/active/$profile/.questions"
  [ "${line%% *}" = "$asking" ]
}
