# Shells and commands in the environment of a service, as its module gets it.

# client_diagnose STATE TARGET PROFILE CONTAINER KEY MODULE RECORD WORD...: runs a command; a single word is a command line. Secrets follow on
# standard input; its end shows that nobody waits any longer, and ends the command. Of a service without a record, MODULE and RECORD are what that would have.
client_diagnose() {
  find_diagnosis "$@"
  shift 7
  if [ $# = 1 ]; then
    command="exec sh -c $(quoted "$1")"
  else
    command='exec'
    for word in "$@"; do
      command="$command $(quoted "$word")"
    done
  fi
  printf '%s.\n' "$secrets" | become_detached "$command" &
  group=$!
  watch_input end_unwanted "$group"
  wait "$group"
  status=$?
  kill "$watcher" 2>/dev/null
  # The last line of what it says may have no end.
  echo >&2
  exit "$status"
}

# client_prepare_diagnosis STATE TARGET PROFILE CONTAINER KEY MODULE RECORD: see `leave_start`.
client_prepare_diagnosis() {
  find_diagnosis "$@"
  module=$(module_in "$directory/record")
  exported=$(printf '%s.\n' "$secrets" | become_detached '')
  [ -z "$made" ] || rm -rf "$made"
  made=
  [ -n "$exported" ] || fail bad-record "the record '$directory/record' is damaged"
  leave_start print_diagnosis
}

# find_diagnosis STATE TARGET PROFILE CONTAINER KEY MODULE RECORD...: sets $directory to that of the record, and makes one if there is none.
find_diagnosis() {
  read_secrets
  umask 077
  state=$1 target=$2 profile=$3 resolved=' ' newly_resolved='' client_place='' made=''
  mapping_directory "$2" "$3" "$4" "$5"
  setsid=$(command -v setsid) || setsid=setsid
  [ ! -f "$directory/record" ] || return 0
  made=$(mktemp -d "${TMPDIR:-/tmp}/davit-record.XXXXXXXX") || exit 1
  trap '[ -z "$made" ] || rm -rf "$made"' EXIT
  trap 'exit 1' HUP INT PIPE TERM
  resolve_module "$6"
  directory=$made
  printf 'module %s\n%s\n' "$module" "$7" >"$directory/record" || exit 1
}

# become_detached COMMAND: with secrets on standard input.
become_detached() {
  trap - EXIT
  exec env -i PATH="$PATH" HOME="${HOME:-/}" USER="${USER:-}" davit_runtime="$detached" setsid sh -c \
    'eval "$davit_runtime"; unset davit_runtime; run "$@"' davit-diagnosis "$state" "$target" "$profile" shell "$directory" "$setsid" \
    run_diagnosis "$1"
}

# print_diagnosis: prints what a shell evaluates before it becomes interactive.
print_diagnosis() {
  printf '%s\n' "$exported" | grep -v -e '^export PWD=' -e '^export OLDPWD=' -e '^export SHLVL=' -e '^export _='
  cat <<'end'
cd "$DAVIT_PACKAGE" 2>/dev/null || cd "${DAVIT_PACKAGE%/*}"
printf '%s\n' "$DAVIT_SERVICE in $DAVIT_CONTAINER on $DAVIT_TARGET: properties of the container are variables, and" \
  "  DAVIT_PACKAGE   $DAVIT_PACKAGE" "  DAVIT_MODULE    $DAVIT_MODULE" "  DAVIT_RUN_DIR   $DAVIT_RUN_DIR" \
  "  DAVIT_LOG_DIR   $DAVIT_LOG_DIR (services), ${DAVIT_LOG_DIR%/*}/$DAVIT_PROFILE (activities)" >&2
end
  if is_of_dysnomia "$module"; then
    printf '"$DAVIT_MODULE" shell "$DAVIT_PACKAGE" "$DAVIT_CONTAINER" </dev/null >&2 || :\n'
  fi
}

# module_in RECORD: prints the path of its module.
module_in() {
  while IFS=' ' read -r field word || [ -n "$field" ]; do
    [ "$field" != module ] || { decode "$word" && printf '%s\n' "$decoded"; }
  done <"$1"
}
