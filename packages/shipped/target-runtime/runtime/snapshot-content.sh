# Packs the state of a component, as one of its modules has left it in a directory, and unpacks it.

# list_content DIRECTORY LISTS: writes LISTS.listing, which tells everything about the state in a directory, in order: lines
# `WORD MODE SIZE OWNER:GROUP/./PATH`. WORD is the checksum of a file, where a link points to, or `-` for a directory. At the top,
# links are followed, and names are plain. Sockets and pipes are not part of a state. In where links point to, `/` is written as `\057`.
# Modes are without what gives rights to whoever runs a file, which does not travel.
list_content() (
  LC_ALL=C lists=$2
  export LC_ALL
  cd "$1" || exit
  set -- ./*
  if [ -e "$1" ] || [ -L "$1" ]; then
    list_entries "$@" >"$lists.all" || exit
  else
    : >"$lists.all"
  fi
  {
    printf '%s\n' "$listing_title"
    list_files "$lists" && sed -n 's|^4\([^ ]*\) [^ ]* |- 4\1 - |p' "$lists.all" && list_links "$lists"
  } >"$lists.unsorted" || exit
  # Somebody else cannot own a file, so owners are of no interest there.
  owners='s|^|&|'
  [ "$(id -u)" = 0 ] || owners='s| [^ /]*/\./| -/./|'
  sed "$harmless; $owners" "$lists.unsorted" | sort -t / -k 2 >"$lists.listing"
)

# Takes set-user-ID, set-group-ID and sticky off the modes of files in a listing, and set-user-ID off those of directories. A directory
# with set-group-ID only gives its group to what is made there, and one that is sticky protects that.
harmless='s/^\([^ ]* \)8[2468ace]/\180/; s/^\([^ ]* \)8[3579bdf]/\181/
/^- 4[89a-f]/{
s/^- 48/- 40/; s/^- 49/- 41/; s/^- 4a/- 42/; s/^- 4b/- 43/; s/^- 4c/- 44/; s/^- 4d/- 45/; s/^- 4e/- 46/; s/^- 4f/- 47/
}'

# strip_rights DIRECTORY: takes them off what is there, and names the files.
strip_rights() {
  stripped=$(cd "$1" && find . -type f \( -perm -4000 -o -perm -2000 -o -perm -1000 \) -exec chmod a-st {} + -print &&
    find . -type d -perm -4000 -exec chmod u-s {} +) || return
  [ -z "$stripped" ] ||
    complain "set-user-ID, set-group-ID and sticky are not restored: $(printf '%s\n' "$stripped" | head -n 3 | tr '\n' ' ')"
}

# list_entries TOP...: prints a line `MODE SIZE OWNER:GROUP/PATH` for each entry.
list_entries() {
  stat -L -c '%f %s %U:%G/%n' "$@" || return
  strange=$(find -H "$@" -mindepth 1 -name "*$newline*" | head -n 2)
  [ -z "$strange" ] || {
    complain "a name contains a line break, which a snapshot cannot keep: $strange"
    return 1
  }
  find -H "$@" -mindepth 1 \( -type f -o -type d -o -type l \) -exec stat -c '%f %s %U:%G/%n' {} +
}

list_files() {
  sed -n '/^8/p' "$1.all" >"$1.files" && digest_files "$1" && same_length "$1.files" "$1.sums" &&
    sed 's/^\\//; s/ .*//' "$1.sums" | paste -d ' ' - "$1.files"
}

# digest_files LISTS: writes LISTS.sums, the checksums of the files in LISTS.files, in order; of much data, both halves at the same time.
digest_files() {
  bytes=$(awk '{ sum += $2 } END { printf "%.0f", sum }' "$1.files") && : >"$1.half" || return
  if [ "$bytes" -lt 33554432 ]; then
    digest_listed "$1.files" >"$1.sums"
    return
  fi
  awk -v bytes="$bytes" -v half="$1.half" 'sum * 2 < bytes { print >half } sum * 2 >= bytes { print } { sum += $2 }' "$1.files" >"$1.rest" || return
  digest_listed "$1.half" >"$1.sums" &
  digesting=$!
  digest_listed "$1.rest" >"$1.more"
  status=$?
  wait "$digesting" && [ "$status" = 0 ] && cat "$1.more" >>"$1.sums"
}

# digest_listed FILE: of the files in lines of a listing.
digest_listed() {
  # shellcheck disable=SC2086
  paths_of "$1" | tr '\n' '\0' | xargs -0 -r $digester
}

