# Calls lifecycle modules for the client interface, as deployments do: detached, one activity of a component at a time. The record of what
# is active, claims and logs are in `davit` beside the markers of Dysnomia.

# client_activity ACTIVITY TYPE CONTAINER COMPONENT: properties follow on standard input, lines `1 NAME WORD` and a point.
client_activity() {
  read_secrets
  prepare_call "$@"
  watch_input
  perform_call
}

# client_state_activity ACTIVITY TYPE CONTAINER COMPONENT: `snapshot`, `restore` or `collect-garbage`, in the same way.
client_state_activity() {
  client_activity "$@"
}

# prepare_call ACTIVITY TYPE CONTAINER COMPONENT: finds everything that is necessary to call a module.
prepare_call() {
  activity=$1
  package=$4
  case $package in
    /*) ;;
    *) package=$PWD/$package ;;
  esac
  plain_name "$package"
  component=$name nix_store=
  case $component in
    '' | [.-]* | *[!A-Za-z0-9_.+?=-]*) fail bad-request "'$4' has no name that a component can have" ;;
  esac
  [ "$activity" != activate ] || [ -e "$package" ] || fail cannot-read "there is no component '$package'"
  find_store
  make_store
  check_private "$snapshots" "$state" "$state/targets" "$state/targets/here"
  find_module "$2"
  plain_name "${3:-$2}"
  container=$name
  check_names "$activity" "$container"
  # Modules of Dysnomia take 33 characters off the names of what is in this directory.
  has_hash "${package##*/}" || nix_store=$state
  mapping=$(printf %.200s "$container:$component")
  case $activity in
    snapshot | restore | collect-garbage) directory=$state/targets/here/busy/$mapping ;;
    *) directory=$state/targets/here/active/here/$mapping ;;
  esac
  setsid=$(command -v setsid) || setsid=setsid
}

