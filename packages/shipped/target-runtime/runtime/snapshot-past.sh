# What a store of snapshots knows of the past of the state of a component.

# note_replaced SNAPSHOT: before it is restored, protects the latest snapshot, which is that of what it replaces. If a restoration does not
# end, what the next one finds was perhaps half replaced: then both are protected.
note_replaced() {
  find_latest
  [ -n "$latest" ] && [ "$latest" != "$1" ] || return 0
  set -- "$snapshots/replacing/$container/$component"
  mkdir -p "${1%/*}" || return
  names=
  [ ! -f "$1" ] || names=$(cat "$1")$newline
  replace_text "$1" "$names$latest$newline"
}

# end_replacement: only what was replaced last is protected from now on.
end_replacement() {
  [ ! -f "$snapshots/replacing/$container/$component" ] || {
    mkdir -p "$snapshots/replaced/$container" &&
      mv -f "$snapshots/replacing/$container/$component" "$snapshots/replaced/$container/$component" && sync "$snapshots/replaced/$container"
  }
}

# list_replaced: prints the names of the snapshots that are protected.
list_replaced() {
  for path in "$snapshots/replacing/$container/$component" "$snapshots/replaced/$container/$component"; do
    [ ! -f "$path" ] || cat "$path"
  done
}