list_links() {
  sed -n '/^a/p' "$1.all" >"$1.links" && paths_of "$1.links" | tr '\n' '\0' | xargs -0 -r -n 1 readlink >"$1.targets" &&
    same_length "$1.links" "$1.targets" && sed 's/\\/\\\\/g; s/ /\\040/g; s|/|\\057|g' "$1.targets" | paste -d ' ' - "$1.links"
}

same_length() {
  [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ]
}

# paths_of FILE: the paths in lines of a listing.
paths_of() {
  sed -n 's|^[^/]*/\./|./|p' "$1"
}

# keep_snapshot DUMP COMPRESSOR: adds the content of a directory as the latest snapshot, unless it is the latest already. Sets $name. What a
# disk has altered of earlier ones must not become part of it.
keep_snapshot() {
  find_latest
  choose_digester
  work=$1.work
  [ -z "$latest" ] || require_intact "$latest" || return
  rm -rf "$work" && mkdir "$work" || return
  pack_at_rest "$1" "$2" && name=$(digest_of "$work/lists.listing") && is_checksum "$name" &&
    { [ "$name" = "$latest" ] || require_intact "$name"; } && in_turn add_snapshot "$work/packed"
  status=$?
  rm -rf "$work"
  return "$status"
}

# require_intact NAME: moves a snapshot aside if it is damaged.
require_intact() {
  [ ! -d "$payloads/$1" ] || check_snapshot "$payloads/$1" "$1" || in_turn set_aside "$1"
}


# pack_at_rest DUMP COMPRESSOR: packs it anew if a file has changed meanwhile, as the state of what runs may.
pack_at_rest() {
  tries=0
  while tries=$((tries + 1)) && [ "$tries" -le 3 ]; do
    rm -rf "$work/packed" && mkdir "$work/packed" || return
    watch_files "$1" >"$work/before" && list_content "$1" "$work/lists" && pack "$1" "$2" && watch_files "$1" >"$work/after" &&
      cmp -s "$work/before" "$work/after" && say_left_out && return
    [ -f "$work/after" ] || return
  done
  complain "files of the state change while it is read: $(diff "$work/before" "$work/after" | sed -n 's|^> [^/]*/||p' | head -n 3 | tr '\n' ' ')"
  return 1
}

# say_left_out: which files have bits that do not travel.
say_left_out() {
  left_out=$(sed -n 's|^8[2-9a-f][^/]*/\./||p' "$work/lists.all" | head -n 3 | tr '\n' ' ')
  [ -z "$left_out" ] || complain "set-user-ID, set-group-ID and sticky are not kept: $left_out"
}

# lines_without UNWANTED FILE: prints the lines of FILE that are not in UNWANTED.
lines_without() {
  awk 'FILENAME == ARGV[1] { unwanted[$0]; next } !($0 in unwanted)' "$1" "$2"
}

# watch_files DIRECTORY: prints what changes when a file does.
watch_files() (
  cd "$1" && set -- ./* && [ -e "$1" ] || exit 0
  find -H "$@" -type f -exec stat -c '%f %s %z %n' {} + | LC_ALL=C sort
)

# pack DUMP COMPRESSOR: fills $work/packed: links to the archives of the latest snapshot and an archive of what differs, or an archive
# of everything.
pack() {
  cp "$work/lists.listing" "$work/packed/listing" || return
  : >"$work/old" || return
  number=0
  if [ -n "$latest" ] && is_packed "$payloads/$latest" && can_add "$payloads/$latest"; then
    for archive in "$payloads/$latest"/*-*.tar*; do
      ln "$archive" "$work/packed/${archive##*/}" || cp "$archive" "$work/packed/${archive##*/}" || return
      number=$((number + 1))
    done
    cp "$payloads/$latest/listing" "$work/old" || return
  fi
  # What is at the top is made by name when it is unpacked, since it may be a link here.
  lines_without "$work/old" "$work/lists.listing" >"$work/changed" && paths_of "$work/changed" >"$work/paths" &&
    sed -n 's|^- [^/]*/\(\./[^/]*\)$|\1|p' "$work/changed" >"$work/tops" &&
    lines_without "$work/tops" "$work/paths" >"$work/members" || return
  [ ! -s "$work/members" ] || pack_members "$1" "$2" "$((number + 1))"
}

