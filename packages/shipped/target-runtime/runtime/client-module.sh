#!/bin/sh
# Is called in place of the lifecycle modules of a target that is reached through a client executable:
#   client/modules/TYPE ACTIVITY PACKAGE CONTAINER SNAPSHOT STORE [NAME=VALUE]...
# or client/provided/NAME, where NAME is that of the package that provides the container. The file `client/executable` has two lines: the
# executable, and what it is told as the target.

set -u
umask 022
place=${0%/*/*} type=${0##*/} activity=$1 package=$2 container=$3 snapshot=$4 store=$5
shift 5
[ "${0%/*}" != "$place/provided" ] || type=${package%/*}/$type
{ IFS= read -r executable && IFS= read -r target; } <"$place/executable" || exit 253

left=$#
while [ "$left" -gt 0 ]; do
  set -- "$@" --arguments "$1"
  shift
  left=$((left - 1))
done

# on_component OPERATION [WORD]...: has the module there called.
on_component() {
  operation=$1
  shift
  "$executable" "--$operation" --target "$target" --container "$container" --type "$type" "$@" "$package"
}

# on_state OPERATION [WORD]...: concerns the snapshots of the component there.
on_state() {
  operation=$1
  shift
  "$executable" "--$operation" --target "$target" "$@"
}

# take_snapshot [WORD]...: adds the snapshot that is taken there to the store here.
take_snapshot() {
  on_component snapshot "$@" || return
  name=$(on_state query-latest-snapshot --container "$container" --component "$component") || return
  # Not every service has state.
  [ -n "$name" ] || return 0
  id=${name#"$container/$component/"}
  case $id in
    '' | "$name" | [.-]* | *[!A-Za-z0-9_.+?=-]*) say_why "'$executable' names the latest snapshot '$name'" && return 1 ;;
  esac
  [ -d "$payloads/$id" ] || fetch_snapshot || return
  newest=$(find "$generations" -type l 2>/dev/null | sed 's|.*/||' | sort -n | tail -n 1)
  case $(readlink "$generations/${newest:-none}") in
    */"$id") ;;
    *) mkdir -p "$generations" && ln -s "../../../snapshots/$container/$component/$id" "$generations/$((${newest:-0} + 1))" ;;
  esac
}

# fetch_snapshot: copies it from where the executable has left it, which is removed unless it is the snapshot there itself.
fetch_snapshot() {
  path=$(on_state resolve-snapshots "$name") && directory=$(on_state export-snapshots "$path") || return
  case $directory in
    /*) [ -d "$directory/$id" ] ;;
    *) false ;;
  esac || {
    say_why "'$executable' has not brought the snapshot '$name'"
    return 1
  }
  mkdir -p "$payloads" "$store/checksums/$container/$component" && cp -R "$directory/$id" "$snapshot.work" || return
  strange=$(find "$snapshot.work" ! -type f ! -type d | head -n 1)
  [ -z "$strange" ] || {
    say_why "the snapshot '$name' has something else than files and directories: '${strange##*/}'"
    return 1
  }
  find "$snapshot.work" -type f -exec chmod a-st {} + || return
  # shellcheck disable=SC3013
  [ "$directory/$id" -ef "$path" ] || { rm -rf "${directory:?}/$id" && rmdir "$directory"; } 2>/dev/null || :
  printf 'sha256:%s\n' "$(content_sum "$snapshot.work")" >"$store/checksums/$container/$component/$id" &&
    find "$snapshot.work" \( -type f -o -type d \) -exec sync {} + && mv "$snapshot.work" "$payloads/$id"
}

# restore_snapshot [WORD]...: makes the snapshot the latest one there, and has it restored.
restore_snapshot() {
  case $snapshot in
    "$payloads"/*) id=${snapshot##*/} directory=$snapshot ;;
    *)
      id=$(content_sum "$snapshot") directory=$snapshot.work/$id
      mkdir -m 700 "$snapshot.work" && mv "$snapshot" "$directory" || return
      ;;
  esac
  # There, the users of databases read it. Here, nobody gets to it.
  chmod -R a+rX "$directory" || return
  name=$container/$component/$id
  missing=$(on_state print-missing-snapshots "$name") || return
  if [ -n "$missing" ]; then
    on_state import-snapshots --localfile --container "$container" --component "$component" "$directory" || return
  else
    path=$(on_state resolve-snapshots "$name") &&
      on_state import-snapshots --remotefile --container "$container" --component "$component" "$path" || return
  fi
  on_component restore "$@"
}

# content_sum DIRECTORY: the checksum that Dysnomia would have, of the names and contents of the files.
content_sum() (
  cd "$1" || exit
  {
    find . | LC_ALL=C sort
    printf '\n'
    find . -type f | LC_ALL=C sort | tr '\n' '\0' | xargs -0 -r cat
  } | sha256sum | sed 's/ .*//'
)

say_why() {
  printf '%s\n' "davit: $*" >&2
}

component=${package##*/}
component=${component#*-}
payloads=$store/snapshots/$container/$component generations=$store/generations/$container/$component
case $activity in
  activate | deactivate) on_component "$activity" "$@" ;;
  snapshot) take_snapshot "$@" ;;
  restore) restore_snapshot "$@" ;;
  collect-garbage) on_component delete-state "$@" ;;
  *)
    say_why "$activity is not possible through a client executable"
    exit 1
    ;;
esac
