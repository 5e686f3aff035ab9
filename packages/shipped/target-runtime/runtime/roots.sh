# What keeps packages from being collected: generations, and for a day what a deployment is about to need.

# In a native store, which accounts may share, MARK stands for the state directory of one:
#   profile:TARGET:PROFILE:MARK   leads to the generations of a profile; of long names the beginning and a hash; without MARK in the
#                                 way of earlier versions
#   state:MARK                    leads to all its targets, where the records of what is active are
#   temporary:NAME                leads to a path, and keeps it for a day

# state_mark: of this account.
state_mark() {
  sum=$(printf %s "$state" | { sha256sum 2>/dev/null || cksum; })
  printf '%.16s' "${sum%% *}"
}

# keep_state ROOTS
keep_state() {
  [ "$(readlink "$1/state:$mark")" = "$state/targets" ] || {
    mkdir -p "$1" && ln -sfn "$state/targets" "$1/state:$mark"
  }
}

# hold_store REGISTRATIONS: until the operation ends nobody else changes the store.
hold_store() {
  mkdir -p "$1" && claim_in_turn "${1%/*}/commit" "$self" || cannot 'write below' "$1"
  registrations=$1
  release_store=${1%/*}/commit
}