# can_add SNAPSHOT: whether an archive of changes may follow its archives: unless there are many already, most of what they have may be
# outdated, or a path has become another kind of thing, which could not be extracted over the old one.
can_add() {
  [ -f "$1/listing" ] && set -- "$1" "$1"/*-*.tar* && [ -f "$2" ] && [ $# -lt 11 ] || return
  kept=$(stat -c %s "$1"/*-*.tar* | awk '{ sum += $1 } END { printf "%.0f", sum }') && all=$(awk '/\// && $3 != "-" { sum += $3 } END { printf "%.0f", sum }' "$work/lists.listing") || return
  [ "$kept" -le "$((2 * all + 1048576))" ] || return
  for listing in "$1/listing" "$work/lists.listing"; do
    sed -n 's|^[^ ]* \(.\)[^/]*/\./|\1 ./|p' "$listing"
  done | LC_ALL=C sort -u | sed 's/^. //' | LC_ALL=C sort | uniq -d | grep -q . && return 1
  return 0
}

# pack_members DIRECTORY COMPRESSOR NUMBER: archives $work/members. Only tar of GNU reads names from a file, and takes names literally
# that end with NUL; for others, each archive has as many as can be arguments.
pack_members() {
  case $2 in
    zstd) compressed=.zst ;;
    gzip) compressed=.gz ;;
    *) compressed= ;;
  esac
  directory=$1 compressor=$2 number=$3
  if tar --version 2>/dev/null | grep -q GNU; then
    tr '\n' '\0' <"$work/members" >"$work/names" || return
    pack_archive tar -c -f - -C "$directory" --no-recursion --sparse --null -T "$work/names"
    return
  fi
  awk -v names="$work/names." '{ size += length($0) + 16; if (size > 16000) { part++; size = 0 } print >(names part + 0) }' \
    "$work/members" || return
  for names in "$work"/names.*; do
    tr '\n' '\0' <"$names" >"$work/names" || return
    pack_archive xargs -0 -x tar -c -f - -C "$directory" --no-recursion <"$work/names" || return
    number=$((number + 1))
  done
}

# pack_archive COMMAND...: keeps what it prints as the archive $number. The checksum is computed afterwards: pipes with small parts would
# take more time than reading what was just written.
pack_archive() {
  if [ "$compressor" = none ]; then
    "$@" >"$work/archive" || return
  else
    # The mark is gone when the first part of the pipe has succeeded.
    mkdir -p "$work/unfinished" && { tar_in_large_parts "$@" && rmdir "$work/unfinished"; } | compress "$compressor" >"$work/archive" &&
      [ ! -d "$work/unfinished" ] || return
  fi
  sum=$(digest_of "$work/archive") && is_checksum "$sum" && mv "$work/archive" "$work/packed/$(printf '%03d' "$number")-$sum.tar$compressed"
}

# choose_compressor WISH: sets $compressor to what is here, at best the wish.
choose_compressor() {
  for compressor in "$1" gzip; do
    [ "$compressor" = none ] || command -v "$compressor" >/dev/null && return
  done
  compressor=none
}

compress() {
  case $1 in
    zstd) zstd -q -c -1 ;;
    *) gzip -1 -c ;;
  esac
}

# unpack NAME DIRECTORY: leaves there exactly what was in the dump of a snapshot, verified.
unpack() {
  is_packed "$payloads/$1" || {
    check_snapshot "$payloads/$1" "$1" && (cd "$payloads/$1" && cp -R -p . "$2") && strip_rights "$2"
    return
  }
  choose_digester
  check_listing "$payloads/$1" "$1" && check_paths "$payloads/$1/listing" || return
  work=$2.work
  rm -rf "$work" && mkdir "$work" "$work/packed" && extract "$payloads/$1" "$2" && strip_rights "$2" && match_listing "$payloads/$1/listing" "$2"
  status=$?
  rm -rf "$work"
  [ "$status" = 0 ] || {
    if check_archives "$payloads/$1" "$1"; then complain "the snapshot '$1' cannot be unpacked"; elif [ "${davit_activity-}" != verify ]; then set_aside "$1"; fi
  }
  return "$status"
}

# check_paths LISTING: whether each path is below directories that are listed, and nothing else is in a line than `list_content` writes.
# Who took the snapshot may be hostile.
check_paths() {
  awk -v title="$listing_title" -v bits='[0-9a-f][0-9a-f][0-9a-f]' '
    NR == 1 { good = $0 == title; next }
    $0 !~ "^[^ /]+ (4" bits " -|[8a]" bits " [0-9]+) (-|[A-Za-z0-9_.][^ /]*)/[.]/[^/]" { good = 0; exit }
    {
      path = substr($0, index($0, "/./") + 2)
      parent = path
      sub("/[^/]*$", "", parent)
      if (path ~ "/[.]?[.]?(/|$)" || parent != "" && !(parent in directories)) { good = 0; exit }
      kind = $0
      sub("^[^ ]* ", "", kind)
      if (kind ~ /^4/) directories[path]
      if (kind ~ /^a/ && parent == "") { good = 0; exit }
    }
    END { exit !good }' "$1" || {
    complain "the listing of the snapshot has a path that cannot be restored"
    return 1
  }
}

