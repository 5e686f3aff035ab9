# Whose the files of a state are. Where an account has a name, the name counts, as long as the module does not say otherwise: the account
# may have another number on another machine. The number counts for an account without a name, and where the module says so, as for the
# files of a container. In a listing, a number stands for an account that has it, whatever its name is.

# look_up DATABASE FIELD WORD OTHER: prints a field of the account, `passwd` or `group`, that has this word as another one.
look_up() {
  { getent "$1" "$3" 2>/dev/null || cat "/etc/$1"; } | wanted=$3 awk -F: -v field="$2" -v other="$4" '
    $field == ENVIRON["wanted"] && !found { print $other; found = 1 }'
}

# owner_words OWNERS FLAG < LINES: writes `OWNER:GROUP` for `UID:GID:OWNER:GROUP` in front of a path, as the module wants it; only numbers
# if OWNERS is `exact`, only names if it is `plain`, `-` if it is `none`. Makes the file FLAG if there are numbers among names.
owner_words() {
  [ -f "${rules-}" ] && set -- "$@" "$rules" || set -- "$@" /dev/null
  awk -v owners="$1" -v flag="$2" '
    function word(number, name, kept) {
      if (owners == "exact") return number
      if (owners == "plain" || number == 0 && name == "root") return name
      if ((name in kept || !numbers) && name != "UNKNOWN" && name ~ /^[A-Za-z0-9_.][^ \/:]*$/ && name !~ /^[0-9]+$/) return name
      numbered = 1
      return number
    }
    FILENAME == ARGV[1] {
      if ($1 == "owners" && $2 == "numbers") numbers = 1
      if ($1 == "user") users[$2]
      if ($1 == "group") groups[$2]
      next
    }
    {
      at = index($0, "/./")
      head = substr($0, 1, at - 1)
      before = index(head, " ")
      before += index(substr(head, before + 1), " ")
      split(substr(head, before + 1), part, ":")
      print substr(head, 1, before) (owners == "none" ? "-" : word(part[1], part[3], users) ":" word(part[2], part[4], groups)) substr($0, at)
    }
    END { if (numbered) print "" >flag }' "$3" -
}

# resolve_owners LISTING: finds the numbers that the owners have here, and writes them to $work/owners. Sets $owner_kind, for list_content.
resolve_owners() {
  : >"$work/owners" && owner_kind=none || return
  [ "$(id -u)" = 0 ] || return 0
  sed -n 's|^[^/]* \([^ /]*\)/\./.*|\1|p' "$1" | LC_ALL=C sort -u >"$work/words" || return
  ! grep -q -x -e - "$work/words" || return 0
  # An earlier version did not keep the numbers of accounts without names.
  ! grep -q -E '^UNKNOWN:|:UNKNOWN$' "$work/words" || {
    owner_kind=plain
    sed '/^UNKNOWN:/d; /:UNKNOWN$/d; s/.*/& &/' "$work/words" >"$work/owners"
    return
  }
  owner_kind=exact lacking='' others=''
  [ "$(wc -l <"$work/words")" -le 5000 ] || {
    complain 'the files of the snapshot belong to more than 5000 accounts'
    return 1
  }
  while IFS=: read -r user group; do
    resolve_owner passwd "$user"
    user=$user:$group uid=$number
    resolve_owner group "$group"
    printf '%s %s\n' "$user" "$uid:$number" >>"$work/owners" || return
  done <"$work/words"
  [ -z "$others" ] || complain "files belong to numbers, as where the snapshot was taken, which have names here:$others"
  [ -z "$lacking" ] || {
    complain "files of the snapshot belong to accounts that are missing here:$lacking; make them first"
    return 1
  }
}

# resolve_owner DATABASE WORD: sets $number.
resolve_owner() {
  number=$2
  case $2 in
    '' | *[!0-9]*)
      number=$(look_up "$1" 1 "$2" 3)
      ;;
    *)
      name=$(look_up "$1" 3 "$2" 1)
      case "$name $others " in
        ' '* | *" $1 $2 "*) ;;
        *) others="$others $1 $2 ('$name')" ;;
      esac
      ;;
  esac
  case $number in
    '' | *[!0-9]* | ???????????*) case "$lacking " in *" $1 '$2' "*) ;; *) lacking="$lacking $1 '$2'" ;; esac ;;
  esac
}

# expect_owners < LISTING: prints it with the owners that are expected here.
expect_owners() {
  awk -v kind="$owner_kind" '
    FILENAME == ARGV[1] { number[$1] = $2; next }
    {
      at = index($0, "/./")
      if (at == 0) { print; next }
      head = substr($0, 1, at - 1)
      owner = head
      sub(/^.* /, "", owner)
      print substr(head, 1, length(head) - length(owner)) (kind == "none" ? "-" : kind == "exact" ? number[owner] : owner) substr($0, at)
    }' "$work/owners" -
}

# amend_entries DIRECTORY: gives what is there the owners and modes that are in $work/expected.
amend_entries() {
  rm -f "$work"/amend.* && : >"$work/amend.owner" && : >"$work/amend.mode" &&
    (cd "$1" && find . -mindepth 1 -exec stat -c '%f %u:%g %n' {} +) >"$work/present" || return
  awk -v owners="$work/amend.owner" -v modes="$work/amend.mode" '
    FILENAME == ARGV[1] {
      at = index($0, "/./")
      if (at == 0) next
      head = substr($0, 1, at - 1)
      path = substr($0, at + 1)
      split(head, word, " ")
      mode[path] = word[2]
      owner[path] = word[4]
      next
    }
    {
      path = substr($0, index($0, " ./") + 1)
      if (!(path in mode)) next
      if (owner[path] != "-" && owner[path] !~ /^UNKNOWN:|:UNKNOWN$/ && owner[path] != $2) print owner[path] " " path >owners
      # chmod follows links, so what is there counts.
      if (substr($1, 1, 1) ~ /[48]/ && substr(mode[path], 1, 1) == substr($1, 1, 1) && mode[path] != $1) print mode[path] " " path >modes
    }' "$work/expected" "$work/present" && amend_each "$1" owner && amend_each "$1" mode
}

# amend_each DIRECTORY WHAT
amend_each() {
  [ -s "$work/amend.$2" ] || return 0
  LC_ALL=C sort "$work/amend.$2" | awk -v file="$work/amend.$2." '
    $1 != last { if (number) close(file number); last = $1; number++; print $1 >(file number) }
    { sub(/^[^ ]+ /, ""); print >(file number) }' || return
  for part in "$work/amend.$2".*; do
    [ -f "$part" ] || continue
    first_line "$part"
    case $2 in
      owner) set -- "$1" "$2" chown -h "$line" ;;
      mode) set -- "$1" "$2" chmod "$(printf '%05o' "$((0x$line & 4095))")" ;;
    esac
    (cd "$1" && sed 1d "$part" | tr '\n' '\0' | xargs -0 -r "$3" "$4" ${5+"$5"}) || return
    set -- "$1" "$2"
  done
}
