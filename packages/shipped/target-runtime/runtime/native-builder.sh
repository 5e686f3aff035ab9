# Carries a build out in a process group of its own, and stops builds.

# end_group FILE: kills the process group whose leader the file names. The file exists as long as the group.
end_group() {
  first_line "$1"
  [ -z "$line" ] || kill -KILL "-${line%%:*}" 2>/dev/null
}

# end_leftover WORKSPACE: kills the process groups of a dead channel, which live only if its guard was killed too.
end_leftover() {
  for group in "$1/builder" "$1/logger"; do
    first_line "$group"
    [ -z "$line" ] || ! is_alive "$line" || kill -KILL "-${line%%:*}"
  done
}

# discard_build WORKSPACE: also removes the output that it made in the store, unless somebody else has registered it.
discard_build() {
  for made in "$store/${1##*/build.}"-*; do
    clear_place "${made##*/}"
  done
  remove_tree "$1"
  rm -f "$1.lock"
}

# clear_place NAME: removes what is in the place of an output that is not valid. What was altered stays until its replacement is built, unless
# that is built in place.
clear_place() {
  ! exists "$store/$1" || is_valid "$1" && return
  [ ! -f "$registrations/../altered/$1" ] || [ "${place-aside}" = in-place ] || return 0
  hold_commit
  is_valid "$1" || clear_path "$1"
  rm -f "$registrations/../commit"
}

# supervise_build SELF STORE INCOMING REGISTRATIONS LOGS < REQUEST: answers the request.
supervise_build() {
  detached=$davit_runtime
  unset davit_runtime
  use_store "$@"
  IFS= read -r request
  set -f
  IFS=' '
  # shellcheck disable=SC2086
  set -- $request
  unset IFS
  set +f
  id=$1 output=$2 place=$3 limit=$4
  shift 4
  exec 3>&1
  errors=$( (perform_build "$@") 2>&1 >&3 3>&-) && return
  message=${errors##*davit:}
  printf 'ended %s error %s\n' "$id" "$(printf '%s: %s' "${message#*"$newline"}" "${errors%%davit:*}" | head -c 1000 | hexadecimal)"
}

# perform_build [WHAT WORD]...: makes $output, unless it exists, and prints the outcome.
perform_build() {
  check_store_paths "/$output"
  workspace=$incoming/build.${output%%-*}
  claim_build
  trap leave_build EXIT
  result=built
  is_valid "$output" || exists "$built/paths/$output" || make_output "$@"
  leave_build
  trap - EXIT
  printf 'ended %s %s\n' "$id" "$result"
}

claim_build() {
  told=
  until claim "$workspace.lock" "$self"; do
    [ "$?" = 1 ] || cannot 'write below' "$incoming"
    [ -n "$told" ] || printf 'waiting %s\n' "$id"
    told=yes
    pause
  done
}

# leave_build: discards the build, unless another channel has taken it over.
leave_build() {
  ! owns_build || discard_build "$workspace"
}

owns_build() {
  [ "$(readlink "$workspace.lock")" = "$self" ]
}

# make_output [WHAT WORD]...: each pair is a file, `file:NAME CONTENT`, the account of the build, `owner NUMBER`, or one word of the command.
make_output() {
  end_leftover "$workspace"
  discard_rubbish
  (umask 077 && mkdir "$workspace") && mkdir "$workspace/build" "$workspace/store" "$workspace/tmp" "$workspace/shm" "$workspace/files" && mkfifo "$workspace/output" ||
    cannot 'write below' "$incoming"
  count=$#
  while [ "$count" -gt 0 ]; do
    case $1 in
      file:*)
        check_names "${1#file:}"
        printf %b "$2" >"$workspace/files/${1#file:}" || cannot 'write below' "$incoming"
        shift 2
        ;;
      owner)
        give_to "$2" || cannot 'change the owner below' "$incoming"
        shift 2
        ;;
      *)
        decoded=$2
        case $2 in
          *\\*) decode "$2" ;;
        esac
        shift 2
        set -- "$@" "$decoded"
        ;;
    esac
    count=$((count - 2))
  done
  run_builder "$@"
  judge_output
}

# give_to OWNER: others may enter the workspace, but see nothing, and may enter none of the directories in which the build writes.
give_to() (
  cd "$workspace" && chmod 700 build store tmp shm && chown "$1:$1" build store tmp shm && chmod 711 .
)

discard_rubbish() {
  clear_place "$output"
  remove_tree "$workspace"
}