# find_module TYPE: sets $module. A path is that of a module, or of a package that provides a container; what the client has brought of its
# user comes before what Dysnomia has here, and that before what belongs to davit.
find_module() {
  case $1 in
    '') fail bad-request 'the type is empty' ;;
    /* | ./* | ../*) find_provided "$1" ;;
    *)
      check_names "$1"
      carried "$1"
      [ "$carried" = first ] && place_module "$1" || find_installed "$1" || { [ "$carried" = last ] && place_module "$1"; } ||
        fail no-module "there is no module '$1'"
      ;;
  esac
  [ -f "$module" ] || fail no-module "there is no module '$1'"
  [ -x "$module" ] || fail no-module "the module '$module' is not executable"
}

# find_provided PATH: a package has exactly one module in libexec/dysnomia.
find_provided() {
  case $1 in
    /*) module=$1 ;;
    *) module=$PWD/$1 ;;
  esac
  [ -d "$module" ] || return 0
  set -- "$module"
  module=
  for candidate in "$1"/libexec/dysnomia/*; do
    case $candidate in
      *.activities) continue ;;
    esac
    [ -f "$candidate" ] || continue
    [ -z "$module" ] || fail no-module "more than one module in '$1/libexec/dysnomia'"
    module=$candidate
  done
  [ -n "$module" ] || fail no-module "there is no module in '$1/libexec/dysnomia'"
}

# find_installed NAME: among the modules of Dysnomia on this machine.
find_installed() {
  program=$(command -v dysnomia) && program=$(readlink -f "$program") || program=
  set -- "$1" "${DYSNOMIA_MODULES_PATH:-}:/etc/dysnomia/modules:${program:+"${program%/bin/*}/libexec/dysnomia"}:"
  rest=$2
  while [ -n "$rest" ]; do
    module=${rest%%:*}/$1 rest=${rest#*:}
    case $module in
      "/$1") ;;
      /*) [ ! -f "$module" ] || [ ! -x "$module" ] || return 0 ;;
    esac
  done
  return 1
}

# check_private DIRECTORY...: refuses directories in which others may write, or that they could replace, as they could have this account run
# what they want; so that of modules too.
check_private() {
  [ ! -e "$state/modules" ] || set -- "$@" "$state/modules"
  private=$newline$(find -H "$@" -prune \( -user 0 -o -user "$user" \) ! -perm -020 ! -perm -002)$newline
  for path in "$@"; do
    case $private in
      *"$newline$path$newline"*) ;;
      *) refuse_open "$path" ;;
    esac
  done
  check_path "$state" || fail not-private "others may change '$state', from which modules are called: $davit_unsafe"
}

refuse_open() {
  fail not-private "others may change '$1', from which modules are called: it has to belong to this account, and 'chmod go-w' keeps them out"
}

# place_module NAME: writes the module that the client has brought, under a name for its content, since it may call itself for long, perhaps as
# another user.
place_module() {
  module=$state/modules/$carried_hash/$1
  for path in "${module%/*}" "$module"; do
    # shellcheck disable=SC3067
    [ ! -e "$path" ] || [ -O "$path" ] || refuse_open "$path"
  done
  [ ! -x "$module" ] || return 0
  umask 022
  make_directory "${module%/*}"
  [ -z "$carried_activities" ] || rename_text "$module.activities" "$carried_activities" || cannot write "$module.activities"
  write_text "$module.$$" "$carried_script" && chmod 755 "$module.$$" && mv -f "$module.$$" "$module" || cannot write "$module"
  umask 077
}

# perform_call: calls the module, and prints what it has printed; fails if it fails.
perform_call() {
  for path in "${directory#"$state/targets/here/"}" log/here run log/services; do
    make_directory "$state/targets/here/$path"
  done
  printf '%s.\n' "$secrets" | {
    exec 5<&0 </dev/null
    begin_call
  } &
  wait "$!"
  status=$?
  # The module goes on if only its runner was killed.
  while [ "$status" -gt 128 ] && is_claimed "$directory/module"; do
    pause
  done
  log=$state/targets/here/log/here/$mapping.$activity
  for path in "$log" "$log".[123]; do
    [ ! -s "$path" ] || cat "$path"
  done
  # What was only asked leaves nothing.
  [ -f "$directory/state" ] || rm -f "$directory/record" "$directory/status"
  rmdir "$directory" 2>/dev/null || :
  case $status in
    0) ;;
    2[45]?) say_failed "could not be carried out ($status): see above" ;;
    *) say_failed "ended with status $status" ;;
  esac
}

say_failed() {
  printf '%s\n' "davit: '$activity' of '$component' in '$container' $1" >&2
  return 1
}

# begin_call: claims the component for this process, which becomes the runner. It waits for an activity that runs already.
begin_call() {
  own_identity || exit 250
  runner=$identity
  until make_directory "$directory" && claim "$directory/running" "$runner"; do
    [ "$?" = 1 ] || cannot 'write below' "$directory"
    is_wanted || exit 250
    pause
  done
  trap 'rm -f "$directory/running"' EXIT
  while is_claimed "$directory/module"; do
    is_wanted || exit 250
    pause
  done
  is_wanted || exit 250
  rm -f "$directory/status" "$directory/module" "$directory/activity"
  rename_text "$directory/record" "$(write_call)$newline" || cannot 'write below' "$directory"
  case $activity in
    snapshot | restore | collect-garbage)
      set -- run_state "$runner" 0 "$snapshots" "$container" "$component" by-hand gzip - "$state/targets/here/active/here/$mapping"
      ;;
    *) set -- run_activity "$runner" 0 '' ;;
  esac
  trap - EXIT
  trap : PIPE HUP
  exec env -i PATH="$PATH" HOME="${HOME:-/}" USER="${USER:-}" davit_runtime="$detached" setsid sh -c \
    'eval "$davit_runtime"; unset davit_runtime; run "$@"' davit-activity "$state" here here "$activity" "$directory" "$setsid" \
    run_in_store "$snapshots" "$nix_store" "$@" <&5 >/dev/null 2>&1 5<&-
}

# write_call: prints the record of the call. State is noted if the module may have some.
write_call() {
  printf 'module %s\npkg %s\ncontainer %s\nname %s\n' "$(encode "$module")" "$(encode "$package")" "$container" "$component"
  if is_of_dysnomia "$module" || has_line "$module.activities" collect-garbage; then
    printf 'component %s\n' "$component"
  fi
}

# encode TEXT: prints it as a word.
encode() {
  printf %s "$1" | od -An -v -to1 | tr -d '\n' | sed 's/  */\\0/g'
}
