# Lists, receives and removes snapshots. A store of snapshots is named by its directory below that of the state: `targets/TARGET`,
# or another one on the coordinator.

# open_component STORE CONTAINER COMPONENT
open_component() {
  open_snapshots "$1"
  check_names "$2"
  check_component "$3"
  use_component "$snapshots" "$2" "$3"
}

# operation_snapshots STORE [CONTAINER COMPONENT]: each generation, with the facts about its snapshot.
operation_snapshots() {
  open_snapshots "$1"
  if [ $# = 3 ]; then
    open_component "$@"
    say_generations
    return
  fi
  for directory in "$snapshots"/generations/*/*/; do
    directory=${directory%/}
    [ -d "$directory" ] || continue
    container=${directory%/*}
    use_component "$snapshots" "${container##*/}" "${directory##*/}"
    say_generations
  done
}

# say_generations: `generation CONTAINER COMPONENT NUMBER SNAPSHOT SECONDS` for each, with the time at which it became the latest here.
say_generations() {
  case $container/$component in
    [.-]* | */[.-]* | *[!A-Za-z0-9_.+?=/-]*) return ;;
  esac
  each_generation | while IFS=' ' read -r number seconds name; do
    case $name in
      '' | [.-]* | *[!A-Za-z0-9_.+?=-]*) continue ;;
    esac
    [ -d "$payloads/$name" ] || continue
    case $seconds in
      '' | *[!0-9]*) seconds=- ;;
    esac
    say generation "$container" "$component" "$number" "$name" "$seconds"
    [ -f "$facts/$name" ] || continue
    while IFS=' ' read -r field word; do
      case $field/$word in
        */ | *[!A-Za-z0-9_.:+?=/%\\-]*) ;;
        *) say fact "$field" "$word" ;;
      esac
    done <"$facts/$name"
  done
}

# operation_snapshot_components STORE: each component of which there is anything, even if no generation refers to it.
operation_snapshot_components() {
  open_snapshots "$1"
  for directory in "$snapshots"/snapshots/*/*/ "$snapshots"/generations/*/*/; do
    directory=${directory%/}
    container=${directory%/*}
    container=${container##*/} component=${directory##*/}
    [ -d "$directory" ] || continue
    case $container$component in
      *[!A-Za-z0-9_.+?=-]*) ;;
      *) say component "$container" "$component" ;;
    esac
  done
}

# operation_snapshot_files STORE CONTAINER COMPONENT SNAPSHOT [verify]: the names of its files, and where they are. Without `verify`, only
# a snapshot of Dysnomia is verified: others are by whoever receives them.
operation_snapshot_files() {
  open_component "$1" "$2" "$3"
  check_component "$4"
  [ "${5-}" != verify ] && is_packed "$payloads/$4" || check_snapshot "$payloads/$4" "$4" || fail damaged-snapshot "the snapshot '$2/$3/$4' cannot be used"
  say directory "$(printf '%s' "$payloads/$4" | hexadecimal)"
  for file in "$payloads/$4"/*; do
    say file "${file##*/}"
  done
}

# operation_snapshot_missing STORE CONTAINER COMPONENT SNAPSHOT [FILE]...: which of the files of a snapshot no snapshot of the component has;
# none if the whole snapshot is there. What is there is verified; snapshots that are damaged are moved aside, and named.
operation_snapshot_missing() {
  open_component "$1" "$2" "$3"
  check_component "$4"
  name=$4 payload=$payloads/$4 holds=
  shift 4
  if has_all "$payload" "$@"; then
    if check_snapshot "$payload" "$name" 2>/dev/null; then
      say whole
      return
    fi
    drop_damaged "$name"
  fi
  choose_digester
  for file in "$@"; do
    decode "$file"
    find_intact "$decoded" || say missing "$decoded"
  done
}

