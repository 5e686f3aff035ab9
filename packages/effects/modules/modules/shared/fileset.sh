# Links and mutable directories below $davit_base, as `.dysnomia-fileset` of the component lists them. A module includes it after
# `safe-path`, `places` and `directories`. Mutable directories may belong to others, who can replace what is in them.

tab=$(printf '\t')

# read_fileset: sets $links, lines of PLACE, SOURCE and number in the file, separated by tabs; $directories; and $roots, those of
# them that no other one contains. Prints all problems of the file, and fails if there are any.
read_fileset() {
  specification=$component/.dysnomia-fileset
  links='' directories='' roots='' problems='' source='' source_number='' used=yes number=0
  [ -f "$specification" ] && [ -r "$specification" ] || {
    spec_problem '' 'there is no such file'
    return 1
  }
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    # Shells take the square of either for what follows.
    [ "$number" -le 10000 ] || {
      spec_problem "$number" 'there are more than 10000 lines'
      break
    }
    if [ "${#line}" -gt 8192 ]; then
      spec_problem "$number" 'the line is longer than 8192 characters'
    else
      read_directive
    fi
  done <"$specification"
  [ -n "$used" ] || spec_problem "$source_number" "no 'target' follows this 'symlink'"
  check_places
  find_roots
  [ -z "$problems" ]
}

# spec_problem LINE MESSAGE
spec_problem() {
  problems=yes
  printf '%s\n' "$specification${1:+:$1}: $2" >&2
}

read_directive() {
  trim "$line"
  action=${trimmed%%[[:space:]]*}
  trim "${trimmed#"$action"}"
  case $trimmed in
    *[[:cntrl:]]*)
      spec_problem "$number" 'a path contains a control character'
      return
      ;;
  esac
  case $action in
    '' | '#'*) ;;
    symlink) read_symlink ;;
    target) read_target ;;
    mkdir) read_mkdir ;;
    *) spec_problem "$number" "'$action' is not a directive: expected symlink, target or mkdir" ;;
  esac
}

trim() {
  trimmed=${1#"${1%%[![:space:]]*}"}
  trimmed=${trimmed%"${trimmed##*[![:space:]]}"}
}

read_symlink() {
  [ -n "$used" ] || spec_problem "$source_number" "no 'target' follows this 'symlink'"
  used='' source_number=$number source=$trimmed
  while :; do
    case $source in
      ?*/) source=${source%/} ;;
      *) break ;;
    esac
  done
  case ${source##*/} in
    '' | . | ..) spec_problem "$number" "'symlink $trimmed' does not name a file" ;;
    *)
      case $source in
        /*) return ;;
        *) spec_problem "$number" "'symlink $trimmed' is not an absolute path" ;;
      esac
      ;;
  esac
  source='' used=yes
}

read_target() {
  relative_path || return
  [ -n "$source" ] || {
    # One that is wrong has been reported already.
    [ -n "$source_number" ] || spec_problem "$number" "no 'symlink' precedes this 'target'"
    return
  }
  used=yes
  links=$links${path:+$path/}${source##*/}$tab$source$tab$number$davit_newline
}

read_mkdir() {
  relative_path || return
  [ -n "$path" ] || {
    spec_problem "$number" "'mkdir $trimmed' is the target directory itself"
    return
  }
  has_line "$directories" "$path" || directories=$directories$path$davit_newline
}

# relative_path: sets $path to the path of the directive without needless parts.
relative_path() {
  path='' rest=$trimmed/
  case $trimmed in
    '' | /*)
      spec_problem "$number" "'$action${trimmed:+ $trimmed}' is not a path relative to the target directory"
      return 1
      ;;
  esac
  while [ -n "$rest" ]; do
    part=${rest%%/*} rest=${rest#*/}
    case $part in
      '' | .) ;;
      ..)
        spec_problem "$number" "'$action $trimmed' leaves the target directory"
        return 1
        ;;
      *) path=${path:+$path/}$part ;;
    esac
  done
}

