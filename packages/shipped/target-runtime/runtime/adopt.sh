# Takes over what Disnix has deployed, and gives it back. Nothing is started or stopped, and no file of Disnix is changed until it is
# given back.

# operation_adopt_record TARGET PROFILE TOKEN CONTAINER KEY [FIELD WORD]...: makes the record of an active service in one step; says
# `present` if there is one already, otherwise `adopted`. A directory without record and state is what a crash has left of one.
operation_adopt_record() {
  umask 077
  check_names "$1" "$2"
  hold_mutex "$1"
  check_lock "$1" "$2" "$3"
  mapping_directory "$1" "$2" "$4" "$5"
  find_original_state
  new=${directory%/*}/.new.record run=$state/targets/$1/run place=$4 key=$5
  shift 5
  compose_record "$@"
  if [ -d "$directory" ]; then
    ! is_running "$directory" || refuse_running
    if [ -e "$directory/record" ] || [ -e "$directory/state" ]; then
      is_complete "$directory/record" || fail bad-record "the record '$directory/record' is damaged"
      take_running "$@"
      renew_module
      say present
      return
    fi
    rm -rf "$directory"
  fi
  [ ! -e "$new" ] || rm -rf "$new"
  mkdir -p "$new" "$run/adopted" || cannot 'write below' "$state/targets"
  take_running "$@"
  state_text active
  write_text "$new/record" "$record" && write_text "$new/state" "$text" && sync "$new/record" "$new/state" "$new" &&
    mv "$new" "$directory" && sync "${directory%/*}" || cannot 'write the record below' "${directory%/*}"
  keep_active "$@"
  say adopted
}

# take_running [FIELD WORD]...: notes that the service runs, however it was started, for the module that is to find it; copies what modules
# have noted that davit-client has called.
take_running() {
  make_directory "$run/adopted"
  [ -e "$run/adopted/$place:$key" ] || write_text "$run/adopted/$place:$key" "$boot$newline" || cannot 'write below' "$run"
  called=$original/davit/targets/here/run
  [ -d "$called" ] && is_private "$called" || return 0
  while [ "$1" != pkg ]; do shift 2; done
  decode "$2"
  for called in "$called"/*/"$place/$(printf %s "$decoded" | sed 's|/|%2F|g')" "$called"/*/"$place/$(printf '%s\n' "$decoded" | sha256sum | cut -c 1-32)"; do
    kept=$run/${called#"$original/davit/targets/here/run/"}
    kept=${kept%/*}
    [ -f "$called" ] && [ ! -L "$called" ] && [ ! -e "$kept/$key" ] || continue
    make_directory "$kept"
    rename_text "$kept/$key" "$(head -c 65536 "$called")$newline" || cannot 'write below' "$kept"
  done
}

# is_private PATH: whether nobody else can change what is there.
is_private() {
  kept_state=$state state=$1
  find_open
  state=$kept_state
  [ -z "$open" ]
}

# renew_module: a record that is there gets the module of $record, in place of what may be an earlier version.
renew_module() {
  renewed=
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      'module '*"/${module##*/}") line="module $module" ;;
    esac
    renewed=$renewed$line$newline
  done <"$directory/record"
  rename_text "$directory/record" "$renewed" || cannot 'write the record below' "$directory"
}

# find_original_state: sets $original, the directory of Dysnomia's state for this account.
find_original_state() {
  original=/var/state/dysnomia
  [ "$user" = 0 ] || original=${HOME:-}/.dysnomia
  original=${DYSNOMIA_STATEDIR:-$original}
  case $original in
    /?*) ;;
    *) fail bad-request "DYSNOMIA_STATEDIR is not an absolute path: '$original'" ;;
  esac
}

