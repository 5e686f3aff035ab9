# Directories that are the state of a component, replaced all together or not at all. What is new is prepared in a private directory
# beside them. A list in it says what goes where: once it is there, the old state is over, and every activity that begins after an
# interruption first finishes what the list says. Without a list, the private directory is waste.
#
# The module sets $davit_base, which contains the directories (empty for /), and $davit_aside, the private directory in it.
# Paths are relative to $davit_base, and one per line. Variables begin with davit_, since the module `process` includes this part. It needs
# `safe-path` and `places`.

davit_newline='
'

# prepare_aside: makes the private directory, with a directory `tree` in it, in which the new directories have their paths. Nothing of it
# is left if the activity fails before there is a list.
prepare_aside() {
  trap '[ -f "$davit_aside/list" ] || rm -rf "$davit_aside"' EXIT
  rm -rf "$davit_aside" && (umask 077 && mkdir "$davit_aside" "$davit_aside/tree" "$davit_aside/new" "$davit_aside/old") ||
    fail "cannot prepare the new state in '$davit_aside'"
}

# replace_directories PATHS: makes each of them what it is in `tree`, or removes it if it is not there.
replace_directories() {
  plan_replacement "$1"
  begin_replacement
}

# plan_replacement PATHS: writes the list, and leaves in `tree` what is in none of them. What is in it may come from anybody.
plan_replacement() {
  check_way_in_tree "$1"
  drop_privileges "$davit_aside/tree" || fail "cannot prepare the new state in '$davit_aside'${davit_unsafe:+: $davit_unsafe}"
  davit_step=0
  : >"$davit_aside/list.new" || fail "cannot write '$davit_aside/list.new'"
  while IFS= read -r davit_path; do
    davit_step=$((davit_step + 1)) davit_change=remove
    if [ -d "$davit_aside/tree/$davit_path" ]; then
      davit_change=replace
      mv -f "$davit_aside/tree/$davit_path" "$davit_aside/new/$davit_step" || fail "cannot prepare the new '$davit_path'"
    fi
    printf '%s\n' "$davit_step $davit_change $davit_path" >>"$davit_aside/list.new" || fail "cannot write '$davit_aside/list.new'"
  done <<end
$1
end
}

begin_replacement() {
  sync -f "$davit_aside" 2>/dev/null || sync
  mv -f "$davit_aside/list.new" "$davit_aside/list" || fail "cannot write '$davit_aside/list'"
  davit_new=yes
  finish_replacement
}

# finish_replacement: finishes what an interrupted activity had begun. What is new has been checked.
finish_replacement() {
  [ -e "$davit_aside" ] || return 0
  [ -n "$(find "$davit_aside" -prune -type d -user "$(id -u)")" ] || fail "'$davit_aside' belongs to somebody else"
  if [ -f "$davit_aside/list" ]; then
    while read -r davit_step davit_change davit_path; do
      [ -n "${davit_new-}" ] || check_path "$davit_base/$davit_path" '*' || fail "cannot go on with the new state: $davit_unsafe"
      move_directory || move_back
    done <"$davit_aside/list"
    rm -f "$davit_aside/list" || fail "cannot remove '$davit_aside/list'"
  fi
  rm -rf "$davit_aside" || fail "cannot remove '$davit_aside'"
}

# check_directories PATHS: fails unless each of them is absent or a directory that can be replaced by renaming, and that nobody else can.
check_directories() {
  davit_device=$(stat -c %d "$davit_base/") || fail "cannot read '$davit_base/'"
  each_path "$1" check_directory_of_state
}

check_directory_of_state() { # PATH
  check_way "$1"
  check_path "$davit_base/$1" '*' || fail "cannot replace '$davit_base/$1': $davit_unsafe"
  davit_place=$davit_base/$1
  if [ -e "$davit_place" ] && ! [ -d "$davit_place" ]; then fail "'$davit_place' is not a directory"; fi
  until [ -e "$davit_place/" ]; do davit_place=${davit_place%/*}; done
  [ "$(stat -c %d "$davit_place/")" = "$davit_device" ] ||
    fail "'$davit_place' is on another file system than '$davit_base/': it cannot be replaced by renaming; use a directory in it"
}

# check_way_in_tree PATHS: fails if one of them goes through a symbolic link in `tree`, or is one.
check_way_in_tree() {
  davit_outside=$davit_base davit_base=$davit_aside/tree
  each_path "$1" check_way
  davit_base=$davit_outside
}

# each_path PATHS COMMAND: calls it with each of them.
each_path() {
  while IFS= read -r davit_path; do
    "$2" "$davit_path" </dev/null
  done <<end
$1
end
}

# check_way PATH: fails if it goes through a symbolic link below $davit_base, or is one.
check_way() {
  davit_rest=$1/ davit_place=$davit_base
  while [ -n "$davit_rest" ]; do
    davit_place=$davit_place/${davit_rest%%/*} davit_rest=${davit_rest#*/}
    [ ! -L "$davit_place" ] || fail "'$davit_place' is a symbolic link, expected a directory"
  done
}

# move_directory: does a line of the list, unless it was done before.
move_directory() {
  davit_place=$davit_base/$davit_path
  if [ "$davit_change" = replace ]; then
    [ -e "$davit_aside/new/$davit_step" ] || return 0
    mkdir -p "${davit_place%/*}/" || return 1
  fi
  if [ -e "$davit_place" ]; then mv -f "$davit_place" "$davit_aside/old/$davit_step" || return 1; fi
  [ "$davit_change" = remove ] || mv -f "$davit_aside/new/$davit_step" "$davit_place"
}

# move_back: restores the old state if something cannot be renamed after all, and fails.
move_back() {
  davit_failed=$davit_place
  while read -r davit_step davit_change davit_path; do
    davit_place=$davit_base/$davit_path
    if [ "$davit_change" = replace ] && [ ! -e "$davit_aside/new/$davit_step" ]; then
      mv -f "$davit_place" "$davit_aside/new/$davit_step" || fail "cannot rename '$davit_place', nor go back to the old state"
    fi
    if [ -e "$davit_aside/old/$davit_step" ]; then
      mv -f "$davit_aside/old/$davit_step" "$davit_place" || fail "cannot put the old '$davit_place' back: it is in '$davit_aside/old'"
    fi
  done <"$davit_aside/list"
  rm -f "$davit_aside/list" && rm -rf "$davit_aside"
  fail "cannot replace '$davit_failed'; the old state is in place"
}

# check_rules EXCLUDE OWNERS: whether these settings are valid; sets $davit_unsafe to what is not.
check_rules() {
  davit_unsafe=
  case $2 in
    '' | names | numbers) ;;
    *) davit_unsafe="snapshotOwners '$2' is neither names nor numbers" ;;
  esac
  set -f
  for davit_pattern in $1; do
    case /${davit_pattern#'**/'}/ in
      *//* | */./* | */../* | *'**'* | *[]\\[]* | *[[:cntrl:]]*)
        davit_unsafe="'$davit_pattern' of snapshotExclude is not a relative path, in which * and ? may stand for anything but /, after an optional **/"
        ;;
    esac
  done
  set +f
  [ -z "$davit_unsafe" ]
}

# write_rules EXCLUDE: tells davit what to leave out of the snapshot. Modules that run by themselves have no such file.
write_rules() {
  set -f
  for davit_pattern in $1; do
    printf 'exclude %s\n' "$davit_pattern"
  done >>"$DAVIT_SNAPSHOT.rules" || exit 1
  set +f
}
