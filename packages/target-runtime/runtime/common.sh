# Shared by everything that davit runs on a target. POSIX sh: dash, bash and busybox.
# Fields of requests are words for `printf %b`; what goes back is plain words, or hexadecimal where it may be anything.

set -u
umask 022

# fail CODE MESSAGE: ends an operation. What utilities printed on standard error before becomes part of the message.
fail() {
  printf 'davit:%s\n%s\n' "$1" "$2" >&2
  exit 3
}

# cannot DO PATH: ends an operation that could not, where this account may not write with the command that mends it.
cannot() {
  refuse_account "$2"
  fail cannot-create "cannot $1 '$2'"
}

# refuse_account PATH: ends an operation if this account may not write there.
refuse_account() {
  [ "$(id -u)" != 0 ] && case $1 in
    /*) ;;
    *) false ;;
  esac || return 0
  place=$1 missing=
  until [ -e "${place:-/}" ]; do
    missing=$place place=${place%/*}
  done
  # By trying: what is full or mounted to be read only is no question of who owns it.
  case $(LC_ALL=C && export LC_ALL && mkdir "$place/davit.$$" 2>&1 && rmdir "$place/davit.$$") in
    *[Pp]'ermission denied'*) ;;
    *) return 0 ;;
  esac
  account=$(id -un 2>/dev/null) || account=$(id -u)
  command="chown $account $(quoted "$place")"
  [ -z "$missing" ] || command="install -d -o $account $(quoted "$missing")"
  fail may-not-write "'$account' may not write to '${place:-/}'; as root there: $command"
}

# quoted TEXT: as a shell reads it.
quoted() {
  rest=$1
  printf \'
  while [ "$rest" != "${rest#*\'}" ]; do
    printf %s "${rest%%\'*}'\\''"
    rest=${rest#*\'}
  done
  printf "%s'" "$rest"
}

# make_directory PATH
make_directory() {
  mkdir -p "$1" || cannot create "$1"
}

# decode FIELD: the text goes to $decoded, trailing newlines included.
decode() {
  decoded=$(printf '%b.' "$1")
  decoded=${decoded%.}
}

# hexadecimal < TEXT
hexadecimal() {
  od -An -v -tx1 | tr -d ' \n'
}

# Names become parts of paths below the state directory: refused unless they are plain.
check_names() {
  for name in "$@"; do
    case $name in
      '' | [!A-Za-z0-9_]* | *[!A-Za-z0-9_.+-]*) fail bad-request "refused the name '$name'" ;;
    esac
  done
}

check_store_paths() {
  for path in "$@"; do
    case $path in
      [!/]* | */../* | */./* | *//* | */.. | *[!A-Za-z0-9_.+?=/-]* | '') fail bad-request "refused the path '$path'" ;;
    esac
  done
}

# state_directory: where this user's targets keep what davit knows about them.
state_directory() {
  if [ -n "${DAVIT_STATE_DIR:-}" ]; then
    printf '%s' "$DAVIT_STATE_DIR"
  elif [ "$(id -u)" = 0 ]; then
    printf /var/lib/davit
  else
    printf '%s' "${XDG_STATE_HOME:-$HOME/.local/state}/davit"
  fi
}

# replace_file PATH < CONTENT: atomically, on the disk before the name points to it, and the name as well in the end.
replace_file() {
  cat >"$1.new" && sync "$1.new" && mv -f "$1.new" "$1" && sync "${1%/*}" || {
    rm -f "$1.new"
    return 1
  }
}

# first_line FILE: to $line, empty when there is none.
first_line() {
  line=
  if [ -f "$1" ]; then
    IFS= read -r line <"$1" || :
  fi
}

boot_id() {
  first_line /proc/sys/kernel/random/boot_id
  printf '%s' "${line:-unknown}"
}

# hold_mutex TARGET: until the operation ends, nobody else changes what belongs to the target.
hold_mutex() {
  make_directory "$state/targets/$1"
  claim_in_turn "$state/targets/$1/mutex" "$self" || cannot 'write below' "$state/targets/$1"
  release="$state/targets/$1/mutex"
}
