# Access to a native store for scripts without a helper.

# use_store SELF STORE INCOMING REGISTRATIONS LOGS
use_store() {
  self=$1 store=$2 incoming=$3 registrations=$4 logs=$5
  check_store_paths "$store" "$incoming" "$registrations" "$logs"
  built=$incoming/built.$boot
}

hold_commit() {
  IFS= read -r process_stat </proc/self/stat
  process_identity "${process_stat%% *}"
  claim_in_turn "$registrations/../commit" "$identity" || cannot 'write below' "$registrations"
}
