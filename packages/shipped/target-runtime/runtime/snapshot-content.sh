# Packs the state of a component, as one of its modules has left it in a directory, and unpacks it.

# list_content DIRECTORY LISTS [OWNERS]: writes LISTS.listing, which tells everything about the state in a directory, in order: lines
# `WORD MODE SIZE OWNER:GROUP/./PATH`. WORD is the checksum of a file, where a link points to, or `-` for a directory. At the top,
# links are followed, and names are plain. Sockets and pipes are not part of a state. In where links point to, `/` is written as `\057`.
# Modes are without what gives rights to whoever runs a file, which does not travel. OWNERS says how owners are written (see owner_words).
list_content() (
  LC_ALL=C lists=$2 owners=${3-}
  export LC_ALL
  cd "$1" || exit
  set -- ./*
  if [ -e "$1" ] || [ -L "$1" ]; then
    list_entries "$@" >"$lists.entries" || exit
  else
    : >"$lists.entries"
  fi
  # Somebody else cannot own a file, so owners are of no interest there.
  [ "$(id -u)" = 0 ] || owners=none
  rm -f "$lists.numbered"
  admit <"$lists.entries" | owner_words "$owners" "$lists.numbered" >"$lists.all" || exit
  {
    if [ -f "$lists.numbered" ]; then printf '%s\n' "$numbered_title"; else printf '%s\n' "$listing_title"; fi
    list_files "$lists" && sed -n 's|^4\([^ ]*\) [^ ]* |- 4\1 - |p' "$lists.all" && list_links "$lists"
  } >"$lists.unsorted" || exit
  sed "$harmless" "$lists.unsorted" | sort -t / -k 2 >"$lists.listing"
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

# list_entries TOP...: prints a line `MODE SIZE UID:GID:OWNER:GROUP/PATH` for each entry.
list_entries() {
  stat -L -c '%f %s %u:%g:%U:%G/%n' "$@" || return
  strange=$(find -H "$@" -mindepth 1 -name "*$newline*" | head -n 2)
  [ -z "$strange" ] || {
    complain "a name contains a line break, which a snapshot cannot keep: $strange"
    return 1
  }
  find -H "$@" -mindepth 1 \( -type f -o -type d -o -type l \) -exec stat -c '%f %s %u:%g:%U:%G/%n' {} +
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
  paths_of "$1" | where_to_read | tr '\n' '\0' | xargs -0 -r ${digester:-sha256sum}
}

list_links() {
  sed -n '/^a/p' "$1.all" >"$1.links" || return
  [ -s "$1.links" ] || return 0
  paths_of "$1.links" | tr '\n' '\0' | xargs -0 -r -n 1 readlink >"$1.targets" &&
    { same_length "$1.links" "$1.targets" || { complain 'where a link points to contains a line break, which a snapshot cannot keep'; false; }; } && sed 's/\\/\\\\/g; s/ /\\040/g; s|/|\\057|g' "$1.targets" | paste -d ' ' - "$1.links"
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
  work=$1.work rules=$1.rules
  [ -z "$latest" ] || require_intact "$latest" || return
  rm -rf "$work" && mkdir "$work" "$work/copies" || return
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

# lines_without UNWANTED FILE: prints the lines of FILE that are not in UNWANTED.
lines_without() {
  awk 'FILENAME == ARGV[1] { unwanted[$0]; next } !($0 in unwanted)' "$1" "$2"
}

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
  number=$((number + 1))
  split_members "$1" || return
  for kind in plain changed sparse; do
    [ -s "$work/members.$kind" ] || continue
    mv "$work/members.$kind" "$work/members" && rm -f "$work"/names.* || return
    case $kind in
      plain) pack_members "$1" "$2" "$number" ;;
      changed) pack_members "$work/copies" "$2" "$number" ;;
      sparse) pack_sparse "$1" "$2" ;;
    esac || return
  done
}

# split_members DIRECTORY: divides $work/members into those that are packed as they are, copies, and files with holes.
split_members() {
  : >"$work/members.plain" && : >"$work/members.changed" && : >"$work/members.sparse" || return
  if [ -s "$work/copied" ]; then
    awk -v changed="$work/members.changed" 'FILENAME == ARGV[1] { copied[$0]; next } { if ($0 in copied) print >changed; else print }' \
      "$work/copied" "$work/members" >"$work/uncopied"
  else
    cp "$work/members" "$work/uncopied"
  fi || return
  # Small ones would gain nothing.
  sed -n 's|^[^ ]* 8[^ ]* \([0-9]\{7,\}\) [^/]*/\./|\1 ./|p' "$work/changed" | sed -n 's/^[0-9]* //p' >"$work/large" || return
  [ -s "$work/large" ] || {
    mv "$work/uncopied" "$work/members.plain"
    return
  }
  (cd "$1" && tr '\n' '\0' <"$work/large" | xargs -0 -r stat -c '%b %B %s %n') |
    awk '$1 * $2 + 65536 < $3 { sub(/^[0-9]+ [0-9]+ [0-9]+ /, ""); print }' >"$work/holed" &&
    awk -v sparse="$work/members.sparse" -v plain="$work/members.plain" '
      FILENAME == ARGV[1] { holed[$0]; next } { if ($0 in holed) print >sparse; else print >plain }' "$work/holed" "$work/uncopied"
}

