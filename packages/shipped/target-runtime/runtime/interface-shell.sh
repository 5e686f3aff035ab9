# Shells in the environment of a component, for the client interface.

# client_shell TYPE CONTAINER COMPONENT COMMAND: runs a command there. Properties follow on standard input.
client_shell() {
  read_secrets
  prepare_call shell "$1" "$2" "$3"
  exec </dev/null
  # shellcheck disable=SC2046
  eval "$(print_environment)"
  shell=$(command -v bash) || shell='sh'
  exec "$shell" -c "$4"
}

# client_prepare_shell TYPE CONTAINER COMPONENT: leaves a script that becomes an interactive shell in a private directory, and prints its path.
# The script removes the directory. Unless a line shows that the client has got the path, nothing is left.
client_prepare_shell() {
  read_secrets
  prepare_call shell "$1" "$2" "$3"
  stopped=
  trap 'stopped=1' HUP INT PIPE TERM
  private=$(mktemp -d "${TMPDIR:-/tmp}/davit-shell.XXXXXXXX") || exit 1
  trap 'rm -rf "$private"' EXIT
  trap 'exit 1' HUP INT PIPE TERM
  [ -z "$stopped" ] || exit 1
  {
    printf 'rm -rf %s\n' "$(quoted "$private")"
    print_environment
    ! is_of_dysnomia "$module" || printf '"$this_dysnomia_module" shell "$this_component" "$this_container" </dev/null >&2 || :\n'
    printf 'shell=$(command -v bash) || shell=sh\nexec "$shell" -i\n'
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

# print_environment: prints assignments for a shell.
print_environment() {
  printf '%s' "$secrets" | while IFS=' ' read -r number name word; do
    is_variable "$name" || continue
    decode "$word"
    printf 'command unset -v %s; command export %s=%s\n' "$name" "$name" "$(quoted "$decoded")"
  done
  printf 'export DYSNOMIA_STATEDIR=%s\n' "$(quoted "$snapshots")"
  printf 'export this_dysnomia_module=%s this_component=%s this_container=%s\n' "$(quoted "$module")" "$(quoted "$package")" "$(quoted "$container")"
}
