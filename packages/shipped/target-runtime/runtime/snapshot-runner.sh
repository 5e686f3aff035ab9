# The runner of an activity that concerns the state of a component: snapshot, restore, verify and collect-garbage. Its directory is
# `busy/CONTAINER:COMPONENT`, with files as in that of a mapping.

# run_state RUNNER SECONDS SNAPSHOTS CONTAINER COMPONENT REQUEST COMPRESSOR WANTED MAPPING: WANTED is the snapshot to restore or to verify, or `-` for
# the latest; MAPPING is the directory of the mapping's record, which need not exist.
run_state() {
  davit_runner=$1 seconds=$2 request=$6 compressor=$7 wanted=$8 mapping=$9
  use_component "$3" "$4" "$5"
  davit_log=$davit_state/targets/$davit_target/log/$davit_profile/${mapping##*/}.$davit_activity
  dump=$snapshots/incoming/${davit_directory##*/}
  close_views
  [ "$davit_activity" != restore ] || choose_snapshot
  davit_snapshot=$dump
  open_log || {
    rm -f "$davit_directory/running"
    exit 253
  }
  make_accounts && said=$(prepare_state 2>&1)
  davit_status=$?
  [ "$davit_status" != 0 ] || {
    (
      exec >&7 2>&1 7>&-
      claim_module && call_module ''
    ) &
    await_module "$!" "$seconds"
    rm -f "$davit_directory/module"
    [ "$davit_status" != 0 ] || said=${said:+$said$newline}$(finish_state 2>&1) || davit_status=250
  }
  remove_dump
  close_views
  case $davit_activity:$snapshots in
    verify:*/verifying/*) rm -rf "${snapshots%/*}" ;;
  esac
  case $davit_activity:$davit_status:$said in
    snapshot:0:*"it was moved to '"*) davit_status=$set_aside ;;
  esac
  # Once there is space for it again.
  [ -z "$said" ] || printf '%s\n' "$said" >&7
  exec 7>&-
  case $davit_status in
    0) ;;
    "$nothing_to_do") davit_status=0 ;;
    *) await_log ;;
  esac
  printf '%s %s\n' "$request" "$davit_status" >"$davit_directory/status"
  rm -f "$davit_directory/running"
  exit "$davit_status"
}

set_aside=247
not_savable=248
nothing_to_do=249

# make_accounts: has the module make the accounts to which the files of the state belong, before it is unpacked.
make_accounts() {
  said=
  [ "$davit_activity" = restore ] && [ -n "$wanted" ] || return 0
  find_component ''
  [ -f "$davit_module.activities" ] && has_line "$davit_module.activities" accounts || return 0
  davit_activity=accounts
  (
    exec >&7 2>&1 7>&-
    claim_module && call_module ''
  ) &
  await_module "$!" "$seconds"
  davit_activity=restore
  rm -f "$davit_directory/module"
  return "$davit_status"
}

# prepare_state: makes what the module needs.
prepare_state() {
  case $davit_activity in
    snapshot)
      [ "$wanted" != replaced ] || can_be_replaced || return "$not_savable"
      make_dump || return 250
      ;;
    restore)
      if [ -z "$wanted" ]; then
        printf 'there is no snapshot to restore\n'
        return "$nothing_to_do"
      fi
      make_dump && unpack "$wanted" "$dump" && open_view || return 250
      in_turn note_replaced "$wanted" || return 250
      # The modules of Dysnomia restore the latest one.
      name=$wanted
      in_turn add_snapshot "$payloads/$wanted" && forget saved restored || return 250
      ;;
    verify) prepare_verification ;;
    collect-garbage)
      [ -f "$snapshots/garbage/$container/$component" ] || {
        printf 'the state is in use, or was deleted\n'
        return "$nothing_to_do"
      }
      ;;
  esac
}

# choose_snapshot: sets $wanted, and how the module sees a snapshot that one of Dysnomia has kept.
choose_snapshot() {
  [ "$wanted" != - ] || {
    find_latest
    wanted=$latest
  }
  [ -n "$wanted" ] && [ -d "$payloads/$wanted" ] && ! is_packed "$payloads/$wanted" || return 0
  IFS= read -r random </proc/sys/kernel/random/uuid || return 0
  davit_view=$davit_state/targets/$davit_target/restoring/${davit_directory##*/}.$random
  dump=$davit_view/snapshots/$container/$component/$wanted
}

# open_view: makes the dump part of a store of its own, which is as private as the store itself. If the module reads it as another account,
# the files belong to that one, and only its group gets to them. It cannot replace any, as directories belong to this account.
open_view() {
  [ -n "$davit_view" ] || return 0
  set -- "$davit_view/generations/$container/$component"
  mkdir -p "$1" && ln -s "../../../snapshots/$container/$component/$wanted" "$1/1" &&
    ln -s "$snapshots/activated" "$snapshots/garbage" "$snapshots/checksums" "$davit_view" && chmod 700 "$davit_view" && find_reader || return
  [ -z "$reader" ] || {
    find "$davit_view"/* -type d -exec chmod 755 {} + && find "$davit_view" -type f -exec chown -h "$reader" {} + &&
      find "$davit_view" -type f -exec chmod 400 {} + && chgrp "$(id -g "$reader")" "$davit_view" && chmod 710 "$davit_view" &&
      chmod 711 "${davit_view%/*}"
  }
}

# find_reader: sets $reader to the account as which the module reads the snapshot; empty if that is this one. It is the property
# `snapshotReader` of the container, or that by which one of Dysnomia's own modules becomes another account.
find_reader() {
  reader='' declared=''
  [ "$(id -u)" = 0 ] || return 0
  set -f
  # shellcheck disable=SC2086
  set -- $davit_secrets
  set +f
  while [ $# -ge 3 ]; do
    note_reader "property.$2" "$3"
    shift 3
  done
  while IFS=' ' read -r field word || [ -n "$field" ]; do
    note_reader "$field" "$word"
  done <"$davit_directory/record"
  reader=${declared:-$reader}
  case $reader in
    '' | root) reader='' ;;
    -* | *[!A-Za-z0-9_.-]*) false ;;
    *) id -u "$reader" >/dev/null 2>&1 ;;
  esac || {
    complain "there is no account '$reader' here, as which the snapshot would be read"
    return 1
  }
}

# note_reader FIELD WORD
note_reader() {
  case $1 in
    property.snapshotReader) decode "$2" && declared=$decoded ;;
    property.postgresqlUsername | property.influxdbUsername | property.ejabberdUser) decode "$2" && reader=$decoded ;;
  esac
}

close_views() {
  for path in "$davit_state/targets/$davit_target/restoring/${davit_directory##*/}".*; do
    [ ! -d "$path" ] || rm -rf "$path"
  done
}

# remove_dump: also directories of the state that nobody may write to.
remove_dump() {
  rm -rf "$dump" "$dump.work" "$dump.rules" 2>/dev/null || {
    find "$dump" -type d ! -perm -700 -exec chmod u+rwx {} +
    rm -rf "$dump" "$dump.work" "$dump.rules"
  }
}

make_dump() {
  remove_dump && { [ -d "${dump%/*}" ] || mkdir -p "${dump%/*}"; } && mkdir -m 700 "$dump"
}

# finish_state: keeps what the module has made.
finish_state() {
  case $davit_activity in
    snapshot)
      # A module of Dysnomia adds its snapshot to the store by itself.
      set -- "$dump"/*
      [ -e "$1" ] || [ -L "$1" ] || {
        find_latest
        name=$latest
        [ -n "$name" ] || return 0
        find_component ''
        { [ -f "$facts/$name" ] && grep -q '^taken ' "$facts/$name"; } || in_turn write_facts && { ! is_of_dysnomia "$davit_module" || note_saved; }
        return
      }
      choose_compressor "$compressor"
      keep_snapshot "$dump" "$compressor" && in_turn write_facts && note_saved
      ;;
    restore)
      end_replacement && note_restored "$wanted" || return
      [ ! -d "$mapping" ] || { : >"$mapping/restored" && sync "$mapping/restored" "$mapping"; }
      ;;
    collect-garbage) forget saved restored empty garbage ;;
  esac
}

# write_facts: tells about the snapshot $name, from the record of the activity.
write_facts() {
  { [ -d "$facts" ] || mkdir -p "$facts"; } && size=$(size_of "$payloads/$name") || return
  text="taken $(date -u +%Y-%m-%dT%H:%M:%SZ)${newline}bytes $size${newline}target $davit_target$newline"
  while IFS=' ' read -r field word || [ -n "$field" ]; do
    case $field in
      name | service | pkg) text="$text$field $word$newline" ;;
    esac
  done <"$davit_directory/record"
  origins=$(list_origins)
  text=$text${origins:+follows $origins$newline}
  keep_verification
  replace_text "$facts/$name" "$text"
}

# size_of SNAPSHOT: prints the size of the state.
size_of() {
  if is_packed "$1"; then
    awk '/\// && $3 != "-" { sum += $3 } END { printf "%.0f", sum }' "$1/listing"
  else
    find "$1" -type f -exec cat {} + | wc -c
  fi
}