# operation_adopt_state TARGET PROFILE TOKEN --dry-run|- [CONTAINER COMPONENT]...: takes over the snapshots of Dysnomia, and its markers of
# the active services and of garbage; says `snapshot CONTAINER COMPONENT NAME` for each that was not there, and `unmarked CONTAINER COMPONENT`
# for each of these components that nobody has marked as active.
operation_adopt_state() {
  dry=${4#-} giving=
  open_snapshots "targets/$1"
  check_names "$2"
  find_original_state
  if [ -z "$dry" ]; then
    check_lock "$1" "$2" "$3"
    hold_snapshots
  fi
  copy_store "$original" "$snapshots"
  records=$state/targets/$1/active/$2
  shift 4
  while [ $# -ge 2 ]; do
    is_component "$1" "$2" || fail bad-request "invalid name '$2'"
    [ -f "$original/activated/$1/$2" ] || [ -f "$original/davit/targets/here/active/here/$(printf %.200s "$1:$2")/state" ] || say unmarked "$1" "$2"
    shift 2
  done
  [ -n "$dry" ] || adopt_markers "$records"
}

# adopt_markers RECORDS: a marker of davit contains the record of a service whose state moves.
adopt_markers() {
  for directory in "$1"/*:*; do
    [ -f "$directory/record" ] || continue
    read_component "$directory/record"
    ! exists "$snapshots/activated/$container/$component" && ! exists "$snapshots/garbage/$container/$component" || continue
    if [ -n "$moves" ]; then
      rename_text "$(marker activated)" "$(cat "$directory/record")$newline"
    elif [ -f "$original/activated/$container/$component" ]; then
      rename_text "$(marker activated)" ''
    fi || cannot 'write below' "$snapshots"
  done
  for path in "$original"/garbage/*/*; do
    [ -f "$path" ] || continue
    component=${path##*/} container=${path%/*}
    container=${container##*/}
    is_component "$container" "$component" || continue
    exists "$snapshots/activated/$container/$component" || exists "$snapshots/garbage/$container/$component" ||
      rename_text "$(marker garbage)" '' || cannot 'write below' "$snapshots"
  done
}

# marker KIND: prints the path of a marker, whose directory is made.
marker() {
  make_directory "$snapshots/$1/$container"
  printf %s "$snapshots/$1/$container/$component"
}

# read_component RECORD: sets $container and $component, and $moves if the state of the component moves.
read_component() {
  container='' component='' moves=''
  while IFS=' ' read -r field word || [ -n "$field" ]; do
    decode "$word"
    case $field in
      container) container=$decoded ;;
      pkg) [ -n "$component" ] || name_component "$decoded" ;;
      component) component=$decoded moves=yes ;;
    esac
  done <"$1"
  is_component "$container" "$component" || fail bad-record "the record '$1' names no component"
}

# name_component PACKAGE: sets $component to the name of the package, without the hash.
name_component() {
  component=${1##*/}
  case ${component%%-*} in
    ????????????????????????????????) component=${component#*-} ;;
  esac
}

# is_component NAME...: whether these are names of packages or containers.
is_component() {
  for name in "$@"; do
    case $name in
      '' | [.-]* | *[!A-Za-z0-9_.+?=-]*) return 1 ;;
    esac
  done
}

# copy_store FROM TO: adds the generations of one store of snapshots that another one does not have, with their snapshots; with $dry, only
# says which. With $giving, none of davit's own snapshots is copied, since no module of Dysnomia can read them.
copy_store() {
  for source in "$1"/generations/*/*/; do
    source=${source%/}
    component=${source##*/} container=${source%/*}
    container=${container##*/}
    [ -d "$source" ] && is_component "$container" "$component" || continue
    use_component "$2" "$container" "$component"
    for number in $(numbers_in "$source"); do
      name=$(readlink "$source/$number") && name=${name##*/} && is_component "$name" || continue
      [ -d "$1/snapshots/$container/$component/$name" ] && [ ! -L "$1/snapshots/$container/$component/$name" ] || continue
      copy_generation "$1" "$2" || cannot 'write below' "$2"
    done
  done
}

numbers_in() {
  for link in "$1"/*; do
    case ${link##*/} in
      0* | *[!0-9]* | '' | ????????????????*) ;;
      *) [ ! -L "$link" ] || printf '%s\n' "${link##*/}" ;;
    esac
  done | sort -n
}

# copy_generation FROM TO: the generation $number of the snapshot $name. It keeps its number, unless there is another one of that number
# already; then it becomes the latest, if the snapshot is new.
copy_generation() {
  there=$(readlink "$generations/$number" 2>/dev/null) && there=${there##*/} || there=
  [ "$there" != "$name" ] || return 0
  find_latest
  if [ "$number" -le "$generation" ]; then
    [ ! -d "$payloads/$name" ] || return 0
    number=$((generation + 1))
  fi
  if [ -n "$giving" ] && is_packed "$1/snapshots/$container/$component/$name"; then
    say packed "$container" "$component" "$name"
    return
  fi
  [ -d "$payloads/$name" ] || say snapshot "$container" "$component" "$name"
  [ -z "$dry" ] || return 0
  copy_payload "$@" && ln -s "../../../snapshots/$container/$component/$name" "$generations/$number" && sync "$generations"
}

# copy_payload FROM TO: by hard links, where the file system allows it.
copy_payload() {
  make_places "$payloads" "$generations" "$2/checksums/$container/$component" || return
  checksum=checksums/$container/$component/$name
  [ ! -f "$1/$checksum" ] || [ -f "$2/$checksum" ] || {
    first_line "$1/$checksum"
    rename_text "$2/$checksum" "$line" || return
  }
  [ ! -d "$payloads/$name" ] || return 0
  copied=$payloads/.new.$name
  [ ! -e "$copied" ] || rm -rf "$copied"
  # What gives rights to whoever runs it stays where it is.
  { [ -z "$(find "$1/snapshots/$container/$component/$name" -type f \( -perm -4000 -o -perm -2000 \) | head -n 1)" ] &&
    cp -al "$1/snapshots/$container/$component/$name" "$copied" 2>/dev/null; } || {
    rm -rf "$copied"
    cp -R -P -p "$1/snapshots/$container/$component/$name" "$copied" && find "$copied" -type f -exec chmod a-st {} + || return
  }
  find "$copied" \( -type f -o -type d \) -exec sync {} + && mv "$copied" "$payloads/$name" && sync "$payloads"
}

# operation_original_marks: `marked CONTAINER COMPONENT` for what Dysnomia, or davit-client, has marked as active: the first hundred.
operation_original_marks() {
  find_original_state
  set --
  for path in "$original"/activated/*/*; do
    component=${path##*/} container=${path%/*}
    container=${container##*/}
    [ -f "$path" ] && is_component "$container" "$component" && [ $# -lt 100 ] || continue
    set -- "$@" .
    say marked "$container" "$component"
  done
}

# operation_note_original TARGET PROFILE TOKEN PATH [CONTAINER COMPONENT]...: davit knows what this profile of Disnix contains.
operation_note_original() {
  check_names "$1" "$2"
  hold_mutex "$1"
  check_lock "$1" "$2" "$3"
  check_store_paths "$4"
  note_original "$@"
}

note_original() {
  make_directory "$state/adopted"
  adopted=$state/adopted/$2 path=$4 components=
  shift 4
  while [ $# -ge 2 ]; do
    components="$components$1 $2$newline"
    shift 2
  done
  rename_text "$adopted:components" "$components" && ln -sfn "$path" "$adopted:new" && mv -f -T "$adopted:new" "$adopted" &&
    write_text "$adopted:taken" '' && sync "$state/adopted" || cannot 'write below' "$state/adopted"
}

# operation_give_back TARGET PROFILE TOKEN PATH [CONTAINER COMPONENT]...: gives Disnix the profile, the snapshots that modules of Dysnomia
# can read, and markers of these components, which are active. Says `unchanged` if the profile was the current one.
operation_give_back() {
  check_store_paths "$4"
  check_names "$1" "$2"
  find_original_state
  umask 077
  hold_mutex "$1"
  check_lock "$1" "$2" "$3"
  check_known "$2" "$4"
  open_places=022
  give_markers "$@"
  dry='' giving=yes
  snapshots=$state/targets/$1/dysnomia
  copy_store "$snapshots" "$original"
  give_profile "$2" "$4"
  note_original "$@"
}

# give_markers TARGET PROFILE TOKEN PATH [CONTAINER COMPONENT]...: a component that was active, and is not any more in any deployment, is
# garbage if davit kept its state.
give_markers() {
  kept=$state/targets/$1/dysnomia/garbage adopted=$state/adopted/$2
  shift 4
  active=$newline
  while [ $# -ge 2 ]; do
    is_component "$1" "$2" || fail bad-request "invalid name '$2'"
    active="$active$1 $2$newline"
    make_places "$original/activated/$1" && rm -f "$original/garbage/$1/$2" && command : >>"$original/activated/$1/$2" ||
      cannot 'write below' "$original"
    shift 2
  done
  [ -f "$adopted:components" ] || return 0
  while read -r container component; do
    case $active in
      *"$newline$container $component$newline"*) continue ;;
    esac
    is_component "$container" "$component" || continue
    for other in "$state"/adopted/*:components; do
      [ "$other" = "$adopted:components" ] || ! has_line "$other" "$container $component" || continue 2
    done
    [ ! -f "$kept/$container/$component" ] ||
      { make_places "$original/garbage/$container" && command : >>"$original/garbage/$container/$component"; } || cannot 'write below' "$original"
    rm -f "$original/activated/$container/$component"
  done <"$adopted:components"
}

# check_known PROFILE PATH: fails if Disnix has deployed what davit does not know. Sets $originals.
check_known() {
  need_profiles
  originals=$profiles/disnix
  # shellcheck disable=SC3013
  [ ! -L "$state/adopted/$1" ] || ! exists "$originals/$1" || [ "$originals/$1/" -ef "$2/" ] || [ "$originals/$1/" -ef "$state/adopted/$1/" ] ||
    fail original-changed "'$originals/$1' is now '$(readlink -f "$originals/$1")', and davit knows '$(readlink "$state/adopted/$1")'"
}

# give_profile PROFILE PATH: as Disnix does it, with a new generation unless the path is the current one.
give_profile() {
  # shellcheck disable=SC3013
  if [ -L "$originals/$1" ] && [ "$originals/$1/" -ef "$2/" ]; then
    say unchanged
    return
  fi
  find_nix
  umask 022
  make_directory "$originals"
  nix-env -p "$originals/$1" --set "$2" >/dev/null || fail nix-failed "cannot set the profile '$originals/$1'"
  say set "$(readlink "$originals/$1")"
}