# pack_sparse DIRECTORY COMPRESSOR: an archive with `sparse` in its name has holes as zeros, which any tar can read, so it is always compressed.
pack_sparse() {
  compressor=$2
  [ "$2" != none ] || choose_compressor zstd
  archive_kind=sparse-
  pack_members "$1" "$compressor" "$number"
  set -- "$?"
  archive_kind=
  return "$1"
}
archive_kind=

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
# that end with NUL; for others, each archive has as many as can be arguments. Leaves the next number in $number.
pack_members() {
  case $2 in
    zstd) compressed=.zst ;;
    gzip) compressed=.gz ;;
    *) compressed= ;;
  esac
  directory=$1 compressor=$2 number=$3
  if is_gnu_tar; then
    tr '\n' '\0' <"$work/members" >"$work/names" || return
    pack_archive tar --format=gnu -c -f - -C "$directory" --no-recursion --null -T "$work/names"
    return
  fi
  awk -v names="$work/names." '{ size += length($0) + 16; if (size > 16000) { part++; size = 0 } print >(names part + 0) }' \
    "$work/members" || return
  for names in "$work"/names.*; do
    tr '\n' '\0' <"$names" >"$work/names" || return
    pack_archive xargs -0 -x tar -c -f - -C "$directory" --no-recursion <"$work/names" || return
  done
}

is_gnu_tar() {
  [ -n "$gnu_tar" ] || case $(tar --version 2>/dev/null) in
    *GNU*) gnu_tar=yes ;;
    *) gnu_tar=no ;;
  esac
  [ "$gnu_tar" = yes ]
}
gnu_tar=

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
  sum=$(digest_of "$work/archive") && is_checksum "$sum" && mv "$work/archive" "$work/packed/$(printf '%03d' "$number")-$archive_kind$sum.tar$compressed" &&
    number=$((number + 1))
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
  work=$2.work rules='' unreadable=
  rm -rf "$work" && mkdir "$work" "$work/packed" && resolve_owners "$payloads/$1/listing" && extract "$payloads/$1" "$2" && strip_rights "$2" && match_listing "$payloads/$1/listing" "$2"
  status=$?
  rm -rf "$work"
  [ "$status" = 0 ] || {
    if check_archives "$payloads/$1" "$1"; then
      complain "the snapshot '$1' cannot be unpacked"
      [ -z "$unreadable" ] || is_gnu_tar || complain 'an earlier version of davit may have packed sparse files in it, as only tar of GNU reads them; install that here'
    elif [ "${davit_activity-}" != verify ]; then
      set_aside "$1"
    fi
  }
  return "$status"
}