# has_line TEXT LINE
has_line() {
  case $davit_newline$1 in *"$davit_newline$2$davit_newline"*) ;; *) return 1 ;; esac
}

# check_places: nothing may be where a link is, or below it.
check_places() {
  places=
  while IFS=$tab read -r place source number; do
    [ -n "$place" ] || continue
    ! has_line "$places" "$place" || spec_problem "$number" "there is another link '$place'"
    places=$places$place$davit_newline
  done <<end
$links
end
  while IFS=$tab read -r place source number; do
    [ -n "$place" ] || continue
    case $davit_newline$directories$places in
      *"$davit_newline$place/"*) spec_problem "$number" "'$place' is a link, but something is to be below it" ;;
    esac
    ! has_line "$directories" "$place" || spec_problem "$number" "'$place' is a link and a directory"
  done <<end
$links
end
}

find_roots() {
  while IFS= read -r path; do
    [ -z "$path" ] || is_in_directory "$path" || roots=$roots$path$davit_newline
  done <<end
$directories
end
  roots=${roots%"$davit_newline"}
}

# is_in_directory PATH: whether it is below a mutable directory.
is_in_directory() {
  above=$1
  while :; do
    case $above in */*) above=${above%/*} ;; *) return 1 ;; esac
    ! has_line "$directories" "$above" || return 0
  done
}

# place_base DIRECTORY: sets $davit_base and $davit_aside.
place_base() {
  case $1 in
    *[[:cntrl:]]* | [!/]* | '') return 1 ;;
  esac
  davit_base=$1
  while :; do
    case $davit_base in */) davit_base=${davit_base%/} ;; *) break ;; esac
  done
  davit_aside=$davit_base/.$(component_name).davit-state
}

# find_owner: sets $owner, which may be empty.
find_owner() {
  owner=${filesetOwner-}
  if [ -z "$owner" ] && [ -f "$component/.dysnomia-filesetowner" ]; then
    read -r owner <"$component/.dysnomia-filesetowner" || [ -n "$owner" ] || fail "'$component/.dysnomia-filesetowner' is empty"
  fi
  case $owner in
    -* | *[[:space:]]*) fail "filesetOwner '$owner' is not of the form USER:GROUP" ;;
  esac
  check_rules "${snapshotExclude-}" "${snapshotOwners-}" || fail "$davit_unsafe"
}

# find_base: sets $base, the place of $davit_base, on the way to which nobody else may replace anything.
find_base() {
  check_path "$davit_base/" || fail "cannot use the target directory '$davit_base': $davit_unsafe"
  base=$davit_there${davit_missing:+/$davit_missing}
}

# enter_below DIRECTORY [make]: changes into a directory below the base, and into the base for an empty one.
enter_below() {
  davit_there=$base davit_missing=$1
  enter_checked "${2-}"
}

# parent_of PLACE: sets $parent, empty for the base.
parent_of() {
  case $1 in */*) parent=${1%/*} ;; *) parent='' ;; esac
}

# activate_fileset: makes what is absent; undo_fileset takes it away again.
activate_fileset() {
  davit_made='' linked=''
  make_path "$davit_base/" || give_up "cannot make the target directory '$davit_base': $davit_unsafe"
  base=$davit_there
  finish_replacement
  while IFS=$tab read -r place source number; do
    [ -z "$place" ] || check_link
  done <<end
$links
end
  while IFS= read -r path; do
    [ -z "$path" ] || check_directory
  done <<end
$directories
end
  while IFS= read -r path; do
    [ -z "$path" ] || make_mutable "$path"
  done <<end
$directories
end
  while IFS=$tab read -r place source number; do
    [ -z "$place" ] || make_link "$place"
  done <<end
$links
end
}

# check_link: a link that leads nowhere, or that restored state contains, may be replaced.
check_link() {
  [ -e "$source" ] || give_up "'$source', to which '$place' is to be a link, does not exist"
  case $place in */*) (check_way "${place%/*}") || give_up "cannot make the link '$davit_base/$place'" ;; esac
  if [ -L "$davit_base/$place" ]; then
    found=$(readlink "$davit_base/$place")
    [ "$found" = "$source" ] || ! [ -e "$davit_base/$place" ] || is_in_directory "$place" ||
      give_up "'$davit_base/$place' is there already: a link to '$found'"
  elif [ -e "$davit_base/$place" ]; then
    give_up "'$davit_base/$place' is there already, and not a link"
  fi
}

