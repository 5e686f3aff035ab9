# Stores of snapshots on this machine.

# open_snapshots STORE: sets $snapshots. What is made there is private, as state may be secret.
open_snapshots() {
  umask 077
  rest=$1/
  while [ -n "$rest" ]; do
    check_names "${rest%%/*}"
    rest=${rest#*/}
  done
  snapshots=$state/$1/dysnomia
}

# hold_snapshots: until the operation ends, nobody else changes the store.
hold_snapshots() {
  make_directory "$snapshots"
  claim_in_turn "$snapshots/mutex" "$self" || cannot 'write below' "$snapshots"
  release=$snapshots/mutex
}
