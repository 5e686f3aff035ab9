# Reads the logs of services and of their activities. Nothing is changed. What a service or its user could have led elsewhere is not read as
# root, but as its owner (see read-as.sh).

# operation_call_logs TARGET PROFILE SECONDS BYTES CONTAINER KEY [-secret NAME WORD]...: calls the module with `logs`, if it declares that, for
# SECONDS at most, and says the last BYTES of its output in hexadecimal, and its status. Properties of this call are passed like secrets.
operation_call_logs() {
  target=$1 profile=$2 seconds=$3 bytes=$4
  mapping_directory "$1" "$2" "$5" "$6"
  shift 6
  secrets=
  while [ "${1-}" = -secret ]; do
    secrets="${secrets}1 $2 $3$newline"
    shift 3
  done
  [ -f "$directory/record" ] || fail no-record "there is no record of it"
  output=$(
    print_secrets | {
      exec 2>/dev/null 3>&- 4>&-
      exec env -i PATH="$PATH" HOME="${HOME:-/}" USER="${USER:-}" davit_runtime="$detached" setsid sh -c \
        'eval "$davit_runtime"; unset davit_runtime; run "$@"' davit-logs "$state" "$target" "$profile" logs "$directory" "$setsid" \
        print_logs "$seconds"
    } | tail -c "$bytes" | hexadecimal
  )
  say text "$output"
}

# operation_activity_logs TARGET PROFILE [CONTAINER KEY]...: names the activities of these mappings that have logs, and where these are.
operation_activity_logs() {
  target=$1 profile=$2
  shift 2
  number=0
  while [ $# -ge 2 ]; do
    number=$((number + 1))
    mapping_directory "$target" "$profile" "$1" "$2"
    shift 2
    for path in "$state/targets/$target/log/$profile/${directory##*/}".*; do
      activity=${path##*/}
      activity=${activity#"${directory##*/}."}
      # The end of a long one is in `.2` and `.3`.
      case ${activity%.[23]} in
        *[!a-z-]*) ;;
        *) say log "$number" "${activity%.[23]}" "$path" ;;
      esac
    done
  done
}

# operation_read_files BYTES LINES [POSITION PATH]...: what each file has beyond the position, `INODE:OFFSET:CHANGED:SUM`, BYTES at most; or, with
# `-`, its last LINES lines. A file that has taken the place of another is read as well, after the rest of the other.
operation_read_files() {
  bytes=$1 lines=$2
  shift 2
  now=$(date +'%s %z')
  say clock "$now"
  number=0 safe_place=''
  while [ $# -ge 2 ]; do
    number=$((number + 1)) position=$1
    decode "$2"
    path=$decoded
    shift 2
    case $path in
      /*) read_file ;;
    esac
  done
}

# read_file: says `file NUMBER POSITION` at the end, unless there is nothing new.
read_file() {
  examine "$path" || {
    [ -z "$refusal" ] || [ "$position" != - ] || say_refusal
    return 0
  }
  from=0
  if [ "$position" = - ]; then
    [ "$size" -le "$bytes" ] || from=$((size - bytes))
    seconds=$($as date -r "$path" +%s 2>/dev/null) || seconds=0
    say began "$number" "$seconds"
    say text "$number" "$(part "$path" | whole_lines | tail -n "$lines" | hexadecimal)"
  else
    [ "$changed" = - ] || [ "${position%:*}" != "$inode:$size:$changed" ] || return 0
    if is_at "$path"; then
      from=$offset
    else
      read_predecessor
    fi
    say_part "$path"
  fi
  say file "$number" "$inode:$size:$changed:$(sum_at_start "$path" "$size")"
}

# say_refusal: why the file is not read, once.
say_refusal() {
  say text "$number" "$(printf 'davit: %s\n' "$refusal" | head -c "$bytes" | hexadecimal)"
  say file "$number" 0:0:-:0
}

# examine PATH: sets $inode, $size and $changed: `-` if the machine cannot tell, or if it may change again in the same second; and $as, who
# reads it. Fails for anything else than a file, which could be endless, and sets $refusal if nobody may read it.
examine() {
  refusal=''
  exists "$1" && choose_reader "$1" && $as test -f "$1" && $as test -r "$1" || return 1
  facts=$($as stat -Lc '%i %s %Z' -- "$1" 2>/dev/null) ||
    facts=$($as ls -niL -- "$1" | while read -r first _ _ _ _ sixth _; do printf '%s %s -' "$first" "$sixth"; done)
  inode=${facts%% *} changed=${facts##* }
  [ "$changed" = - ] || [ "$changed" -lt "$((${now% *} - 1))" ] || changed=-
  size=${facts#* }
  size=${size%% *}
  case $inode$size in
    '' | *[!0-9]*) return 1 ;;
  esac
}

# is_at PATH: whether the position is in the file that was examined; sets $offset. Numbers of inodes are used again.
is_at() {
  offset=${position#*:}
  offset=${offset%%:*}
  [ "${position%%:*}" = "$inode" ] && [ "$offset" -le "$size" ] && [ "$(sum_at_start "$1" "$offset")" = "${position##*:}" ]
}

# sum_at_start PATH BYTES: prints a sum of the beginning of its first BYTES.
sum_at_start() {
  set -- "$1" "$2" 512
  [ "$2" -ge "$3" ] || set -- "$1" "$2" "$2"
  set -- "$($as head -c "$3" -- "$1" | od -An -v -tx1 | tr -d ' \n' | { cksum 2>/dev/null || sha256sum; })"
  printf '%s' "${1%% *}"
}

# read_predecessor: says the rest of the file that was here, if that lies beside it, among the first fifty.
read_predecessor() {
  tries=0
  for place in "$path".*; do
    tries=$((tries + 1))
    [ "$tries" -le 50 ] || break
    examine "$place" && is_at "$place" || continue
    from=$offset
    say_part "$place"
    break
  done
  examine "$path"
  from=0
}

# say_part PATH: says what it has from $from to $size, or how much of that is left out.
say_part() {
  [ "$((size - from))" -le "$bytes" ] || {
    say skipped "$number" "$((size - from - bytes))"
    from=$((size - bytes))
  }
  say text "$number" "$(part "$1" | hexadecimal)"
}

part() {
  $as tail -c "+$((from + 1))" -- "$1" | head -c "$((size - from))"
}

# whole_lines: without the beginning of a line, if $from is one.
whole_lines() {
  [ "$from" = 0 ] || IFS= read -r line || :
  cat
}
