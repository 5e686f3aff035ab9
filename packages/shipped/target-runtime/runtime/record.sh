# Records. A mapping has a directory `targets/TARGET/active/PROFILE/CONTAINER:KEY` (the last part cut to 240 characters) with
#   record   what its activities need: lines `FIELD WORD`, with words for printf %b; container properties are `property.NAME`
#   state    first line: a word that `is_state` accepts; activating if absent. The second line makes all states equally long
#   running  claim of the runner of its activity
#   activity name of the activity that runs or was cut off; the latter only unless state or status show that it ended. Written after
#            the state and removed after the outcome: alone, it proves nothing. Earlier versions, and full disks, have none.
#   module   claim of the module that the runner or the asker called, which may outlive it
#   restored once the snapshot that the record names was restored
#   status   `ACTIVITY STATUS` of the last activity that ended, unless the state shows it
# The log of an activity is `log/PROFILE/CONTAINER:KEY.ACTIVITY`. Of a long one, that has only the beginning, `….1` how much is left out,
# and `….2` and `….3` the end.

# mapping_directory TARGET PROFILE CONTAINER KEY: sets $directory. A file name has at most 255 bytes, and logs append to it. Even
# with the longest container, the rest of the key still identifies one service.
mapping_directory() {
  check_names "$@"
  directory=$3:$4
  [ "${#directory}" -le 240 ] || directory=$(printf %.240s "$directory")
  directory=$state/targets/$1/active/$2/$directory
  # Older versions shortened long containers in this way.
  [ "${#3}" -le 150 ] || [ ! -d "${directory%/*}/$(printf '%.150s~%s' "$3" "${#3}"):$4" ] ||
    directory=${directory%/*}/$(printf '%.150s~%s' "$3" "${#3}"):$4
}

# is_complete RECORD: whether it has what is needed to call the module.
is_complete() {
  [ -f "$1" ] || return 1
  facts=
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      'module /'*) facts=${facts}m ;;
      'pkg /'*) facts=${facts}p ;;
      'container '?*) facts=${facts}c ;;
    esac
  done <"$1"
  [ "${#facts}" = 3 ]
}

# compose_record [FIELD WORD]...: sets $record to its text.
compose_record() {
  [ $# -gt 0 ] || fail bad-record "the record '$directory/record' is incomplete: its module cannot be called"
  record=
  while [ $# -ge 2 ]; do
    word=$2
    if [ "$1" = module ]; then
      decode "$2"
      resolve_module "$decoded"
      word=$module
    fi
    record="$record$1 $word$newline"
    shift 2
  done
  record="${record}boot $boot$newline"
}

# resolve_module PATH: sets $module. The path is a module, or the package of a container provider with exactly one module; in
# PACKAGE//MODULE, the module counts if the package has none. `dysnomia:TYPE`, and a module that declares `of-dysnomia`, stand for the
# module of that name that Dysnomia has on this machine.
resolve_module() {
  # Only helpers for such machines have that function.
  [ -z "$client_place" ] || {
    "${client_place:+client_module}" "$1"
    return
  }
  case $1 in
    *//*) if [ -d "${1%%//*}/libexec/dysnomia" ]; then set -- "${1%%//*}"; else set -- "/${1#*//}"; fi ;;
  esac
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
  case $resolved in
    *" $module|"*)
      module=${resolved#*" $module|"}
      module=${module%% *}
      ;;
    *)
      reference=$module
      case $module in
        dysnomia:*) find_of_dysnomia "${module#*:}" ;;
        *)
          module=$(readlink -f "$module") || module=
          [ ! -f "$module.activities" ] || ! has_line "$module.activities" of-dysnomia || find_of_dysnomia "${module##*/}"
          ;;
      esac
      newly_resolved=" $reference|$module "
      case $reference in
        *[!A-Za-z0-9_.+?=/-]*) newly_resolved= ;;
      esac
      ;;
  esac
  [ -n "$module" ] && [ -f "$module" ] && [ -x "$module" ] || fail no-module "there is no module '${1#"$state"/}'"
  check_store_paths "$module"
}

# find_of_dysnomia TYPE: sets $module, empty if the name is none.
find_of_dysnomia() {
  program=$(command -v dysnomia) && program=$(readlink -f "$program") || program=
  rest=${DYSNOMIA_MODULES_PATH-}:/etc/dysnomia/modules:${program:+"${program%/*/*}/libexec/dysnomia:"}
  rest=$rest/usr/local/libexec/dysnomia:/usr/libexec/dysnomia:
  while [ -n "$rest" ]; do
    module=${rest%%:*}/$1 rest=${rest#*:}
    case $module in
      */*/../* | [!/]*) continue ;;
    esac
    [ ! -f "$module" ] || [ ! -x "$module" ] || {
      module=$(readlink -f "$module")
      return
    }
  done
  fail no-module "Dysnomia has no module '$1' here"
}

# is_running DIRECTORY: also if only the module is left.
is_running() {
  is_claimed "$1/running" || is_claimed "$1/module"
}

# refuse_running: ends an operation on a service that is busy.
refuse_running() {
  fail already-running "another activity of this service is still running"
}