# check_paths LISTING: whether each path is listed once, below directories that are listed, and nothing else is in a line than `list_content` writes.
# Who took the snapshot may be hostile.
check_paths() {
  awk -v title="$listing_title" -v numbered="$numbered_title" -v bits='[0-9a-f][0-9a-f][0-9a-f]' '
    NR == 1 { good = $0 == title || $0 == numbered; next }
    $0 !~ "^[^ /]+ (4" bits " -|[8a]" bits " [0-9]+) (-|[A-Za-z0-9_.][^ /]*)/[.]/[^/]" { good = 0; exit }
    {
      path = substr($0, index($0, "/./") + 2)
      parent = path
      sub("/[^/]*$", "", parent)
      if (path in listed || path ~ "/[.]?[.]?(/|$)" || parent != "" && !(parent in directories)) { good = 0; exit }
      listed[path]
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

# extract SNAPSHOT DIRECTORY: after each archive, only what the listing has as well is left. Nothing is extracted over something of another
# kind, nor through a link: if there are several archives, links are put aside until all are extracted.
extract() {
  sed -n 's|^[^ ]* \(.\)[^/]*/\./|\1 ./|p' "$1/listing" >"$work/kinds" || return
  set -- "$2" "$1"/*-*.tar*
  number=1
  for archive in "$@"; do
    [ "$archive" != "$1" ] && [ -f "$archive" ] || continue
    extract_archive "$archive" "$1" || {
      unreadable=yes
      return 1
    }
    remove_unlisted "$1" && has_own_files "$1" || return
    [ $# -gt 2 ] || continue
    sed -n 's/^a //p' "$work/there" >"$work/members" && [ -s "$work/members" ] || continue
    rm -f "$work"/names.*
    pack_members "$1" none "$number" && (cd "$1" && tr '\n' '\0' <"$work/members" | xargs -0 rm -f) || return
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
  lines_without "$work/kinds" "$work/found" >"$work/unlisted" || return
  [ -s "$work/unlisted" ] || {
    mv "$work/found" "$work/there"
    return
  }
  lines_without "$work/unlisted" "$work/found" >"$work/there" &&
    (cd "$1" && sed 's/^. //' "$work/unlisted" | tr '\n' '\0' | xargs -0 -r rm -rf)
}

# extract_archive ARCHIVE DIRECTORY
extract_archive() {
  case $1 in
    *-sparse-*) ! can_make_holes || { extract_sparse "$@"; return; } ;;
  esac
  case $1 in
    *.tar) tar -x -p -f "$1" -C "$2" ;;
    *) decompress "$1" | tar_in_large_parts tar -x -p -f - -C "$2" ;;
  esac
}

can_make_holes() {
  is_gnu_tar && printf x | dd iflag=fullblock conv=sparse of=/dev/null 2>/dev/null || {
    complain 'the holes of sparse files are filled, since tar or dd cannot make any here'
    return 1
  }
}

# extract_sparse ARCHIVE DIRECTORY: writes each file with holes where it has zeros. Who made the archive may be hostile: nothing is written
# but in a directory that is really in this one, nor through a link. Modes and owners come from the listing.
extract_sparse() (
  root=$(cd -P -- "$2" && pwd -P) || exit
  export root
  # Other directories are in an archive before this one.
  (cd "$root" && sed -n 's|^4 \(\./[^/]*\)$|\1|p' "$work/kinds" | tr '\n' '\0' | xargs -0 -r mkdir -p) || exit
  # shellcheck disable=SC2016
  decompress "$1" | tar_in_large_parts tar -x -f - -C "$root" --no-same-owner --to-command='
    name=${TAR_FILENAME#./}
    case $name in */*) place=$root/${name%/*} ;; *) place=$root ;; esac
    cd -P -- "$place" && [ "$(pwd -P)" = "$place" ] && rm -f -- "./${name##*/}" &&
      dd bs=65536 iflag=fullblock conv=sparse of="./${name##*/}" 2>/dev/null && touch -d "@${TAR_MTIME%%.*}" "./${name##*/}"'
)

decompress() {
  case $1 in
    *.tar) set -- cat "$1" ;;
    *.zst) set -- zstd -q -d -c "$1" ;;
    *) set -- gzip -d -c "$1" ;;
  esac
  command -v "$1" >/dev/null || complain "'$1' is necessary to read this snapshot; install it here"
  "$@"
}

# has_own_files DIRECTORY: whether none of its files is outside as well.
has_own_files() {
  find "$1" -type f -links +1 -exec stat -c '%i %h' {} + >"$work/shared" && { [ ! -s "$work/shared" ] ||
    awk '{ names[$1]++; links[$1] = $2 } END { for (file in names) if (names[file] != links[file]) exit 1 }' "$work/shared"; } || {
    complain 'an archive links to a file outside of it'
    return 1
  }
}

# match_listing LISTING DIRECTORY: makes what is at the top, sets owners and modes, and compares. Owners count if both who took the snapshot
# and who restores it may change them.
match_listing() {
  sed "$harmless" "$1" >"$work/harmless" && expect_owners <"$work/harmless" >"$work/expected" &&
    sed -n 's|^- [^ ]* - [^/]*/\(\./[^/]*\)$|\1|p' "$work/expected" >"$work/tops" || return
  (cd "$2" && tr '\n' '\0' <"$work/tops" | xargs -0 -r mkdir -p) && amend_entries "$2" && list_content "$2" "$work/lists" "$owner_kind" || return
  sed 1d "$work/expected" >"$work/wanted" && sed 1d "$work/lists.listing" >"$work/unpacked" || return
  cmp -s "$work/wanted" "$work/unpacked" || {
    complain "what was unpacked differs from the listing: $(diff "$work/wanted" "$work/unpacked" | grep '^[-+<>][^-+]' | head -n 4)"
    return 1
  }
}
