# Calls a module that tells what the logs of its service are, in a session of its own.

# print_logs SECONDS: ends with the status of the module; says nothing if it has no such activity.
print_logs() {
  davit_module=
  while IFS=" " read -r field word || [ -n "$field" ]; do
    [ "$field" != module ] || { decode "$word" && davit_module=$decoded; }
  done <"$davit_directory/record"
  [ -f "$davit_module.activities" ] && has_line "$davit_module.activities" logs || exit 0
  (call_module "" 2>&1) &
  await_module "$!" "$1"
  [ "$davit_status" = 0 ] || printf "\ndavit:status %s\n" "$davit_status"
}