# find_intact FILE: whether a snapshot has an archive of this name, with the checksum that it contains.
find_intact() {
  while find_archive "$1"; do
    ! check_archive "$found" || return 0
    found=${found%/*}
    drop_damaged "${found##*/}"
  done
  return 1
}

# drop_damaged NAME: moves a snapshot aside, so that nothing is built on it, and says so.
drop_damaged() {
  [ -n "$holds" ] || hold_snapshots
  holds=yes
  set_aside "$1" 2>/dev/null || cannot 'move aside' "$payloads/$1"
  say damaged "$1"
}

# has_all DIRECTORY [FILE]...: the names are still encoded.
has_all() {
  directory=$1
  shift
  for file in "$@"; do
    decode "$file"
    [ -e "$directory/$decoded" ] || return 1
  done
  [ -d "$directory" ]
}

# find_archive FILE: sets $found to an archive of this name, which contains its checksum; it was verified when it was made or received,
# and is again when a snapshot is unpacked.
find_archive() {
  case $1 in
    [0-9]*-*.tar*) ;;
    *) return 1 ;;
  esac
  for found in "$payloads"/*/"$1"; do
    [ ! -f "$found" ] || return 0
  done
  return 1
}

# operation_snapshot_commit STORE TRANSFER CONTAINER COMPONENT SNAPSHOT [FIELD WORD]... files [FILE]...: makes it the latest snapshot; verifies it,
# if its files have just been received. Those that were not sent are there already. The fields are facts about it.
operation_snapshot_commit() {
  open_component "$1" "$3" "$4"
  check_names "$2"
  check_component "$5"
  transfer=$snapshots/incoming/$2 name=$5 text=
  shift 5
  while [ $# -gt 0 ] && [ "$1" != files ]; do
    text="$text$1 $2$newline"
    shift 2
  done
  shift
  hold_snapshots
  has_all "$payloads/$name" "$@" || {
    [ ! -d "$payloads/$name" ] || discard_damaged
    assemble "$@"
  }
  add_snapshot "$transfer/payload" || cannot 'write below' "$snapshots"
  [ ! -d "$transfer" ] || discard_transfer "$transfer"
  make_directory "$facts"
  keep_verification
  [ -z "$text" ] || replace_text "$facts/$name" "$text" || cannot 'write below' "$facts"
}

# operation_note_verified STORE CONTAINER COMPONENT SNAPSHOT HOW TARGET: HOW is `content`, `loaded` or `failed`, and TARGET where it was
# verified. Nothing is noted of a snapshot that was removed meanwhile.
operation_note_verified() {
  open_component "$1" "$2" "$3"
  check_component "$4"
  check_names "$5" "$6"
  name=$4
  hold_snapshots
  [ -d "$payloads/$name" ] || return 0
  make_directory "$facts"
  text=
  [ ! -f "$facts/$name" ] || text=$(sed '/^verified/d' "$facts/$name")$newline
  replace_text "$facts/$name" "${text#"$newline"}verified $(date -u +%Y-%m-%dT%H:%M:%SZ)${newline}verified-how $5${newline}verified-on $6$newline" ||
    cannot 'write below' "$snapshots"
}

# discard_damaged: removes what is left of a snapshot, since a whole one of the name has arrived.
discard_damaged() {
  make_directory "$snapshots/incoming"
  mv "$payloads/$name" "$snapshots/incoming/damaged.$name.$$" || cannot 'move aside' "$payloads/$name"
  rm -rf "$snapshots/incoming/damaged.$name.$$"
}

# assemble [FILE]...: the names are still encoded.
assemble() {
  choose_digester
  mkdir "$transfer/payload" || cannot 'write below' "$transfer"
  for file in "$@"; do
    decode "$file"
    file=$decoded
    case $file in
      '' | . | .. | */*) fail bad-request "invalid name '$file'" ;;
    esac
    if [ -e "$transfer/$file" ] || [ -L "$transfer/$file" ]; then
      is_plain "$transfer/$file" && check_archive "$transfer/$file" && mv "$transfer/$file" "$transfer/payload/$file"
    else
      find_archive "$file" && { ln "$found" "$transfer/payload/$file" || cp "$found" "$transfer/payload/$file"; }
    fi || fail damaged-snapshot "'$file' of the snapshot '$container/$component/$name' is damaged or missing: run the same command again"
  done
  chmod -R go=,a-st "$transfer/payload" || cannot 'write below' "$transfer"
  if is_packed "$transfer/payload"; then
    check_listing "$transfer/payload" "$name" || fail damaged-snapshot "the snapshot '$container/$component/$name' is damaged"
  else
    note_checksum "$transfer/payload" || cannot 'write below' "$snapshots"
  fi
}

