# Ends operations that cannot be done, and checks names and paths.

# fail CODE MESSAGE: ends an operation. Earlier output of utilities on standard error becomes part of the message.
fail() {
  printf 'davit:%s\n%s\n' "$1" "$2" >&2
  exit 3
}

# cannot DO PATH: ends an operation that failed to write; if this account may not, the message has the command that allows it.
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
  # By trying: for a full or read-only file system, another owner would not help.
  case $(LC_ALL=C && export LC_ALL && mkdir "$place/davit.$$" 2>&1 && rmdir "$place/davit.$$") in
    *[Pp]'ermission denied'*) ;;
    *) return 0 ;;
  esac
  account=$(id -un 2>/dev/null) || account=$(id -u)
  command="chown $account $(quoted "$place")"
  [ -z "$missing" ] || command="install -d -o $account $(quoted "$missing")"
  fail may-not-write "'$account' may not write to '${place:-/}'; as root there: $command"
}

# find_profiles: sets $profiles to the directory of the profiles of Nix that belong to this account, named as Nix does it: what the environment
# says counts only if the account has no name. Fails if there is no name at all.
find_profiles() {
  profiles=${NIX_STATE_DIR:-/nix/var/nix}/profiles
  [ "$user" != 0 ] || return 0
  account=$(id -un 2>/dev/null) || account=${USER:-}
  case $account in
    '' | . | .. | */*) return 1 ;;
  esac
  profiles=$profiles/per-user/$account
}

# need_profiles: like `find_profiles`, but ends an operation.
need_profiles() {
  find_profiles || fail cannot-read 'this account has no name, by which Nix would find its profiles'
}

# quoted TEXT: quotes it for a shell.
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
  [ -d "$1" ] || mkdir -p "$1" || cannot create "$1"
}

# hexadecimal < TEXT
hexadecimal() {
  od -An -v -tx1 | tr -d ' \n'
}

# check_names NAME...: refuses all but plain names, since names become parts of paths below the state directory.
check_names() {
  for name in "$@"; do
    case $name in
      '' | [!A-Za-z0-9_]* | *[!A-Za-z0-9_.+-]*) fail bad-request "invalid name '$name'" ;;
    esac
  done
}

check_store_paths() {
  for path in "$@"; do
    case $path in
      [!/]* | */../* | */./* | *//* | */.. | *[!A-Za-z0-9_.+?=/-]* | '') fail bad-request "invalid path '$path'" ;;
    esac
  done
}
