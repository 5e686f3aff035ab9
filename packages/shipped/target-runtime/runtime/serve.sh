# The helper: reads requests `ID OPERATION FIELD...`, one in a line, and answers each on standard output with lines `ID + WORDS`,
# then `ID =` or `ID ! CODE MESSAGE-IN-HEXADECIMAL`. Activities end later, with `done ID STATUS` on standard error. The first
# request for an operation may be `define BYTES ID OPERATION FIELD...`; so many bytes follow, which define what the operation needs.

# serve MARKER OPERATION...: prints the line MARKER, which separates its output from that of the login shell, and answers requests
# for these operations.
serve() {
  user=$(id -u) mark='' asked=''
  find_state
  process_identity "$$"
  self=$identity resolved=' ' newly_resolved=
  setsid=$(command -v setsid) || setsid=setsid
  exec 3>&1 4>&2
  printf '\n%s\n' "$1" >&3
  shift
  operations=" $* "
  set -f
  while IFS= read -r request; do
    case $request in
      'define '*) define || break ;;
    esac
    IFS=' '
    # shellcheck disable=SC2086
    set -- $request
    unset IFS
    [ $# -lt 2 ] || answer "$@"
  done
  [ ! -f "$asked" ] || rm -f "$asked"
}

# define: takes the functions that follow $request, if they have come as a whole. The shell would read them byte by byte; a utility may read
# more, so nothing follows until this request is answered.
define() {
  request=${request#* }
  definitions=$(head -c "${request%% *}")
  request=${request#* }
  case $definitions in
    *"$newline# end") eval "$definitions" ;;
    *) return 1 ;;
  esac
}

# Status of an operation that goes on in another process, which says `davit:begun` on standard error, or fails.
pending=9

answer() {
  id=$1
  operation=$2
  shift 2
  case $operations in
    *" $operation "*) ;;
    *) operation=unknown ;;
  esac
  # These operations write the file, which is removed when this helper ends.
  case :$operation in
    :native_missing | :native_closure) [ $# = 0 ] || asked=${1%/*}/asked/$self ;;
  esac
  # For those that need it, so that it is found only once: each operation has a shell of its own.
  case $mark:$operation in
    :start | :look | :set_profile | :protect | :native_*) find_mark ;;
  esac
  errors=$( (perform "$@") 2>&1 >&3)
  case $?:$errors in
    0:*) ;;
    "$pending":*davit:begun*) resolved=$resolved${errors##*davit:begun} ;;
    *)
      refuse_request
      return
      ;;
  esac
  printf '%s =\n' "$id" >&3
}

# refuse_request: answers with $errors, which `fail` has printed, or a utility.
refuse_request() {
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
  trap '[ -z "$release$release_store" ] || rm -f ${release:+"$release"} ${release_store:+"$release_store"}' EXIT
  "operation_$operation" "$@"
}

operation_unknown() {
  fail bad-request 'unknown operation'
}

# say WORD...: prints a line of the answer.
say() {
  printf '%s + %s\n' "$id" "$*"
}

# operation_hello: facts about the machine, and utilities that it lacks. Who can change the state has davit do anything, so nothing is done
# then; to find out what is wrong, it is not refused.
operation_hello() {
  find_open
  case $open:$operations in
    :* | *' condition '*) ;;
    *) fail not-private "others may change '$open': chown or 'chmod go-w' it" ;;
  esac
  for utility in cat chmod date dd env find head id ln ls mkdir mkfifo mv od readlink rm setsid sleep sync tail tar tee tr uname; do
    command -v "$utility" >/dev/null 2>&1 || say missing "$utility"
  done
  for utility in cksum sha256sum; do
    command -v "$utility" >/dev/null 2>&1 && say checksum "$utility"
  done
  for utility in zstd gzip; do
    command -v "$utility" >/dev/null 2>&1 && say compressor "$utility"
  done
  say helper "$self"
  [ -z "${fleeting-}" ] || say fleeting "$fleeting"
  say user "$user"
  say kernel "$(uname -sm)"
  say boot "$boot"
  # Linux containers may share everything else: host name, boot, user and directory.
  # shellcheck disable=SC2046
  say place "$(printf '%s:' $(ls -diL /proc/self/ns/pid / 2>/dev/null))"
  case $state in
    [!/]* | *[!A-Za-z0-9_.+/-]*) say state "$(printf '%s' "$state" | hexadecimal)" ;;
    *) say state "$state" ;;
  esac
}

# find_state: sets $state, the directory with the state of this user's targets.
find_state() {
  if [ -n "${DAVIT_STATE_DIR:-}" ]; then
    state=$DAVIT_STATE_DIR
  elif [ "$user" = 0 ]; then
    state=/var/lib/davit
  else
    state=${XDG_STATE_HOME:-$HOME/.local/state}/davit
  fi
  # A machine that is reached through a client executable has its own place on this one.
  [ -z "$client_place" ] || state=$state/clients/$client_place
}

# find_open: sets $open to what others may change on the way to the state, empty if nothing.
find_open() {
  set --
  for way in "$state" "$(readlink -f "$state")"; do
    while [ "${way%/*}" != "$way" ]; do
      set -- "$way" "$@"
      way=${way%/*}
    done
  done
  open=$(find "$@" -prune \( ! -user 0 ! -user "$user" -o \
    ! -type l ! -perm -1000 \( -perm -002 -o -perm -020 ! -group "$(id -g)" \) \) 2>/dev/null)
  open=${open%%"$newline"*}
}

# hold_mutex TARGET: until the operation ends, nobody else changes what belongs to the target.
hold_mutex() {
  make_directory "$state/targets/$1"
  claim_in_turn "$state/targets/$1/mutex" "$self" || cannot 'write below' "$state/targets/$1"
  release="$state/targets/$1/mutex"
}
