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

# keep_generation LINK PATH STORE-KIND ROOT: LINK leads to the path, and keeps it.
keep_generation() {
  case $3 in
    native)
      check_store_paths "${4%/*}"
      hold_store "${4%/*/*}/registrations"
      [ -d "$2" ] || fail no-profile "'$2' is not on the machine: davit-distribute brings it"
      keep_state "${4%/*}" && keep_profile "$4" "${1%/*}" || cannot 'write below' "$4"
      [ -L "$1" ] || ln -s "$2" "$1" || cannot 'write below' "${1%/*}"
      ;;
    nix) root_nix "$1" "$2" ;;
    *) fail bad-request "there is no kind of store '$3'" ;;
  esac
}

# keep_profile ROOT DIRECTORY: also where another account has the same; instead of what an earlier version has made.
keep_profile() {
  ln -sfn "$2" "$1:$mark" || return 1
  [ "$(readlink "$1")" != "$2" ] || rm -f "$1"
}

# keep_state ROOTS
keep_state() {
  [ "$(readlink "$1/state:$mark")" = "$state/targets" ] || {
    mkdir -p "$1" && ln -sfn "$state/targets" "$1/state:$mark"
  }
}

# keep_active [FIELD WORD]...: whoever else uses the store of the package sees that it is needed.
keep_active() {
  while [ $# -ge 2 ] && [ "$1" != pkg ]; do
    shift 2
  done
  [ $# -ge 2 ] && decode "$2" && [ -d "${decoded%/*}/.davit/roots" ] || return 0
  keep_state "${decoded%/*}/.davit/roots" 2>/dev/null || :
}

# operation_protect STORE-KIND ROOTS PATH...: keeps them for a day. ROOTS is the directory for that in a native store, and a name
# for these paths together in a Nix store.
operation_protect() {
  kind=$1 roots=$2
  shift 2
  check_store_paths "$@"
  case $kind in
    native)
      check_store_paths "$roots"
      hold_store "${roots%/*}/registrations"
      keep_state "$roots" || cannot 'write below' "$roots"
      for path in "$@"; do
        [ -f "$registrations/${path##*/}.json" ] || fail collected "'$path' was collected meanwhile: send it again"
        protect_native "$roots" "$path"
      done
      ;;
    nix) protect_nix "$roots" "$@" ;;
    *) fail bad-request "there is no kind of store '$kind'" ;;
  esac
}

# protect_native ROOTS PATH; as the coordinator does it in a store of its own.
protect_native() {
  mkdir -p "$1" && ln -sfn "$2" "$1/temporary:.new.$$" && mv -f -T "$1/temporary:.new.$$" "$1/temporary:${2##*/}" ||
    cannot 'write below' "$1"
  find "$1" -type l -name 'temporary:*' -mtime +0 -exec rm -f {} +
}

# protect_nix NAME PATH...
protect_nix() {
  check_names "$1"
  link=$state/protected/$1
  shift
  make_directory "${link%/*}"
  find "${link%/*}" -type l -mtime +0 -exec rm -f {} +
  root_nix "$link" "$@"
}

# hold_store REGISTRATIONS: until the operation ends nobody else changes the store.
hold_store() {
  mkdir -p "$1" && claim_in_turn "${1%/*}/commit" "$self" || cannot 'write below' "$1"
  registrations=$1
  release_store=${1%/*}/commit
}

let_go() {
  [ -z "$release_store" ] || rm -f "$release_store"
  release_store=
}

# keep_asked REGISTRATIONS NAME...: while this helper lives. Not where nobody may write: nothing is sent to there.
keep_asked() {
  asked=${1%/*}/asked
  [ $# -gt 1 ] && mkdir -p "$asked" 2>/dev/null && [ -w "$asked" ] || return 0
  hold_store "$1"
  shift
  for owner in "$asked"/*; do
    [ -f "$owner" ] && is_dead "${owner##*/}" && rm -f "$owner"
  done
  printf '%s\n' "$@" | cat >>"$asked/$self" || cannot 'write below' "$asked"
}
