# Leaves scripts with which shells begin that a terminal is connected to.

# leave_start FUNCTION: leaves a script that becomes a shell, interactive on a terminal, in a private directory, and prints its path; FUNCTION prints what it evaluates
# before. The script removes the directory. Unless a line shows that the client has got the path, nothing is left.
leave_start() {
  stopped=
  trap 'stopped=1' HUP INT PIPE TERM
  private=$(mktemp -d "${TMPDIR:-/tmp}/davit-shell.XXXXXXXX") || exit 1
  trap 'rm -rf "$private"' EXIT
  trap 'exit 1' HUP INT PIPE TERM
  [ -z "$stopped" ] || exit 1
  {
    printf 'rm -rf %s\n' "$(quoted "$private")"
    "$1"
    printf 'shell=$(command -v bash) || shell=sh\n[ ! -t 0 ] || exec "$shell" -i\nexec "$shell"\n'
  } >"$private/start" || exit 1
  printf '%s\n' "$private" && IFS= read -r line || exit 1
  trap - EXIT
}

# client_remove_shell DIRECTORY: what no shell has begun with.
client_remove_shell() {
  case $1 in
    */davit-shell.????????) rm -rf "$1" ;;
  esac
}
