# Locks of Disnix on this machine.

# client_lock MARKER PROFILE: makes the lock file, prints the profile manifest and a line MARKER, and asks the services in the lines on standard
# input, `TYPE CONTAINER COMPONENT ask|skip` up to a point, whether they agree. With `skip`, the module that the client would bring does not
# have the activity. If one refuses, or the client goes before all were asked, all are told, and the lock file is removed.
client_lock() {
  find_lock "$2"
  ! exists "$lock" && make_lock 2>/dev/null ||
    fail already-locked "the profile '$2' is locked: '$lock' exists, or cannot be made"
  trap 'rm -f "$lock"' EXIT
  trap 'exit 1' HUP INT TERM PIPE
  print_installed "$1" "$2"
  read_services
  watch_input
  # From now on, nobody may be left locked.
  trap 'watcher=' HUP INT TERM
  trap : PIPE
  each_service lock || {
    watcher=$$
    each_service unlock
    exit 1
  }
  trap - EXIT
}

# client_unlock MARKER PROFILE: tells the services, even if the client goes, and removes the lock file.
client_unlock() {
  find_lock "$2"
  print_installed "$1" "$2"
  read_services
  watcher=$$
  each_service unlock
  status=$?
  exists "$lock" || fail not-locked "the profile '$2' is not locked: there is no '$lock'"
  rm -f "$lock" || exit 1
  return "$status"
}

print_installed() {
  client_query_installed "$2" || exit 1
  printf '\n%s\n' "$1"
}

# read_services: sets $services.
read_services() {
  secrets= services=
  while IFS= read -r line && [ "$line" != . ]; do
    services=$services$line$newline
  done
  [ "$line" = . ] || exit 1
}

# each_service ACTIVITY: asks all, even if one refuses; fails then.
each_service() {
  refused=
  while IFS=' ' read -r type place path asked; do
    [ -n "$type" ] || continue
    decode "$type" && type=$decoded
    decode "$place" && place=$decoded
    decode "$path" && path=$decoded
    (ask_service "$1" "$asked" "$type" "$place" "$path") </dev/null || refused=yes
  done <<end
$services
end
  [ -z "$refused" ]
}

# ask_service ACTIVITY ask|skip TYPE CONTAINER COMPONENT
ask_service() {
  case $3 in
    /*) ;;
    *) [ "$2" = ask ] || find_installed "$3" || return 0 ;;
  esac
  prepare_call "$1" "$3" "$4" "$5"
  [ ! -f "$module.activities" ] || has_line "$module.activities" "$1" || return 0
  perform_call
}
