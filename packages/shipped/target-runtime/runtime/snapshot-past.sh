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

# note_saved: that the snapshot $name has all of the state, if nobody uses it any more.
note_saved() {
  [ -f "$snapshots/activated/$container/$component" ] || note saved "$name"
}

# note KIND TEXT
note() {
  mkdir -p "$snapshots/$1/$container" && replace_text "$snapshots/$1/$container/$component" "$2$newline"
}

# forget KIND...
forget() {
  for kind in "$@"; do
    forget_note "$snapshots/$kind/$container/$component" || return
  done
}

# note_restored SNAPSHOT: that the state has come from it, and from what it follows.
note_restored() {
  find_followed "$1"
  note restored "$1${followed:+$newline$(printf '%s' "$followed" | tr ':' '\n')}" && forget empty
}

# find_followed SNAPSHOT: sets $followed to the names of the snapshots from which its state had come, with colons between.
find_followed() {
  followed=
  [ -f "$facts/$1" ] || return 0
  while IFS=' ' read -r field word || [ -n "$field" ]; do
    [ "$field" != follows ] || { decode "$word" && followed=$decoded; }
  done <"$facts/$1"
}

# list_origins: prints the names of the snapshots from which the state has come, with colons between, the nearest ones.
list_origins() {
  [ ! -f "$snapshots/restored/$container/$component" ] || head -n 20 "$snapshots/restored/$container/$component" | paste -s -d : -
}

# can_be_replaced: whether the module takes snapshots, or there is nothing, as far as is known, of which to take one. Modules of Dysnomia do
# not say it.
can_be_replaced() {
  find_component ''
  [ ! -f "$davit_module.activities" ] || has_line "$davit_module.activities" snapshot || [ -f "$snapshots/empty/$container/$component" ] ||
    { [ ! -f "$snapshots/activated/$container/$component" ] && [ ! -f "$snapshots/garbage/$container/$component" ]; }
}

# keep_verification: adds to $text what is known here of the last verification of the snapshot $name, unless $text has that of a later one.
keep_verification() {
  [ -f "$facts/$name" ] && known=$(sed -n '/^verified/p' "$facts/$name") && [ -n "$known" ] || return 0
  given=$(printf '%s' "$text" | sed -n '/^verified /p')
  [ "$given" = "$(printf '%s\n' "$given" "${known%%"$newline"*}" | LC_ALL=C sort | tail -n 1)" ] ||
    text=$(printf '%s' "$text" | sed '/^verified/d')$newline$known$newline
  text=${text#"$newline"}
}