# note_checksum DIRECTORY: keeps Dysnomia's checksum of the snapshot $name, which was verified on the way.
note_checksum() {
  set -- "$1" "$snapshots/checksums/$container/$component"
  mkdir -p "$2" && sum=$(foreign_sum "$1" cat) && is_checksum "$sum" && replace_text "$2/$name" "sha256:$sum"
}

# operation_snapshot_discard STORE TRANSFER: discards what was received.
operation_snapshot_discard() {
  open_snapshots "$1"
  check_names "$2"
  discard_transfer "$snapshots/incoming/$2"
}

# operation_clean_snapshots STORE KEEP CONTAINER COMPONENT [--dry-run]: removes all but the last KEEP generations, and snapshots without a
# generation; says now and then how many: `removed COUNT`, `freed COUNT BYTES`. Keeps what a service is still to be restored from and, unless all
# are to be removed, what was replaced last.
operation_clean_snapshots() {
  open_component "$1" "$3" "$4"
  keep=$2
  is_number "$keep" || fail bad-request "invalid number '$keep'"
  hold_snapshots
  # A module of Dysnomia changes the store without holding it.
  state_directory "${1#targets/}" "$3" "$4"
  ! is_running "$directory" || return 0
  find_awaited "$1"
  {
    printf '%s' "$awaited"
    [ "$keep" = 0 ] || list_replaced
  } | list_unneeded "$keep" | remove_all_unneeded "${5-}"
}

# remove_all_unneeded [--dry-run] < LINES
remove_all_unneeded() {
  removed=0 freed=0 bytes=0
  while IFS=' ' read -r what name; do
    remove_unneeded "$1"
    [ "$((removed + freed))" -lt 500 ] || say_removed
  done
  say_removed
}

# remove_unneeded [--dry-run]: of $component the generation, or the snapshot, $name.
remove_unneeded() {
  case $what in
    generation)
      removed=$((removed + 1))
      [ -n "$1" ] || rm -f "$generations/$name"
      ;;
    sync) [ -n "$1" ] || sync "$generations" ;;
    snapshot)
      freed=$((freed + 1)) bytes=$((bytes + $(find "$payloads/$name" -type f -exec cat {} + | wc -c)))
      [ -n "$1" ] || rm -rf "${payloads:?}/$name" "${facts:?}/$name" "$snapshots/checksums/$container/$component/$name"
      ;;
  esac
}

say_removed() {
  [ "$removed" = 0 ] || say removed "$removed"
  [ "$freed" = 0 ] || say freed "$freed" "$bytes"
  removed=0 freed=0 bytes=0
}

# find_awaited STORE: sets $awaited to lines with the names of the snapshots from which services of a target are still to be restored.
find_awaited() {
  awaited=
  for record in "$state/$1/active"/*/"$container":*/record; do
    [ -f "$record" ] && [ ! -f "${record%/*}/restored" ] || continue
    while IFS=' ' read -r field word || [ -n "$field" ]; do
      [ "$field" = restore ] || continue
      decode "$word"
      awaited="$awaited$decoded$newline"
    done <"$record"
  done
}
