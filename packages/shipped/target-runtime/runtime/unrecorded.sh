# Asks services of which there is no record.

# operation_ask_unrecorded TARGET PROFILE SECONDS CONTAINER KEY [-secret NAME WORD]... [FIELD WORD]...: asks the module of a mapping
# without a record for `status`, as if it had been activated with these fields: `told ID 1 STATUS`, then `done ID 0`.
operation_ask_unrecorded() {
  umask 077
  target=$1 profile=$2 seconds=$3 activity=status token=- lanes=1 asking=-
  mapping_directory "$1" "$2" "$4" "$5"
  shift 5
  secrets=
  while [ "${1-}" = -secret ]; do
    secrets="${secrets}1 $2 $3$newline"
    shift 3
  done
  compose_record "$@"
  # What killed helpers have left.
  for unrecorded in "$state/targets/$target/unrecorded"/*; do
    [ ! -d "$unrecorded" ] || ! is_dead "${unrecorded##*.}" || rm -rf "$unrecorded"
  done
  unrecorded=$state/targets/$target/unrecorded/$id.$self mappings=${directory##*/}
  make_directory "$unrecorded/$mappings"
  write_text "$unrecorded/$mappings/record" "$record" || cannot 'write below' "$unrecorded"
  begin_asking "$unrecorded" "$unrecorded"
}
