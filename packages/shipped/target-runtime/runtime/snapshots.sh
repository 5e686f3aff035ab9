# Snapshots of the state of components. A store of snapshots has the layout of Dysnomia:
#   snapshots/CONTAINER/COMPONENT/NAME/   the files of a snapshot, which never change
#   generations/CONTAINER/COMPONENT/N     link ../../../snapshots/CONTAINER/COMPONENT/NAME; the highest N is the latest
#   checksums/CONTAINER/COMPONENT/NAME    only for snapshots of Dysnomia
#   activated, garbage                    CONTAINER/COMPONENT: whether the state is in use or waits to be deleted
# and, of davit alone,
#   facts/CONTAINER/COMPONENT/NAME        lines FIELD WORD: when it was taken, its version of the service, its size, which one it follows; when
#                                         and where it was verified last, and how
#   saved                                 CONTAINER/COMPONENT: name of the snapshot of the state as it was left; gone once it is used again
#   restored                              CONTAINER/COMPONENT: names of the snapshots from which the state has come
#   empty                                 CONTAINER/COMPONENT: the state was made only to be replaced by what is to be restored
#   replacing, replaced                   CONTAINER/COMPONENT: names of the snapshots of what a restoration replaces, or has replaced last
#   incoming/                             what is not complete yet
# A snapshot of davit consists of `listing`, whose checksum is its name, and archives NUMBER-CHECKSUM.tar, .tar.zst or .tar.gz, which
# are extracted in order; then what the listing does not have is removed. NUMBER-sparse-CHECKSUM has files with holes. One of Dysnomia is kept as its module made it.

listing_title='davit snapshot 1'
# Of one with owners by number, which earlier versions cannot read.
numbered_title='davit snapshot 2'

# use_component SNAPSHOTS CONTAINER COMPONENT
use_component() {
  snapshots=$1 container=$2 component=$3
  payloads=$snapshots/snapshots/$2/$3 generations=$snapshots/generations/$2/$3 facts=$snapshots/facts/$2/$3
}

# complain MESSAGE
complain() {
  printf '%s\n' "davit: $*" >&2
}

# choose_digester: sets $digester, once, which prints `CHECKSUM NAME` for each file. openssl uses instructions of processors that most sha256sum
# do not know, which makes it several times as fast.
digester=
choose_digester() {
  [ -z "$digester" ] || return 0
  digester=sha256sum
  [ "$(openssl dgst -sha256 -r </dev/null 2>/dev/null)" != "$digest_of_nothing *stdin" ] || digester='openssl dgst -sha256 -r'
}
digest_of_nothing=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855

# digest_of FILE: prints its checksum.
digest_of() {
  # shellcheck disable=SC2086
  sum=$(${digester:-sha256sum} <"$1") && printf '%s' "${sum%% *}"
}

is_checksum() {
  case $1 in
    *[!0-9a-f]*) return 1 ;;
  esac
  [ "${#1}" = 64 ]
}

