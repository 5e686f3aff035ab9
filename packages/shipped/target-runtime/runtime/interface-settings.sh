# The settings of this machine for Dysnomia: its properties, and its containers.

# client_capture_config: prints lines `properties` and `container NAME`, and after each of them `text NAME VALUE` and `list NAME VALUE...`, with
# names and values in hexadecimal behind an `x`.
client_capture_config() {
  file=${DYSNOMIA_PROPERTIES:-/etc/dysnomia/properties}
  if [ -f "$file" ]; then
    printf 'properties\n'
    print_settings "$file" || exit 1
  fi
  seen=/ rest=${DYSNOMIA_CONTAINERS_PATH:-/etc/dysnomia/containers}:
  while [ -n "$rest" ]; do
    directory=${rest%%:*} rest=${rest#*:}
    [ -n "$directory" ] || continue
    for file in "$directory"/*; do
      # The first directory counts.
      case $seen in
        *"/${file##*/}/"*) continue ;;
      esac
      [ -f "$file" ] || continue
      seen=$seen${file##*/}/
      printf 'container x%s\n' "$(printf %s "${file##*/}" | hexadecimal)"
      print_settings "$file" type || exit 1
    done
  done
}

# print_settings FILE [OMITTED]: of its lines `NAME=VALUE`. Values are what a shell makes of them, as for Dysnomia: whoever may write these files
# is trusted. `(A B)` is a list. Lines that begin with `#` are comments.
print_settings() {
  number=0
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    line=${line#"${line%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    name=${line%%=*}
    case $line in
      '' | '#'*) continue ;;
      *=*) ;;
      *) name= ;;
    esac
    case $name in
      '' | [0-9]* | *[!A-Za-z0-9_]*) fail cannot-read "$1:$number: expected NAME=VALUE" ;;
      "${2-}") continue ;;
    esac
    (print_setting "$name" "${line#*=}") </dev/null || fail cannot-read "$1:$number: the value of '$name' cannot be evaluated"
  done <"$1"
}

# print_setting NAME VALUE
print_setting() {
  kind=text setting=$1
  case $2 in
    '('*')')
      kind='list' value=${2#'('}
      set -- "$1" "${value%')'}"
      ;;
  esac
  set -f +u
  # Not in this process, in which a mistake would be the end.
  words=$(eval "set -- $2" && for word in "$@"; do printf ' x%s' "$(printf %s "$word" | hexadecimal)"; done && printf ' .') || return
  words=${words% .}
  [ "$kind" = list ] || {
    # shellcheck disable=SC2086
    set -- $words
    words=
    for word in "$@"; do
      words=$words${words:+20}${word#x}
    done
    words=x$words
  }
  printf '%s x%s %s\n' "$kind" "$(printf %s "$setting" | hexadecimal)" "${words# }"
}