# set_aside NAME: of a damaged snapshot, so that an intact one can take its place.
set_aside() {
  set -- "$1" "$snapshots/damaged/$component.$1"
  rm -rf "$2" && mkdir -p "$snapshots/damaged" && mv "$payloads/$1" "$2" && complain "it was moved to '$snapshots/damaged'"
}

# extract SNAPSHOT DIRECTORY: after each archive, only what the listing has as well is left. Nothing is extracted over something of another
# kind, nor through a link: if there are several archives, links are put aside until all are extracted.
extract() {
  sed -n 's|^[^ ]* \(.\)[^/]*/\./|\1 ./|p' "$1/listing" >"$work/kinds" || return
  set -- "$2" "$1"/*-*.tar*
  number=1
  for archive in "$@"; do
    [ "$archive" != "$1" ] && [ -f "$archive" ] || continue
    extract_archive "$archive" "$1" || return
    remove_unlisted "$1" && has_own_files "$1" || return
    [ $# -gt 2 ] || continue
    sed -n 's/^a //p' "$work/there" >"$work/members" && [ -s "$work/members" ] || continue
    rm -f "$work"/names.*
    pack_members "$1" none "$number" && (cd "$1" && tr '\n' '\0' <"$work/members" | xargs -0 rm -f) || return
    number=$((number + 1))
  done
  for archive in "$work/packed"/*.tar; do
    [ ! -f "$archive" ] || tar -x -p -f "$archive" -C "$1" || return
  done
}

# remove_unlisted DIRECTORY: and leaves the kinds and paths of what is there in $work/there.
remove_unlisted() {
  [ -z "$(find "$1" -name "*$newline*" | head -n 1)" ] || {
    complain 'a name in an archive contains a line break'
    return 1
  }
  (cd "$1" && find . -mindepth 1 -exec stat -c '%f %n' {} +) | sed 's/^\(.\)[^ ]* /\1 /' >"$work/found" || return
  lines_without "$work/kinds" "$work/found" | sed 's/^. //' >"$work/unlisted" && lines_without "$work/unlisted" "$work/found" >"$work/there" &&
    (cd "$1" && tr '\n' '\0' <"$work/unlisted" | xargs -0 -r rm -rf)
}

# extract_archive ARCHIVE DIRECTORY
extract_archive() {
  case $1 in
    *.tar) tar -x -p -f "$1" -C "$2" ;;
    *) decompress "$1" | tar_in_large_parts tar -x -p -f - -C "$2" ;;
  esac
}

decompress() {
  case $1 in
    *.zst) set -- zstd -q -d -c "$1" ;;
    *) set -- gzip -d -c "$1" ;;
  esac
  command -v "$1" >/dev/null || complain "'$1' is necessary to read this snapshot; install it here"
  "$@"
}

# has_own_files DIRECTORY: whether none of its files is outside as well.
has_own_files() {
  find "$1" -type f -links +1 -exec stat -c '%i %h' {} + >"$work/shared" &&
    awk '{ names[$1]++; links[$1] = $2 } END { for (file in names) if (names[file] != links[file]) exit 1 }' "$work/shared" || {
    complain 'an archive links to a file outside of it'
    return 1
  }
}

# match_listing LISTING DIRECTORY: makes what is at the top, and compares. Owners count if both who took the snapshot and who restores it
# may change them.
match_listing() {
  owners='s| [^ /]*/\./| -/./|'
  [ "$(id -u)" != 0 ] || grep -q '^[^/]* -/' "$1" || owners='s|^|&|'
  sed "$harmless; $owners" "$1" >"$work/expected" && sed -n 's|^- \([^ ]*\) - \([^/]*\)/\(\./[^/]*\)$|\1 \2 \3|p' "$work/expected" >"$work/tops" || return
  while IFS=' ' read -r mode owner path; do
    mkdir -p "$2/$path" && chmod "$(printf '%o' "$((0x$mode & 4095))")" "$2/$path" || return
    [ "$owner" = - ] || chown "$owner" "$2/$path" || return
  done <"$work/tops"
  list_content "$2" "$work/lists" && sed "$owners" "$work/lists.listing" >"$work/unpacked" || return
  cmp -s "$work/expected" "$work/unpacked" || {
    complain "what was unpacked differs from the listing: $(diff "$work/expected" "$work/unpacked" | grep '^[-+<>][^-+]' | head -n 4)"
    return 1
  }
}
