# Becomes what has the environment of a module, in a session of its own.

# run_diagnosis COMMAND: evaluates it, in the package of the service; prints the environment for a shell if it is empty.
run_diagnosis() {
  davit_command=$1 davit_become=become_diagnosis
  call_module ""
}

# become_diagnosis [NAME VALUE]... -- SETSID MODULE ACTIVITY PACKAGE CONTAINER: in place of the module.
become_diagnosis() {
  while [ "$1" != -- ]; do
    command unset -v "$1" 2>/dev/null && command export "$1=$2" 2>/dev/null
    shift 2
  done
  export DAVIT_MODULE="$3" DAVIT_PACKAGE="$5" DAVIT_CONTAINER="$6"
  # As Dysnomia names them in its shell.
  export this_dysnomia_module="$3" this_component="$5" this_container="$6"
  [ -n "$davit_command" ] || {
    export -p
    exit
  }
  enter_package
  eval "$davit_command"
}

# enter_package: or the directory in which it lies.
enter_package() {
  cd "$DAVIT_PACKAGE" 2>/dev/null || cd "${DAVIT_PACKAGE%/*}" 2>/dev/null || :
}
