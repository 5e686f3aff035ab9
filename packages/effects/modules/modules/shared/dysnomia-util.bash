# What modules in the style of Dysnomia get instead of its file `util`, where that is not installed: functions of the same names, for the
# same layout of what is kept below $DYSNOMIA_STATEDIR.

# composeUtilityVariables MODULE COMPONENT [CONTAINER]: sets the names of the type, the component and the container.
composeUtilityVariables() {
  DYSNOMIA_STATEDIR=${DYSNOMIA_STATEDIR:-$(davit_default_state)}
  typeIdentifier=${1##*/}
  componentName=$(davit_name_in "$2")
  containerName=$(davit_name_in "${3:-$typeIdentifier}")
  export DYSNOMIA_STATEDIR
}

davit_default_state() {
  if [ "$(id -u)" = 0 ]; then echo /var/state/dysnomia; else echo "$HOME/.dysnomia"; fi
}

# davit_name_in PATH: prints the last part, without the hash of a path in the store.
davit_name_in() {
  local davit_name=${1##*/}
  case $1 in
    "${NIX_STORE_DIR:-/nix/store}"/*) davit_name=${davit_name:33} ;;
  esac
  printf '%s\n' "$davit_name"
}

# davit_place KIND: prints the path of something that is kept of the component.
davit_place() {
  printf '%s\n' "$DYSNOMIA_STATEDIR/$1/$containerName/$componentName"
}

composeSnapshotsPath() {
  davit_place snapshots
}

composeGenerationsPath() {
  davit_place generations
}

composeActivatedPath() {
  davit_place activated
}

composeGarbagePath() {
  davit_place garbage
}

markComponentAsActive() {
  davit_move_marker garbage activated || : >"$(davit_place activated)"
}

unmarkComponentAsActive() {
  rm -f "$(davit_place activated)"
}

# markComponentAsGarbage: what was never activated has nothing to clean up.
markComponentAsGarbage() {
  componentMarkedAsGarbage || davit_move_marker activated garbage || :
}

componentMarkedAsGarbage() {
  [ -f "$(davit_place garbage)" ]
}

unmarkComponentAsGarbage() {
  rm -f "$(davit_place garbage)"
}

# davit_move_marker FROM TO: fails if there is none.
davit_move_marker() {
  mkdir -p "$DYSNOMIA_STATEDIR/$2/$containerName" || return
  [ -f "$(davit_place "$1")" ] && mv "$(davit_place "$1")" "$(davit_place "$2")"
}

# davit_last_generation: prints its number, 0 if there is none.
davit_last_generation() {
  local davit_last=0 davit_link
  for davit_link in "$(davit_place generations)"/*; do
    davit_link=${davit_link##*/}
    case $davit_link in
      '' | 0* | *[!0-9]*) continue ;;
    esac
    [ "$davit_link" -le "$davit_last" ] || davit_last=$davit_link
  done
  echo "$davit_last"
}

# determineLastSnapshot: prints the path of the snapshot of the last generation, nothing if there is none.
determineLastSnapshot() {
  local davit_last
  davit_last=$(davit_last_generation)
  [ "$davit_last" = 0 ] || davit_snapshot_of "$davit_last"
}

davit_snapshot_of() {
  local davit_link
  davit_link=$(readlink "$(davit_place generations)/$1") || return
  printf '%s/%s\n' "$(davit_place snapshots)" "${davit_link##*/}"
}

# createGenerationSymlink NAME: makes the snapshot of this name the last generation, with the checksum of what it is now.
createGenerationSymlink() {
  local davit_name=${1##*/} davit_last davit_directory davit_checksum
  davit_last=$(davit_last_generation)
  [ "$davit_last" = 0 ] || [ "$(davit_snapshot_of "$davit_last")" != "$(davit_place snapshots)/$davit_name" ] || return 0
  davit_checksum=$(davit_place checksums)/$davit_name davit_directory=$(davit_place generations)
  mkdir -p "$davit_directory" "${davit_checksum%/*}" || return
  # What was kept before has its checksum, which shows whether it is still the same.
  [ -f "$davit_checksum" ] || {
    printf 'sha256:%s' "$(computeOutputHash "$(davit_place snapshots)/$davit_name")" >"$davit_checksum.new" &&
      mv "$davit_checksum.new" "$davit_checksum" || return
  }
  ln -s "../../../snapshots/$containerName/$componentName/$davit_name" "$davit_directory/$((davit_last + 1))"
}

# computeOutputHash PATH: prints the hash of a file, or of the names and contents of everything in a directory.
computeOutputHash() {
  if [ -d "$1" ]; then
    (cd "$1" && find . && echo && find . -type f -exec cat {} +)
  else
    cat "$1"
  fi | sha256sum | cut -c 1-64
}
