# Calls of modules whose markers and snapshots are in a directory of their own.

# run_in_store STORE NIX-STORE FUNCTION [WORD]...: NIX-STORE is the NIX_STORE_DIR of modules, unless it is empty. The log is complete when this
# process ends, as far as no process in the background keeps it open.
run_in_store() {
  davit_store=$1 davit_nix_store=$2 davit_keeper= open_places=022
  trap '[ -z "$davit_keeper" ] || await_log' EXIT
  shift 2
  "$@"
}
