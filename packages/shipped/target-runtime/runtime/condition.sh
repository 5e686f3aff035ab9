# Tells in which condition this machine is. Nothing is changed.

# operation_condition [STORE]...: the clock, the account, versions, disks, what cannot be written, and what runs have left here, in the
# state of this account and in these stores.
operation_condition() {
  check_store_paths "$@"
  read_clock
  say clock "$now"
  say_account
  say_versions
  find_starter
  say starter "$starter"
  case ${TMPDIR:-} in
    /*) ;;
    *) TMPDIR=/tmp ;;
  esac
  for directory in "$state" "$@" "$TMPDIR"; do
    say_place "$directory"
  done
  find_open
  [ -z "$open" ] || {
    in_hexadecimal "$open"
    say open "$hex"
  }
  say_locks
  say_unreached
  say_broken
  for trial in "$state"/targets/*/trials/*; do
    [ ! -d "$trial" ] || say_named trial "${trial#"$state"/targets/}"
  done
  set -- "$@" given-up "$state"/targets/*/abandoned/*/*
  until [ "$1" = given-up ]; do
    [ ! -d "$1/.davit" ] || say_rubbish "$1"
    shift
  done
  shift
  [ ! -d "${1-}" ] || say given-up "$#"
}

say_account() {
  account=$(id -un 2>/dev/null) || account=$user
  in_hexadecimal "$account"
  say account "$hex"
}

# say_versions: the first line that programs print about themselves, in hexadecimal, and those that have none.
say_versions() {
  shell=$(readlink "/proc/$$/exe") || shell=
  say_text shell "${shell##*/}"
  name=
  [ ! -r /etc/os-release ] || while IFS= read -r line; do
    case $line in
      PRETTY_NAME=*) name=${line#PRETTY_NAME=} ;;
    esac
  done </etc/os-release
  name=${name#[\"\']}
  say_text system "${name%[\"\']}"
  say_text kernel "$(uname -sr)"
  say_text tar "$(tar --version 2>&1)"
  ! text=$(find_nix 2>/dev/null && nix-store --version 2>/dev/null) || say_text nix "$text"
  ! command -v bwrap >/dev/null 2>&1 || say_text bubblewrap "$(bwrap --version 2>&1)"
}

# say_text FACT TEXT: the first line of it.
say_text() {
  shorten "${2%%"$newline"*}"
  in_hexadecimal "$text"
  [ -z "$hex" ] || say "$1" "$hex"
}

# shorten TEXT: sets $text to its beginning.
shorten() {
  text=$1
  [ "${#text}" -le 200 ] || text=$(printf %.200s "$text")
}

ascii=' !"#$%&'"'"'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefghijklmnopqrstuvwxyz{|}~'

# in_hexadecimal TEXT: sets $hex, without the processes that `hexadecimal` needs unless there are characters beyond ASCII.
in_hexadecimal() {
  hex='' rest=$1
  while [ -n "$rest" ]; do
    more=${rest#?}
    before=${ascii%%"${rest%"$more"}"*}
    [ "$before" != "$ascii" ] || {
      hex=$(printf %s "$1" | hexadecimal)
      return
    }
    rest=$more code=$((${#before} + 32))
    digit=$((code % 16))
    case $digit in
      10) digit=a ;;
      11) digit=b ;;
      12) digit=c ;;
      13) digit=d ;;
      14) digit=e ;;
      15) digit=f ;;
    esac
    hex=$hex$((code / 16))$digit
  done
}

# say_place DIRECTORY: the disk of it, as far as it exists: device, kB in all and free, files in all and free; `unwritable` if this account may not write there.
say_place() {
  place=$1
  until [ -e "${place:-/}" ]; do
    place=${place%/*}
  done
  place=${place:-/}
  in_hexadecimal "$1"
  told=$hex
  [ -w "$place" ] || {
    in_hexadecimal "$place"
    say unwritable "$told" "$hex"
  }
  df_of k
  kilobytes="$total $left"
  df_of i
  hex=-
  [ -z "$device" ] || in_hexadecimal "$device"
  say disk "$told" "$hex" "$kilobytes" "$total $left"
}

# df_of k|i: sets $device, $total and $left for the disk of $place; empty, or `-`, if that is not known.
df_of() {
  device='' total=- left=-
  set -- "$(df "-P$1" "$place" 2>/dev/null)"
  case $1 in
    *"$newline"*)
      IFS=' '
      # shellcheck disable=SC2086
      set -f -- ${1##*"$newline"}
      set +f
      unset IFS
      is_number "${2-}" && is_number "${4-}" && total=$2 left=$4 && shorten "$1" && device=$text
      ;;
  esac
}

# say_named FACT TARGET/KIND/PROFILE [WORD]...: unless the names are none of davit's.
say_named() {
  fact=$1 named=$2
  shift 2
  case $named in
    *[!A-Za-z0-9_./+-]* | -* | */-*) return ;;
  esac
  say "$fact" "${named%%/*}" "${named##*/}" "$@"
}

say_locks() {
  for lock in "$state"/targets/*/lock/*; do
    read_holder "$lock" || continue
    describe_lease
    say_named lock "${lock#"$state"/targets/}" "$described"
  done
}

# say_unreached: profiles that a run was about to make current and did not.
say_unreached() {
  for directory in "$state"/targets/*/profiles/*; do
    current=$(readlink "$directory/current") && current=$(readlink "$directory/$current") || current=
    for link in "$directory"/wanted.next.*; do
      is_told "$link" && [ "$(readlink "$link")" != "$current" ] || continue
      named=${link##*/wanted.next.}
      say_named unreached "${directory#"$state"/targets/}" "${named%.*}"
    done
  done
}

# say_broken: current profiles that are not there any more.
say_broken() {
  for directory in "$state"/targets/*/profiles/*; do
    [ -L "$directory/current" ] || continue
    current=$(readlink "$directory/current") && current=$(readlink "$directory/$current") || current=
    [ -d "$current" ] || {
      in_hexadecimal "$current"
      say_named broken "${directory#"$state"/targets/}" "$hex"
    }
  done
}

# say_rubbish STORE: how much is in a native store that is not valid, and is not about to be.
say_rubbish() {
  store=$1 registrations=$1/.davit/registrations incoming=$1/.davit/incoming rubbish=0
  for place in "$store"/*; do
    ! is_rubbish "${place##*/}" || ! exists "$place" || rubbish=$((rubbish + 1))
  done
  for claim in "$incoming"/*.lock; do
    # A transfer without an owner.
    [ ! -L "$claim" ] || is_claimed "$claim" || rubbish=$((rubbish + 1))
  done
  [ "$rubbish" = 0 ] || {
    in_hexadecimal "$store"
    say rubbish "$hex" "$rubbish"
  }
}
