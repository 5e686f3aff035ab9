# Reads the state of a program that may be running, and says what of it is not in the snapshot.
#
# A module may leave a file `$DAVIT_SNAPSHOT.rules` beside the snapshot, with lines
#   at ENTRY PATH       what the entry at the top of the snapshot is called in patterns and messages; `.` for no name
#   exclude PATTERN     a path to leave out, with all below: `*` and `?` stand for anything but `/`, and `**/` at the beginning for any directories
#   owners numbers      numbers count for owners, not names
#   user NAME, group NAME   except for these accounts

# pack_at_rest DUMP COMPRESSOR: files that change while they are read, as those of what runs may, are copied, and everything is packed again.
pack_at_rest() {
  [ -f "$rules" ] || : >"$rules" || return
  : >"$work/sizes" && : >"$work/copied" && note_attributes "$1" || return
  tries=0
  while tries=$((tries + 1)) && [ "$tries" -le 8 ]; do
    [ "$tries" = 1 ] || rm -rf "$work/packed" "$work/after" && mkdir "$work/packed" || return
    watch_files "$1" >"$work/before" || return
    list_content "$1" "$work/lists" && is_unchanged "$1" && pack "$1" "$2" && is_unchanged "$1" && {
      say_left_out "$1"
      return
    }
    is_unchanged "$1" && cmp -s "$work/before" "$work/after" && return 1
    copy_changed "$1" || return
  done
  sed 's|^\./||' "$work/moving" | name_some 'files of the state change while it is read'
  return 1
}

# watch_files DIRECTORY: prints what changes when a file does.
watch_files() (
  cd "$1" && set -- ./* && [ -e "$1" ] || exit 0
  find -H "$@" -type f -exec stat -c '%f %s %i %z/%n' {} + | admit watch | LC_ALL=C sort
)

# is_unchanged DIRECTORY: whether no file has changed since $work/before; those that have are in $work/moving. What has come since then
# belongs to the next snapshot, and what has gone was read.
is_unchanged() {
  watch_files "$1" >"$work/after" || return
  awk '
    { at = index($0, "/./"); path = substr($0, at + 1) }
    FILENAME == ARGV[1] { before[path] = substr($0, 1, at); next }
    path in before && before[path] != substr($0, 1, at) { print path }' "$work/before" "$work/after" >"$work/moving" && [ ! -s "$work/moving" ]
}

# copy_changed DIRECTORY: copies the files in $work/moving, at the length that they have now.
copy_changed() {
  while IFS= read -r path; do
    find_place "$1" && copy_file "$1/$path" || return
  done <"$work/moving"
  LC_ALL=C sort -u "$work/sizes" >"$work/sizes.new" && mv "$work/sizes.new" "$work/sizes" &&
    sed 's|^[^/]*/\./|./|' "$work/sizes" >"$work/copied"
}

# find_place DIRECTORY: sets $place to where $path is, below what the entry at the top links to, if there is no link further down.
find_place() {
  place=${path#./}
  case $place in
    */*) place=$(cd -P "$1/${place%%/*}" 2>/dev/null && pwd -P)/${place#*/} ;;
    *) place=$(cd -P "$1" && pwd -P)/$place ;;
  esac
}

# copy_file FILE: of $path, which must be what is at $place: whoever owns a directory may put a link to the file of somebody else there.
# What only grows is the same when it is read again up to the length that it had. Its owner may put something else
# in its place: so owner and mode are those of what was read.
copy_file() {
  copy=$work/copies/$path attempts=0
  mkdir -p "${copy%/*}" || return
  while attempts=$((attempts + 1)) && [ "$attempts" -le 5 ]; do
    [ -f "$1" ] && [ ! -L "$1" ] || return 0
    found=$({ read_open; } 8<"$1") && {
      printf '%s/%s\n' "$found" "$path" >>"$work/sizes"
      return
    }
  done
  [ -f "$1" ] || return 0
  complain "'${path#./}' changes while it is read, and does not only grow; a snapshotCommand may have the program write it down, or snapshotExclude leave it out"
  return 1
}