check_directory() {
  (check_way "$path") || give_up "cannot make the directory '$davit_base/$path'"
  if [ -e "$davit_base/$path" ] && ! [ -d "$davit_base/$path" ]; then
    give_up "'$davit_base/$path' is there already, and not a directory"
  fi
}

make_mutable() {
  enter_below "$1" make || give_up "cannot make the directory '$davit_base/$1'"
  [ -z "$owner" ] || chown "$owner" . || give_up "cannot give '$davit_base/$1' to '$owner'"
  cd /
}

# make_link PLACE
make_link() {
  if [ -L "$davit_base/$1" ] && [ "$(readlink "$davit_base/$1")" = "$source" ]; then return; fi
  parent_of "$1"
  enter_below "$parent" make || give_up "cannot make the directory '$davit_base/$parent'"
  [ ! -e "./${1##*/}" ] || [ -L "./${1##*/}" ] && put_link "${1##*/}" "$source" || give_up "cannot make the link '$davit_base/$1'"
  cd /
  linked=$linked$1$tab$source$davit_newline
}

# give_up MESSAGE
give_up() {
  undo_fileset
  fail "cannot activate '$component': $*"
}

undo_fileset() {
  while IFS=$tab read -r place source; do
    [ -z "$place" ] || remove_link "$place"
  done <<end
$linked
end
  while IFS= read -r path; do
    [ -z "$path" ] || (enter "${path%/*}/" && rmdir "./${path##*/}") 2>/dev/null
  done <<end
$davit_made
end
}

