# become_client [NAME VALUE]...: becomes the program that calls a client executable, which is told the properties by its arguments.
become_client() {
  left=$#
  while [ "$left" -gt 0 ]; do
    set -- "$@" "$1=$2"
    shift 2
    left=$((left - 2))
  done
  set -- "$davit_setsid" "$davit_module" "$davit_activity" "$davit_package" "$davit_container" "$davit_snapshot" \
    "${davit_view:-"$davit_target_state/dysnomia"}" "$@"
  ! env --default-signal true 2>/dev/null || set -- env --default-signal "$@"
  exec "$@"
}
