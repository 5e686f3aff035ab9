# Makes outputs valid on the machine that has built them.

# adopt_built MARKER STORE INCOMING REGISTRATIONS LOGS [NAME RECORD TIME]...: makes waiting outputs valid with these registrations, at this
# time (as of `touch -t`), and removes those with `-` or that are valid already.
adopt_built() {
  printf '\n%s\n' "$1"
  process_identity "$$"
  use_store "$identity" "$2" "$3" "$4" "$5"
  shift 5
  hold_commit
  trap 'rm -f "$registrations/../commit"' EXIT
  sync -f "$registrations" 2>/dev/null || sync
  # `commit_path` moves from here.
  incoming=$built
  while [ $# -ge 3 ]; do
    check_store_paths "/$1"
    if [ "$2" != - ] && exists "$built/paths/$1" && ! is_valid "$1"; then
      [ -f "$registrations/../altered/$1" ] || rm -f "$registrations/$1.json"
      TZ=UTC0 find "$built/paths/$1" -exec touch -h -t "$3" {} + 2>/dev/null
      [ -L "$built/paths/$1" ] || chmod -R a-w "$built/paths/$1"
      commit_path "$1" "$2" || cannot "move '$1' into" "$store"
    fi
    remove_tree "$built/paths/$1"
    shift 3
  done
  rmdir "$built/paths" "$built" 2>/dev/null
  printf 'adopted\n'
}

# commit_path NAME RECORD: makes a path valid.
commit_path() {
  [ ! -f "$registrations/$1.json" ] || [ -f "$registrations/../altered/$1" ] || return 0
  check_received "$1"
  place_paths "$1" || return 1
  decode "$2"
  replace_text "$registrations/$1.json" "$decoded"
  clear_marks "$1"
}