# remove_link PLACE: only a link of this component.
remove_link() (
  parent_of "$1"
  if enter_below "$parent" 2>/dev/null && [ -L "./${1##*/}" ] && [ "$(readlink "./${1##*/}")" = "$source" ]; then rm -f "./${1##*/}"; fi
)

# deactivate_fileset: removes the links, and the directories that become empty; the mutable ones stay.
deactivate_fileset() {
  find_base
  while IFS=$tab read -r place source number; do
    [ -n "$place" ] || continue
    [ ! -L "$davit_base/$place" ] || remove_link "$place" || fail "cannot remove the link '$davit_base/$place'"
    remove_emptied "$place"
  done <<end
$links
end
}

# remove_emptied PATH: removes the directories above it that are empty.
remove_emptied() {
  above=$1
  while :; do
    case $above in */*) above=${above%/*} ;; *) return ;; esac
    parent_of "$above"
    ! has_line "$directories" "$above" && (enter_below "$parent" && rmdir "./${above##*/}") 2>/dev/null || return 0
  done
}

# snapshot_fileset: links 1, 2, … to the mutable directories, and a file `directories` that says which they are. Who writes there without
# an owner may be in a container, which has names of its own.
snapshot_fileset() {
  find_base
  finish_replacement
  count=0
  : >"$DAVIT_SNAPSHOT/directories" || exit 1
  default=numbers
  [ -z "$owner" ] || default=names
  printf 'owners %s\n' "${snapshotOwners:-$default}" >"$DAVIT_SNAPSHOT.rules" || exit 1
  write_rules "${snapshotExclude-}"
  while IFS= read -r path; do
    [ -n "$path" ] || continue
    check_way "$path"
    check_path "$davit_base/$path" '*' || fail "cannot take a snapshot of '$davit_base/$path': $davit_unsafe"
    count=$((count + 1)) entry=-
    if [ -d "$davit_base/$path" ]; then
      entry=$count
      ln -s "$davit_base/$path" "$DAVIT_SNAPSHOT/$count" && printf 'at %s %s\n' "$count" "$path" >>"$DAVIT_SNAPSHOT.rules" || exit 1
    elif [ -e "$davit_base/$path" ]; then
      fail "cannot take a snapshot of '$component': '$davit_base/$path' is not a directory"
    fi
    printf '%s\n' "$entry $path" >>"$DAVIT_SNAPSHOT/directories" || exit 1
  done <<end
$roots
end
}

# restore_fileset: replaces all mutable directories by those of the snapshot.
restore_fileset() {
  make_path "$davit_base/" || fail "cannot make the target directory '$davit_base': $davit_unsafe"
  finish_replacement
  [ -n "$roots" ] || {
    printf '%s\n' "'$component' has no mutable directory: there is nothing to restore" >&2
    return 0
  }
  check_directories "$roots"
  prepare_aside
  if [ -f "$DAVIT_SNAPSHOT/directories" ]; then
    gather_directories
  elif [ -f "$DAVIT_SNAPSHOT/state.tar.xz" ]; then
    gather_archive
  else
    fail "cannot restore '$component': the snapshot contains neither 'directories' nor 'state.tar.xz'"
  fi
  [ -z "$owner" ] || chown -hR "$owner" "$davit_aside/tree" || fail "cannot give the restored files to '$owner'"
  plan_replacement "$roots"
  tell_left_out
  begin_replacement
}

# tell_left_out: the version that the snapshot was taken of may have had other directories.
tell_left_out() {
  left=$(cd "$davit_aside/tree" && find . ! -type d | head -n 5)
  [ -z "$left" ] || printf '%s\n' "$module: '$component' has no mutable directory for these files of the snapshot, among others:" "$left" >&2
}

gather_directories() {
  while IFS=' ' read -r entry trimmed; do
    action=directory specification=$DAVIT_SNAPSHOT/directories number=
    case $entry in
      -) continue ;;
      '' | *[!0-9]*) fail "cannot restore '$component': '$entry' in the snapshot's 'directories' is not a number" ;;
    esac
    relative_path && [ -n "$path" ] && check_way_in_tree "$path" && [ -d "$DAVIT_SNAPSHOT/$entry" ] && [ ! -L "$DAVIT_SNAPSHOT/$entry" ] &&
      [ ! -e "$davit_aside/tree/$path" ] ||
      fail "cannot restore '$component': the snapshot has no proper directory '$entry'"
    case $path in */*) mkdir -p "$davit_aside/tree/${path%/*}" || fail "cannot prepare the new '$path'" ;; esac
    mv -f "$DAVIT_SNAPSHOT/$entry" "$davit_aside/tree/$path" || fail "cannot prepare the new '$path'"
  done <"$DAVIT_SNAPSHOT/directories"
}

# gather_archive: unpacks a snapshot of Dysnomia.
gather_archive() {
  xz -dc <"$DAVIT_SNAPSHOT/state.tar.xz" >"$davit_aside/state.tar" && (cd "$davit_aside/tree" && tar -xpf ../state.tar) ||
    fail "cannot unpack 'state.tar.xz' of the snapshot"
}

collect_fileset() {
  find_base
  [ -d "$davit_base/" ] || return 0
  finish_replacement
  [ -n "$roots" ] || return 0
  check_directories "$roots"
  prepare_aside
  replace_directories "$roots"
  while IFS= read -r path; do
    remove_emptied "$path"
  done <<end
$roots
end
}

status_fileset() {
  [ ! -f "$davit_aside/list" ] || fail "a replacement of the state in '$davit_base/' was interrupted"
  while IFS=$tab read -r place source number; do
    [ -z "$place" ] || { [ -e "$davit_base/$place" ] && [ "$(readlink "$davit_base/$place")" = "$source" ]; } ||
      fail "'$davit_base/$place' is not a link to '$source'"
  done <<end
$links
end
  while IFS= read -r path; do
    [ -z "$path" ] || [ -d "$davit_base/$path" ] || fail "'$davit_base/$path' is missing"
  done <<end
$directories
end
}
