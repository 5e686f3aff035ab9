# Builds in the native store of a target, on a channel of its own. A build of the output HASH-NAME has below INCOMING
#   build.HASH.lock        claim of its channel
#   build.HASH/            `build`, `store`, `files` as on the coordinator; `builder` and `logger`, the leaders of their process
#                          groups; `closing`, once it is being stopped
#   built.BOOT-ID/paths/   finished outputs, which wait for the coordinator for a day, or until the machine is restarted

# begin_builds MARKER STORE INCOMING REGISTRATIONS LOGS: removes what builds of dead channels have left, and prints facts.
begin_builds() {
  printf '\n%s\n' "$1"
  process_identity "$$"
  use_store "$identity" "$2" "$3" "$4" "$5"
  mkdir -p "$registrations" "$incoming" "$logs" || cannot create "$incoming"
  for claimed in "$incoming"/build.*.lock; do
    [ -L "$claimed" ] && claim "$claimed" "$self" || continue
    end_leftover "${claimed%.lock}"
    discard_build "${claimed%.lock}"
  done
  for waiting in "$incoming"/built.*; do
    [ "$waiting" = "$built" ] || remove_tree "$waiting"
  done
  for waiting in "$built"/paths/*; do
    [ -z "$(find "$waiting" -prune -mtime +0 2>/dev/null)" ] || remove_tree "$waiting"
  done
  printf 'self %s\nprocessors %s\n' "$self" "$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)"
}

# try_isolation NUMBER PROGRAM COMMAND...: prints the isolation if it works on this machine, else fails. The command finds the program in
# the variable $program, and $probe_input, decoded, on its standard input.
try_isolation() {
  isolation=$1
  program=$(command -v "$2") || return 1
  shift 2
  printf %b "$probe_input" | program=$program "$@" >/dev/null 2>&1 && printf 'isolation %s %s\n' "$isolation" "$program"
}

# show_existing PATH...: prints those that exist, and what those of the root directory link to.
show_existing() {
  for path in "$@"; do
    [ -e "$path" ] || continue
    link=
    case ${path#/} in
      */*) ;;
      *) link=$(readlink "$path") ;;
    esac
    printf 'visible %s\n' "$path${link:+ $link}"
  done
}

# serve_builds: reads requests `build ID NAME aside|in-place KILOBYTES [WHAT WORD]...`, `stop NAME` and `ping`, one in a line;
# answers `waiting ID`, `started ID`, `log ID BYTES-IN-HEXADECIMAL`, `ended ID HOW...`, and `pong`. When standard input or this
# shell ends, all builds are stopped and removed.
serve_builds() {
  printf 'ready\n'
  exec 3>&1
  read_requests 4>&1 >&3 3>&- | guard_builds >/dev/null 2>&1 3>&-
}

read_requests() {
  while IFS= read -r request; do
    case $request in
      'build '*)
        printf '%s\n' "${request#build }" |
          davit_runtime=$detached setsid sh -c 'eval "$davit_runtime"; supervise_build "$@"' \
            davit-build "$self" "$store" "$incoming" "$registrations" "$logs" 4>&- &
        printf '%s\n' "$!" >&4
        ;;
      ping) echo pong ;;
      'stop '*)
        output=${request#stop }
        check_store_paths "/$output"
        end_group "$incoming/build.${output%%-*}/builder"
        ;;
    esac
  done
}

# guard_builds < PIDS: stops the supervisors with these PIDs, and their builds, once the reader of the requests has ended, however
# it did.
guard_builds() {
  trap '' HUP INT TERM
  supervisors=
  while IFS= read -r pid; do
    ! process_identity "$pid" || supervisors="$supervisors $identity"
  done
  for supervisor in $supervisors; do
    ! is_alive "$supervisor" || kill -KILL "-${supervisor%%:*}" "${supervisor%%:*}"
  done
  for claimed in "$incoming"/build.*.lock; do
    [ "$(readlink "$claimed")" = "$self" ] || continue
    : >"${claimed%.lock}/closing"
    end_group "${claimed%.lock}/builder"
    end_group "${claimed%.lock}/logger"
    discard_build "${claimed%.lock}"
  done
}