# is_packed SNAPSHOT: whether davit has made it; also if its listing is damaged.
is_packed() {
  first_line "$1/listing"
  [ "$line" != "$listing_title" ] && [ "$line" != "$numbered_title" ] || return 0
  for packed_file in "$1"/[0-9][0-9][0-9]-*.tar*; do
    packed_file=${packed_file##*-}
    ! is_checksum "${packed_file%%.tar*}" || return 0
  done
  return 1
}

# is_plain PATH: whether it is a file or directory, with nothing else below. Whoever sent it may be hostile.
is_plain() {
  strange=$(find "$1" ! -type f ! -type d | head -n 1)
  [ -z "$strange" ]
}

# find_latest: sets $generation, 0 if there is none, and $latest, empty if there is none. Generations are numbers with which shells can reckon.
find_latest() {
  generation=0 latest=
  for link in "$generations"/*; do
    case ${link##*/} in
      0* | *[!0-9]* | '' | ????????????????*) continue ;;
    esac
    [ -L "$link" ] && [ "${link##*/}" -gt "$generation" ] || continue
    generation=${link##*/}
  done
  [ "$generation" = 0 ] || latest=$(readlink "$generations/$generation") || latest=
  latest=${latest##*/}
}

# each_generation: prints `NUMBER SECONDS NAME` for each, in any order: when it became the latest here, `-` if the machine cannot tell, and its
# snapshot. Without a process for each, since there may be many.
each_generation() {
  if command -v stat >/dev/null; then
    find "$generations/" -type l -exec stat -c '%Y %N' {} + 2>/dev/null
  else
    find "$generations/" -type l 2>/dev/null | while IFS= read -r link; do
      printf '%s -> %s\n' "- $link" "$(readlink "$link")"
    done
  fi | number_generations
}

# number_generations < LINES: `SECONDS PATH -> TEXT`; utilities differ in their quotes, which no name contains.
number_generations() {
  while IFS= read -r line; do
    number=${line%" -> "*} name=${line##*/}
    number=${number##*/}
    number=${number%[\'\"]}
    case $number in
      0* | *[!0-9]* | '' | ????????????????*) ;;
      *) printf '%s\n' "$number ${line%% *} ${name%[\'\"]}" ;;
    esac
  done
}

# list_unneeded KEEP < NAMES: all but the last KEEP generations, as lines `generation NUMBER`, then a line `sync` if there are any, and the snapshots
# that no other one refers to, as lines `snapshot NAME`. The latest generation of each of the names is needed as well.
list_unneeded() {
  {
    sed 's/^/awaited /'
    each_generation | sort -rn | sed 's/^/generation /'
    for path in "$payloads"/*; do
      [ ! -d "$path" ] || printf 'payload %s\n' "${path##*/}"
    done
  } | awk -v keep="$1" '
    { name = $0 }
    $1 == "awaited" { awaited[substr($0, 9)]; next }
    $1 == "generation" {
      sub(/^generation [0-9]+ [^ ]* /, "", name)
      if (keep + 0 > 0) { keep--; kept[name]; next }
      if (!(name in kept) && name in awaited) { kept[name]; next }
      removed = 1
      print $1, $2
    }
    $1 == "payload" {
      sub(/^payload /, "", name)
      if (removed == 1) { removed = 2; print "sync" }
      if (!(name in kept) && name !~ /^[.][.]?$|^ | $/) print "snapshot " name
    }
    END { if (removed == 1) print "sync" }'
}

# add_snapshot DIRECTORY: makes a complete directory the snapshot $name, unless there is one, and the latest generation. Nobody else may
# change the store meanwhile.
add_snapshot() {
  { [ -d "$payloads" ] && [ -d "$generations" ]; } || make_places "$payloads" "$generations" || return
  if [ ! -d "$payloads/$name" ]; then
    # Of one of this name that was damaged.
    [ ! -e "$facts/$name" ] || rm -f "$facts/$name"
    find "$1" \( -type f -o -type d \) -exec sync {} + && mv "$1" "$payloads/$name" && sync "$payloads" || return
  fi
  find_latest
  [ "$latest" = "$name" ] ||
    { ln -s "../../../snapshots/$container/$component/$name" "$generations/$((generation + 1))" && sync "$generations"; }
}

# check_snapshot SNAPSHOT NAME: whether its files are those from which its name, or Dysnomia's checksum, was computed.
check_snapshot() {
  [ -d "$1" ] || {
    complain "there is no snapshot '$2'"
    return 1
  }
  if is_packed "$1"; then check_listing "$1" "$2" && check_archives "$1" "$2"; else check_foreign "$1" "$2"; fi
}

check_listing() {
  [ "$(digest_of "$1/listing")" = "$2" ] || {
    complain "the snapshot '$2' is damaged: its listing was altered"
    return 1
  }
}

check_archives() {
  choose_digester
  number=0
  for archive in "$1"/*-*.tar*; do
    number=$((number + 1))
    [ ! -f "$archive" ] || { is_numbered "$archive" "$number" && check_archive "$archive"; } || {
      complain "the snapshot '$2' is damaged: '${archive##*/}' was altered or is incomplete"
      return 1
    }
  done
}

# is_numbered ARCHIVE NUMBER: otherwise, one before it is missing.
is_numbered() {
  set -- "${1##*/}" "$(printf '%03d' "$2")"
  [ "${1%%-*}" = "$2" ]
}

# check_archive FILE: whether it has the checksum that its name contains, if it is an archive.
check_archive() {
  case ${1##*/} in
    [0-9]*-*.tar*) ;;
    *) return 0 ;;
  esac
  sum=${1##*-}
  [ "$(digest_of "$1")" = "${sum%%.tar*}" ]
}

# check_foreign SNAPSHOT NAME: Dysnomia's checksum depends on the order in which a file system lists files; after a copy, that may be
# any, so that of the names counts as well.
check_foreign() {
  first_line "$snapshots/checksums/$container/$component/$2"
  [ -n "$line" ] || return 0
  [ "$line" = "sha256:$(foreign_sum "$1" cat)" ] || [ "$line" = "sha256:$(foreign_sum "$1" sort)" ] || {
    complain "the snapshot '$2' is damaged: its checksum does not fit"
    return 1
  }
}

# foreign_sum DIRECTORY ORDER
foreign_sum() (
  cd "$1" || exit
  {
    find . | LC_ALL=C "$2"
    printf '\n'
    find . -type f | LC_ALL=C "$2" | tr '\n' '\0' | xargs -0 -r cat
  } | sha256sum | sed 's/ .*//'
)

# set_aside NAME: of a damaged snapshot, so that an intact one can take its place.
set_aside() {
  set -- "$1" "$snapshots/damaged/$component.$1"
  rm -rf "$2" && mkdir -p "$snapshots/damaged" && mv "$payloads/$1" "$2" && complain "it was moved to '$snapshots/damaged'"
}

# in_turn COMMAND...: while nobody else changes the store of snapshots.
in_turn() {
  claim_in_turn "$snapshots/mutex" "$davit_runner" || return
  "$@"
  set -- "$?"
  rm -f "$snapshots/mutex"
  return "$1"
}
