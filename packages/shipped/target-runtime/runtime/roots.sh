# Roots: of generations and, for a day, of what a deployment is about to need.

# Accounts may share a native store. MARK stands for the state directory of an account:
#   profile:TARGET:PROFILE:MARK   points to the generations of a profile; long names are cut, with a hash; earlier versions have no MARK
#   state:MARK                    points to all targets of the account, with the records of active services
#   temporary:NAME                points to a path, and protects it for a day

# find_mark: sets $mark, the mark of this account.
find_mark() {
  mark=$(printf %s "$state" | { sha256sum 2>/dev/null || cksum; })
  mark=${mark%% *}
  [ "${#mark}" -le 16 ] || mark=${mark%"${mark#????????????????}"}
}

# keep_state ROOTS: makes the state of this account a root.
keep_state() {
  [ -n "$mark" ] || find_mark
  # shellcheck disable=SC3013
  [ "$1/state:$mark" -ef "$state/targets" ] 2>/dev/null || [ "$(readlink "$1/state:$mark")" = "$state/targets" ] || {
    { [ -d "$1" ] || mkdir -p "$1"; } && ln -sfn "$state/targets" "$1/state:$mark"
  }
}

# hold_store REGISTRATIONS: until the operation ends, nobody else changes the store.
hold_store() {
  { [ -d "$1" ] || mkdir -p "$1"; } && claim_in_turn "${1%/*}/commit" "$self" || cannot 'write below' "$1"
  registrations=$1
  release_store=${1%/*}/commit
}

# keep_active [FIELD WORD]...: shows other users of the package's store that it is needed.
keep_active() {
  while [ $# -ge 2 ] && [ "$1" != pkg ]; do
    shift 2
  done
  [ $# -ge 2 ] && decode "$2" && [ -d "${decoded%/*}/.davit/roots" ] || return 0
  keep_state "${decoded%/*}/.davit/roots" 2>/dev/null || :
}
