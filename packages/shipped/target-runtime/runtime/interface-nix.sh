# Operations of the client interface that the Nix of this machine carries out.

# client_import FILE: `-` for what follows on standard input.
client_import() {
  find_nix
  [ "$1" = - ] || exec <"$1" || exit 1
  nix-store --import >/dev/null
}

# client_export PATH...
client_export() {
  find_nix
  check_store_paths "$@"
  nix-store --export "$@"
}

# client_print_invalid PATH...
client_print_invalid() {
  find_nix
  check_store_paths "$@"
  [ $# = 0 ] || nix-store --check-validity --print-invalid "$@"
}

# client_realise DERIVATION...
client_realise() {
  find_nix
  check_store_paths "$@"
  [ $# = 0 ] || while_wanted nix-store --realise "$@"
}

# client_collect_garbage all|unused: `all` also removes the old generations of all profiles of this account.
client_collect_garbage() {
  find_nix
  if [ "$1" = all ]; then set -- -d; else set --; fi
  while_wanted nix-collect-garbage "$@" >&2
}

# client_query_requisites PATH...: closures, what is referred to before what refers to it. The path of a profile of root stands for that of
# this account, which Disnix only asks for in that way.
client_query_requisites() {
  find_nix
  check_store_paths "$@"
  for path in "$@"; do
    case $path in
      "${NIX_STATE_DIR:-/nix/var/nix}/profiles/disnix/"*)
        find_profile "${path##*/}"
        [ ! -e "$profile" ] || path=$profile
        ;;
    esac
    set -- "$@" "$path"
    shift
  done
  [ $# = 0 ] || nix-store -qR "$@"
}

# client_set PROFILE PATH: makes a path the current generation of a profile of Disnix, unless it is.
client_set() {
  find_nix
  find_profile "$1"
  check_store_paths "$2"
  [ -e "$2" ] || fail cannot-read "there is no '$2'"
  [ "$(readlink -f "$profile")" != "$2" ] || return 0
  make_directory "${profile%/*}"
  nix-env -p "$profile" --set "$2"
}
