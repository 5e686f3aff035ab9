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

# client_prepare_shell TYPE CONTAINER COMPONENT: see `leave_start`.
client_prepare_shell() {
  read_secrets
  prepare_call shell "$1" "$2" "$3"
  leave_start print_shell
}

# print_shell: prints what a shell evaluates before it becomes interactive.
print_shell() {
  print_environment
  ! is_of_dysnomia "$module" || printf '"$this_dysnomia_module" shell "$this_component" "$this_container" </dev/null >&2 || :\n'
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