# read_open: copies the file that is open, and prints `MODE SIZE UID:GID:OWNER:GROUP`.
read_open() {
  facts=$(stat -L -c '%f %s %u:%g:%U:%G' /proc/self/fd/8) && bytes=${facts#* } && bytes=${bytes%% *} && owner=${facts##* } || return
  case $facts in 8*) ;; *) return 1 ;; esac
  [ "$(readlink /proc/self/fd/8)" = "$place" ] || return
  rm -f "$copy" && head -c "$bytes" <&8 >"$copy" && [ "$(($(wc -c <"$copy")))" = "$bytes" ] &&
    head -c "$bytes" </proc/self/fd/8 | cmp -s - "$copy" || return
  group=${owner#*:}
  { [ "$(id -u)" != 0 ] || chown "${owner%%:*}:${group%%:*}" "$copy"; } && chmod "$(printf '%o' "$((0x${facts%% *} & 511))")" "$copy" &&
    printf '%s' "$facts"
}

# where_to_read < PATHS: replaces those of files that were copied.
where_to_read() {
  if [ -n "${rules-}" ] && [ -s "$work/copied" ]; then
    awk -v copies="$work/copies/" 'FILENAME == ARGV[1] { copied[$0]; next } { print (($0 in copied) ? copies : "") $0 }' "$work/copied" -
  else
    cat
  fi
}

