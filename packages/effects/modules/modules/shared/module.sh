# What the modules of davit share. A module sets `module` to its name before it includes this part.
# Called as MODULE ACTIVITY COMPONENT [CONTAINER]; container properties are variables of the environment.

set -u

# fail MESSAGE: ends the activity; messages of programs that failed are printed before it.
fail() {
  printf '%s\n' "$module: $*" >&2
  exit 1
}

# complain MESSAGE: says what went wrong, and leaves it to the caller to end the activity.
complain() {
  printf '%s\n' "$module: $*" >&2
}

# component_name: prints the name of the component, which is that of its state: the last part of its path, without the hash.
component_name() {
  davit_component_name=${component%/}
  davit_component_name=${davit_component_name##*/}
  davit_component_hash=${davit_component_name%%-*}
  case ${#davit_component_hash}:$davit_component_hash in
    32:*[!0-9a-z]*) ;;
    32:*) davit_component_name=${davit_component_name#*-} ;;
  esac
  printf '%s\n' "$davit_component_name"
}

# is_in_use: whether davit has activated the component, so that its state must be there.
is_in_use() {
  [ -e "${DYSNOMIA_STATEDIR:-}/activated/$container/$(component_name)" ]
}

# call ACTIVITY [COMPONENT [CONTAINER]]: sets $component (absolute) and $container, and calls the function of the activity; `-` in
# its name is `_`. Activities without a function do nothing.
call() {
  case ${2-} in
    '') fail "usage: ${0##*/} ACTIVITY COMPONENT [CONTAINER]" ;;
    /*) component=$2 ;;
    *) component=$PWD/$2 ;;
  esac
  container=${3:-$module}
  container=${container##*/}
  case $1 in
    *[!a-z-]* | '') fail "'$1' is not an activity" ;;
  esac
  davit_function=$(printf 'activity_%s' "$1" | tr - _)
  ! command -v "$davit_function" >/dev/null || "$davit_function"
}

# within SECONDS COMMAND...: repeats a command until it succeeds; fails when the time is over, however long the command takes.
within() {
  davit_deadline=$(($(date +%s) + $1))
  shift
  until "$@"; do
    [ "$(date +%s)" -lt "$davit_deadline" ] || return 1
    sleep 0.1 2>/dev/null || sleep 1
  done
}

# each_line LINES COMMAND...: calls it with each line that is not empty as one more argument, until it fails.
each_line() {
  davit_lines=$1
  shift
  while IFS= read -r davit_each; do
    [ -z "$davit_each" ] || "$@" "$davit_each" </dev/null || return
  done <<end
$davit_lines
end
}

# take_snapshot_from DIRECTORY: for the activity `snapshot`: the directory as a whole is the state; it is read where it lies.
take_snapshot_from() {
  ln -s "$1" "$DAVIT_SNAPSHOT/state" || exit 1
}
