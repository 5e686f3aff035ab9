# The helper: reads requests `ID OPERATION FIELD...`, one in a line, and answers each on standard output with lines `ID + WORDS`,
# then `ID =` or `ID ! CODE MESSAGE-IN-HEXADECIMAL`. Activities end later, with `done ID STATUS` on standard error.

# serve MARKER OPERATION...: prints the line MARKER, which separates its output from that of the login shell, and answers requests
# for these operations.
serve() {
  state=$(state_directory)
  mark=$(state_mark)
  process_identity "$$"
  self=$identity asked=
  exec 3>&1 4>&2
  printf '\n%s\n' "$1" >&3
  shift
  operations=" $* "
  set -f
  while IFS= read -r request; do
    IFS=' '
    # shellcheck disable=SC2086
    set -- $request
    unset IFS
    [ $# -lt 2 ] || answer "$@"
  done
  [ -z "$asked" ] || rm -f "$asked"
}

answer() {
  id=$1
  operation=$2
  shift 2
  case $operations in
    *" $operation "*) ;;
    *) operation=unknown ;;
  esac
  # This operation writes the file, which is removed when this helper ends.
  [ "$operation" != native_missing ] || [ $# = 0 ] || asked=${1%/*}/asked/$self
  if errors=$( (perform "$@") 2>&1 >&3); then
    printf '%s =\n' "$id" >&3
    return
  fi
  code=failed message=$errors
  case $errors in
    *davit:*"$newline"*)
      message=${errors##*davit:}
      code=${message%%"$newline"*}
      message="${message#*"$newline"}$newline${errors%%davit:*}"
      ;;
  esac
  printf '%s ! %s %s\n' "$id" "$code" "$(printf '%s' "$message" | head -c 4000 | hexadecimal)" >&3
}

# perform [FIELD]...: carries out $operation, and releases its claims however it ends.
perform() {
  set +f
  release='' release_store=
  trap 'for held in "$release" "$release_store"; do [ -z "$held" ] || rm -f "$held"; done' EXIT
  "operation_$operation" "$@"
}

operation_unknown() {
  fail bad-request 'unknown operation'
}

# say WORD...: prints a line of the answer.
say() {
  printf '%s + %s\n' "$id" "$*"
}

# operation_hello: facts about the machine, and utilities that it lacks.
operation_hello() {
  for utility in cat chmod date dd env find head id ln ls mkdir mkfifo mv od readlink rm setsid sleep sync tail tar tee tr uname; do
    command -v "$utility" >/dev/null 2>&1 || say missing "$utility"
  done
  for utility in cksum sha256sum; do
    command -v "$utility" >/dev/null 2>&1 && say checksum "$utility"
  done
  say helper "$self"
  say user "$(id -u)"
  say kernel "$(uname -s)" "$(uname -m)"
  say boot "$(boot_id)"
  # Linux containers may share everything else: host name, boot, user and directory.
  say place "$(readlink /proc/self/ns/pid)$(ls -di / | tr -d ' ')"
  say state "$(printf '%s' "$state" | hexadecimal)"
}

# state_directory: prints the directory with the state of this user's targets.
state_directory() {
  if [ -n "${DAVIT_STATE_DIR:-}" ]; then
    printf '%s' "$DAVIT_STATE_DIR"
  elif [ "$(id -u)" = 0 ]; then
    printf /var/lib/davit
  else
    printf '%s' "${XDG_STATE_HOME:-$HOME/.local/state}/davit"
  fi
}

# hold_mutex TARGET: until the operation ends, nobody else changes what belongs to the target.
hold_mutex() {
  make_directory "$state/targets/$1"
  claim_in_turn "$state/targets/$1/mutex" "$self" || cannot 'write below' "$state/targets/$1"
  release="$state/targets/$1/mutex"
}
