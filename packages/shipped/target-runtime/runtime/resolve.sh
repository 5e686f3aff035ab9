# Tells more about records: the modules that they refer to, and when they were written.

# operation_resolve [WORD]...: the module of each reference, with the activities that it declares; `-` if there is none, `- -` if not
# even its profile is there.
operation_resolve() {
  for word in "$@"; do
    decode "$word"
    (resolve_module "$decoded" && say_declared "$module" module "$module") 2>/dev/null || {
      profile=/${decoded##*//}
      if [ -d "${profile%/modules/*}" ]; then say module -; else say module - -; fi
    }
  done
}

# operation_times PROFILE: says for each of its mappings when the state was written, in seconds since 1970.
operation_times() {
  check_names "$1"
  find "$state"/targets/*/active/"$1" -name state -exec stat -c '%Y %n' {} + 2>/dev/null | while read -r seconds file; do
    file=${file#"$state"/targets/} file=${file%/state}
    record=${file##*/}
    case $seconds.$file in
      *[!A-Za-z0-9_./:~+-]*) ;;
      *) [ "$record" = "${record#*:}" ] || say time "$seconds" "${file%%/*}" "$record" ;;
    esac
  done
}