# run_builder COMMAND...: sets $status; when it returns, the processes of the build have ended too, as far as the machine can tell.
run_builder() {
  log=$logs/$output.log
  : >"$log" || cannot write "$log"
  davit_runtime=$detached setsid sh -c 'eval "$davit_runtime"; keep_build_log "$@"' \
    davit-log "$workspace" <"$workspace/output" >"$log" 2>/dev/null &
  logger=$!
  davit_runtime=$detached setsid sh -c 'eval "$davit_runtime"; enter_build "$@"' \
    davit-build "$id" "$workspace" "$self" "$limit" "$@" 3>&1 >"$workspace/output" 2>&1 </dev/null &
  builder=$!
  watch_size >/dev/null 2>&1 </dev/null 3>&- &
  watch=$!
  wait "$builder"
  status=$?
  kill "$watch" 2>/dev/null
  kill -KILL "-$builder" 2>/dev/null
  [ -s "$workspace/builder" ] || cannot 'write below' "$incoming"
  rm -f "$workspace/builder"
  tries=0
  until [ -e "$workspace/logged" ] || [ "$tries" -ge 100 ]; do
    sleep 0.01 2>/dev/null || {
      sleep 1
      tries=100
    }
    tries=$((tries + 1))
  done
  kill -KILL "-$logger" 2>/dev/null
  rm -f "$workspace/logger"
}

# watch_size: stops a build that has reached its size limit.
watch_size() {
  while sleep 1; do
    is_large || continue
    : >"$workspace/large"
    end_group "$workspace/builder"
  done
}

is_large() {
  total=0
  for size in $(
    du -sk "$workspace/build" "$workspace/store" "$workspace/tmp" "$workspace/shm" 2>/dev/null
    [ "$place" = aside ] || du -sk "$store/$output" 2>/dev/null
  ); do
    case $size in
      *[!0-9]*) ;;
      *) total=$((total + size)) ;;
    esac
  done
  [ "$total" -ge "$limit" ]
}

# keep_build_log WORKSPACE: keeps the beginning and the end of a log that is too long.
keep_build_log() {
  process_identity "$$"
  printf '%s\n' "$identity" >"$1/logger"
  head -c 67108864
  tail -c 16384
  : >"$1/logged"
}

# enter_build ID WORKSPACE OWNER KILOBYTES COMMAND...: writes down its process group before it begins, so that it can be stopped,
# and does not begin if it has been stopped already.
enter_build() {
  process_identity "$$"
  printf '%s\n' "$identity" >"$2/builder" && [ ! -e "$2/closing" ] && [ "$(readlink "$2.lock")" = "$3" ] && cd "$2/build" || exit 125
  printf 'started %s\n' "$1" >&3
  limit=$4
  shift 4
  # In units of 512 bytes; some shells print an error if there is a lower limit already.
  ulimit -f "$((limit * 2 + 1))" 2>/dev/null
  exec "$@" 3>&-
}

# judge_output: sets $result; moves a good output to where it waits.
judge_output() {
  owns_build || fail cannot-create 'another process has taken over the build'
  made=$workspace/store/$output
  [ "$place" = aside ] || put_aside
  if is_valid "$output"; then
    return
  elif [ -e "$workspace/large" ] || [ "$status" = 153 ] || is_large; then
    # Status 153: ended by SIGXFSZ because of one file.
    result=large
  elif [ "$status" != 0 ]; then
    result="status $status $(head -c 65536 /dev/zero 2>&1 >"$workspace/room" | hexadecimal)"
  elif ! exists "$made"; then
    result=missing
  else
    normalize_output
  fi
  [ "$result" = built ] || show_log
}

# put_aside: moves an output out of the store, unless somebody else has just registered it there.
put_aside() {
  hold_commit
  if exists "$store/$output" && ! is_valid "$output"; then
    [ ! -d "$store/$output" ] || [ -L "$store/$output" ] || chmod u+rwx "$store/$output"
    mv "$store/$output" "$made"
  fi
  rm -f "$registrations/../commit"
}

show_log() {
  tail -c 16384 "$log" | od -An -v -tx1 | tr -d ' ' | while IFS= read -r line; do
    printf 'log %s %s\n' "$id" "$line"
  done
}

# normalize_output: sets permissions and times of packages, as far as possible outside the store, and moves it to where it waits.
normalize_output() {
  find "$made" -type d ! -perm -700 -exec chmod u+rwx {} \;
  unusual=$(find "$made" ! -type f ! -type d ! -type l | head -n 1)
  if [ -n "$unusual" ]; then
    kind=device
    [ ! -S "$unusual" ] || kind=socket
    [ ! -p "$unusual" ] || kind='named pipe'
    result="unusual $(printf "'%s' is a %s" "$store/$output${unusual#"$made"}" "$kind" | hexadecimal)"
    return
  fi
  [ "$(id -u)" != 0 ] || chown -hR 0:0 "$made"
  # A hard link may share its content and permissions with a file outside the output.
  find "$made" -type f -links +1 -exec sh -c 'for file; do cp -p "$file" "$file.davit-copy" && mv -f "$file.davit-copy" "$file"; done' davit-build {} + &&
    find "$made" -type d -exec chmod 755 {} + -o -type f -perm -100 -exec chmod 555 {} + -o -type f -exec chmod 444 {} + ||
    cannot 'write below' "$incoming"
  # Its files get their times when it is made valid; this one says since when it waits.
  touch -h "$made" 2>/dev/null
  hold_commit
  mkdir -p "$built/paths" && mv "$made" "$built/paths/$output" || cannot 'write below' "$incoming"
  rm -f "$registrations/../commit"
}
