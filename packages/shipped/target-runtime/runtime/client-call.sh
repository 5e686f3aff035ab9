# Calls a client executable, for everything that is not an activity of a service.

# call_client EXECUTABLE [WORD]...: ends it with all its processes when standard input ends.
call_client() {
  command -v "$1" >/dev/null || {
    printf 'there is no executable file %s\n' "$1" >&2
    exit 127
  }
  exec 3<&0
  setsid "$@" </dev/null 3<&- &
  client=$!
  {
    read -r line <&3
    kill -TERM "-$client"
    sleep 5
    kill -KILL "-$client"
  } >/dev/null 2>&1 &
  guard=$!
  exec 3<&-
  # Some shells say which signal ended it.
  wait "$client" 2>/dev/null
  status=$?
  kill "$guard" 2>/dev/null
  exit "$status"
}
