# Finds the modules to which records and manifests refer.

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