# admit [watch] < LINES: prints those `… /./PATH` that are not left out, and writes the paths that are to $work/excluded. Of a file that was
# copied, the line is that of the copy; or it is not watched any more. The mode of a file with an access control list has the rights that
# anybody in the list has at most: instead, it gets those of the group.
admit() {
  [ -n "${rules-}" ] || {
    cat
    return
  }
  rm -f "$work/excluded"
  [ -s "$rules" ] || [ -s "$work/sizes" ] || [ -s "$work/acls" ] || {
    cat
    return
  }
  awk -v excluded="$work/excluded" -v watch="${1-}" '
    function matches(pattern, text,   i, j, star, mark, c) {
      i = j = 1
      while (j <= length(text)) {
        c = substr(pattern, i, 1)
        if (c == "*") { star = i++; mark = j }
        else if (c != "" && (c == "?" || c == substr(text, j, 1))) { i++; j++ }
        else if (star) { i = star + 1; j = ++mark }
        else return 0
      }
      while (substr(pattern, i, 1) == "*") i++
      return i > length(pattern)
    }
    function starts(number, from,   i) {
      for (i = 1; i <= parts[number]; i++) if (!matches(part[number, i], step[from + i])) return 0
      return 1
    }
    function is_excluded(path,   n, i, k, from) {
      n = split(path, name, "/")
      if (n < 3) return 0
      shown = name[2] in place ? place[name[2]] : name[2]
      count = shown == "." ? 0 : split(shown, step, "/")
      for (i = 3; i <= n; i++) step[++count] = name[i]
      for (k = 1; k <= patterns; k++) if (parts[k])
        for (from = 0; from + parts[k] <= count && (from == 0 || anywhere[k]); from++) if (starts(k, from)) return 1
      return 0
    }
    FILENAME == ARGV[1] {
      if ($1 == "at") place[$2] = substr($0, length($2) + 5)
      if ($1 == "exclude") {
        text = substr($0, 9)
        patterns++
        anywhere[patterns] = sub(/^[*][*]\//, "", text)
        parts[patterns] = split(text, words, "/")
        for (i = 1; i <= parts[patterns]; i++) part[patterns, i] = words[i]
      }
      next
    }
    FILENAME == ARGV[2] { at = index($0, "/./"); copy[substr($0, at + 1)] = substr($0, 1, at - 1); next }
    FILENAME == ARGV[3] { listed[substr($0, 3)] = $1; next }
    {
      at = index($0, "/./")
      path = substr($0, at + 1)
      if (patterns && is_excluded(path)) {
        text = ""
        for (i = 1; i <= count; i++) text = text "/" step[i]
        print substr(text, 2) >excluded
        next
      }
      if (watch != "") { if (!(path in copy)) print; next }
      head = path in copy && /^8/ ? copy[path] : substr($0, 1, at - 1)
      if (path in listed && head ~ /^[48]/) {
        # Bits 3 to 5 are in two hexadecimal digits.
        high = int((index("0123456789abcdef", substr(head, 3, 1)) - 1) / 4) * 4 + int(listed[path] / 2)
        low = (index("0123456789abcdef", substr(head, 4, 1)) - 1) % 8 + listed[path] % 2 * 8
        head = substr(head, 1, 2) substr("0123456789abcdef", high + 1, 1) substr("0123456789abcdef", low + 1, 1) substr(head, 5)
      }
      print head substr($0, at)
    }' "$rules" "$work/sizes" "$work/acls" -
}

# note_attributes DIRECTORY: finds what files have that does not travel, as far as utilities here show it. tar of GNU reads no content for
# an archive that nobody gets.
note_attributes() {
  : >"$work/acls" && : >"$work/attributes" && : >"$work/flags" || return
  # So that it is known outside of the subshell as well.
  is_gnu_tar
  (
    LC_ALL=C
    export LC_ALL
    cd "$1" && set -- ./* && [ -e "$1" ] || exit 0
    find -H "$@" \( -type f -o -type d \) >"$work/members" || exit
    if is_gnu_tar; then
      sed 's|^\./[^/]*$|&/.|' "$work/members" | tr '\n' '\0' | tar --xattrs --xattrs-include='*' --acls --hard-dereference --numeric-owner --quoting-style=literal -cvvvf /dev/null --no-recursion \
        --null -T - 2>/dev/null | awk -v acls="$work/acls" '
        function rights(who) { return match($0, "[ ,]" who "::[-rwx]+") ? substr($0, RSTART + length(who) + 3, 3) : "rwx" }
        /^  [ad]: / {
          digit = 0
          for (i = 1; i <= 3; i++) digit = digit * 2 + (substr(rights("group"), i, 1) != "-" && substr(rights("mask"), i, 1) != "-")
          if ($1 == "a:") print digit " " path >acls
          next
        }
        /^  x: / {
          if ($3 ~ /^system[.]posix_acl/) print "list " path
          if ($3 == "security.capability") print "capability " path
          if ($3 ~ /^(user|trusted)[.]/) print "attribute " path
          next
        }
        { path = substr($0, index($0, " ./") + 1); sub(/\/$/, "", path); sub(/\/[.]$/, "", path) }' >"$work/attributes"
    fi
    if command -v lsattr >/dev/null; then
      tr '\n' '\0' <"$work/members" | xargs -0 -r lsattr -d 2>/dev/null | sed -n 's|^[^ ]*[ia][^ ]* *\./||p' >"$work/flags"
    fi
    :
  )
}

# say_left_out DIRECTORY: what is not in the snapshot.
say_left_out() {
  sed -n 's|^8[2-9a-f][^/]*/\./||p' "$work/lists.all" | name_some 'set-user-ID, set-group-ID and sticky are not kept'
  [ ! -f "$work/excluded" ] || name_some 'left out, since snapshotExclude says so' <"$work/excluded"
  [ ! -s "$work/copied" ] || sed 's|^\./||' "$work/copied" | name_some 'files changed while they were read, and are kept as they were then'
  (cd "$1" && set -- ./* && [ -e "$1" ] && find -H "$@" ! -type f ! -type d ! -type l -print | sed 's|^\./||') | name_some 'sockets, pipes and devices are not kept'
  name_attribute list 'access control lists are not kept'
  name_attribute attribute 'extended attributes are not kept'
  name_attribute capability 'capabilities are not kept'
  name_some 'immutable and append-only flags are not kept' <"$work/flags"
}

name_attribute() {
  [ ! -s "$work/attributes" ] || sed -n "s|^$1 \./||p" "$work/attributes" | uniq | name_some "$2"
}

# name_some MESSAGE < PATHS: names the first ones, if there are any.
name_some() {
  IFS= read -r some || return 0
  complain "$1: $some$(awk 'NR <= 2 { printf " %s", $0 } END { if (NR > 2) printf " and %d more", NR - 2 }')"
}
