# Operations of the client interface on the snapshots of this machine.

# client_query_snapshots all|latest CONTAINER COMPONENT: the relative names of snapshots, oldest first. An empty container or component
# stands for all.
client_query_snapshots() {
  find_store
  which=$1
  each_component "$2" "$3" print_generations
}

# each_component CONTAINER COMPONENT COMMAND...: calls it for each component of which there is anything.
each_component() {
  plain_name "$1"
  only_container=$name
  plain_name "$2"
  only_component=$name
  shift 2
  for directory in "$snapshots"/generations/*/*/; do
    directory=${directory%/}
    [ -d "$directory" ] || continue
    container=${directory%/*}
    use_component "$snapshots" "${container##*/}" "${directory##*/}"
    case ${only_container:-$container}/${only_component:-$component} in
      "$container/$component") "$@" || return ;;
    esac
  done
}

print_generations() {
  each_generation | sort -n | {
    if [ "$which" = all ]; then cat; else tail -n 1; fi
  } | while IFS=' ' read -r _ _ latest; do
    printf '%s\n' "$container/$component/$latest"
  done
}

# client_print_missing NAME...
client_print_missing() {
  find_store
  for path in "$@"; do
    check_snapshot_name "$path"
    [ -d "$snapshots/snapshots/$path" ] || printf '%s\n' "$path"
  done
}

# client_resolve NAME...
client_resolve() {
  find_store
  for path in "$@"; do
    check_snapshot_name "$path"
    printf '%s\n' "$snapshots/snapshots/$path"
  done
}

# check_snapshot_name CONTAINER/COMPONENT/NAME
check_snapshot_name() {
  case $1 in
    /* | */ | *//* | ../* | */../* | */.. | ./* | */./* | */. | */*/*/*) ;;
    */*/*) return ;;
  esac
  fail bad-request "'$1' is not the name of a snapshot: CONTAINER/COMPONENT/NAME"
}

# client_send_snapshot PATH: an archive of a directory on this machine.
client_send_snapshot() {
  [ -d "$1" ] || fail cannot-read "there is no directory '$1'"
  set -- "${1%"${1##*[!/]}"}"
  cd "${1%/*}/" && tar -cf - -- "${1##*/}"
}

# client_import_snapshots CONTAINER COMPONENT [DIRECTORY]...: makes directories of this machine the latest snapshots, in this order. What the
# store has already is only made the latest.
client_import_snapshots() {
  begin_import "$1" "$2"
  shift 2
  for path in "$@"; do
    [ -d "$path" ] || fail cannot-read "there is no directory '$path'"
    plain_path=${path%"${path##*[!/]}"}
    check_snapshot_part "${plain_path##*/}"
    case $plain_path in
      "$payloads"/*) ;;
      # What a link leads to.
      *) cp -R -p -- "$plain_path/." "$incoming/${plain_path##*/}" || cannot 'write below' "$incoming" ;;
    esac
    keep_imported "${plain_path##*/}"
  done
}

# client_receive_snapshot CONTAINER COMPONENT NAME: its archive follows on standard input.
client_receive_snapshot() {
  begin_import "$1" "$2"
  check_snapshot_part "$3"
  tar -xof - -C "$incoming" && [ -d "$incoming/$3" ] || fail incomplete-archive "the snapshot '$3' has not arrived"
  is_plain "$incoming/$3" || fail damaged-snapshot "the snapshot '$3' has something else than files and directories: '${strange##*/}'"
  keep_imported "$3"
}

# begin_import CONTAINER COMPONENT: makes $incoming, which is removed at the end.
begin_import() {
  find_store
  make_store
  plain_name "$1"
  set -- "$name" "$2"
  plain_name "$2"
  check_snapshot_part "$1" "$name"
  use_component "$snapshots" "$1" "$name"
  make_directory "$snapshots/incoming"
  incoming=$(mktemp -d "$snapshots/incoming/by-hand.XXXXXXXX") || cannot 'write below' "$snapshots"
  trap 'rm -rf "$incoming"' EXIT
  davit_runner=$self
}

check_snapshot_part() {
  for part in "$@"; do
    case $part in
      '' | [.-]* | *[!A-Za-z0-9_.+?=-]*) fail bad-request "invalid name '$part'" ;;
    esac
  done
}

# keep_imported NAME: a snapshot of davit has to be what its name says; that of Dysnomia gets the checksum of what has arrived.
keep_imported() {
  name=$1
  check_snapshot_part "$name"
  if [ -d "$payloads/$name" ]; then
    check_snapshot "$payloads/$name" "$name" || in_turn set_aside "$name" || exit 1
  fi
  if [ ! -d "$payloads/$name" ]; then
    [ -d "$incoming/$name" ] && [ ! -L "$incoming/$name" ] || fail damaged-snapshot "the snapshot '$name' is damaged"
    ! is_packed "$incoming/$name" || check_snapshot "$incoming/$name" "$name" || exit 1
    # What others brought runs as nobody else.
    find "$incoming/$name" -type f -exec chmod a-st {} + || cannot 'write below' "$incoming"
  fi
  in_turn add_imported || cannot 'write below' "$snapshots"
}

add_imported() {
  [ -d "$payloads/$name" ] || is_packed "$incoming/$name" || {
    sum=$(foreign_sum "$incoming/$name" cat) && is_checksum "$sum" && make_places "$snapshots/checksums/$container/$component" &&
      rename_text "$snapshots/checksums/$container/$component/$name" "sha256:$sum" || return
  }
  add_snapshot "$incoming/$name"
}

# client_clean_snapshots KEEP CONTAINER COMPONENT
client_clean_snapshots() {
  find_store
  keep=$1 davit_runner=$self
  [ -d "$snapshots" ] || return 0
  each_component "$2" "$3" in_turn clean_component
}

# clean_component: removes all but the last generations, and what none of these refers to. Unless all are to be removed, what was replaced last
# stays.
clean_component() {
  {
    [ "$keep" = 0 ] || list_replaced
  } | list_unneeded "$keep" | while IFS=' ' read -r what unneeded; do
    case $what in
      generation) rm -f "$generations/$unneeded" ;;
      snapshot)
        printf '%s\n' "removing the snapshot '$container/$component/$unneeded'" >&2
        rm -rf "${payloads:?}/$unneeded" "${facts:?}/$unneeded" "$snapshots/checksums/$container/$component/$unneeded"
        ;;
    esac || exit
  done || return
  for kind in generations snapshots checksums facts; do
    rmdir "$snapshots/$kind/$container/$component" "$snapshots/$kind/$container" 2>/dev/null || :
  done
}
