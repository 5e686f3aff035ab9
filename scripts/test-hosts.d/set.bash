# A set of hosts: a directory, a bridge and a subnet whose names contain its number.
# Sourced by test-hosts.
# shellcheck shell=bash

sets=/run/davit-test-hosts
largest_set=200

# Marks every process that a set starts outside its hosts' namespaces. They can then be
# found even if the process that started them died before it recorded their pid.
marker_of() { printf 'davit-test-host:%s' "$(<"$1/id")"; }

# Tells which set an interface belongs to, also for those who cannot see the set.
alias_of() { printf 'davit-test-hosts:%s' "$(<"$1/id")"; }

bridge_of() { printf 'dvt%s' "${1##*/}"; }

# 198.18.0.0/15 is set aside for tests between network devices (RFC 2544).
subnet_of() { printf '198.18.%s' "${1##*/}"; }

bring_up() { # COUNT PREFIX KIND
  local count=$1 prefix=$2 kind=$3 names=() index keys
  new_set=''
  trap abandon_set EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  # A trap runs after the assignment, so an interrupt cannot lose the directory.
  new_set=$(trap '' HUP INT TERM; allocate_set)
  exec 9>"$new_set/lock"
  flock -n 9
  cat /proc/sys/kernel/random/uuid >"$new_set/id"
  mkdir "$new_set/hosts"
  for ((index = 1; index <= count; index++)); do
    names+=("$prefix$index")
    describe_host "$new_set" "$prefix$index" "$index" "$kind"
  done
  write_listing "$new_set" "${names[@]}"
  write_ssh_config "$new_set" "${names[@]}"
  create_bridge "$new_set"
  create_keys "$new_set" &
  keys=$!
  in_parallel create_host "$new_set" "${names[@]}"
  wait "$keys"
  write_known_hosts "$new_set" "${names[@]}"
  in_parallel start_host "$new_set" "${names[@]}"
  trap - EXIT HUP INT TERM
  printf '%s\n' "$new_set"
  cat "$new_set/listing"
}

allocate_set() {
  local number
  for ((number = 0; number < 256; number++)); do
    mkdir -p "$sets"
    # shellcheck disable=SC2174
    mkdir -m 700 "$sets/$number" 2>/dev/null || continue
    if is_taken "$number"; then
      rmdir "$sets/$number"
      continue
    fi
    printf '%s/%s\n' "$sets" "$number"
    return
  done
  fail 1 "all 256 sets are in use" "'$self list' shows them"
}

# A number can be taken by another container on this network, or because this is a test host itself.
is_taken() { # NUMBER
  [ -e "/sys/class/net/$(bridge_of "$1")" ] || [ -n "$(ip -4 route show "$(subnet_of "$1").0/24")" ]
}

abandon_set() {
  local status=$?
  trap '' HUP INT TERM
  wait
  if [ -n "$new_set" ]; then
    printf 'test-hosts: failed or interrupted; taking the set down again\n' >&2
    remove_set "$new_set"
  fi
  exit "$status"
}

create_bridge() { # SET
  local bridge
  bridge=$(bridge_of "$1")
  ip -batch - <<END
link add $bridge type bridge forward_delay 0
addr add $(subnet_of "$1").1/24 dev $bridge
link set $bridge up alias $(alias_of "$1")
END
}

in_parallel() { # FUNCTION SET NAME...
  local function=$1 set=$2 name pid pids=() failed=0
  shift 2
  for name; do
    "$function" "$set" "$name" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do
    wait "$pid" || failed=1
  done
  return $failed
}

select_set() { # [SET]
  local wanted=${1:-${DAVIT_TEST_HOSTS:-}}
  [ -n "$wanted" ] || usage_error 'no set is named, and DAVIT_TEST_HOSTS is not set'
  selected=$sets/${wanted#"$sets/"}
  [[ ${selected#"$sets/"} =~ ^[0-9]+$ ]] || usage_error "'$wanted' is not a set of test hosts"
  require_root
  [ -d "$selected" ] || fail 1 "no set '$wanted'" "'$self list' shows the sets"
}

# Waits for the lock. Everything that 'up' starts holds it until it is done, so even
# after an 'up' that was killed, nothing new appears afterwards.
take_down() { # SET
  local id
  id=$(cat "$1/id" 2>/dev/null || true)
  trap '' HUP INT TERM
  exec 9>>"$1/lock"
  flock -w 30 9 || fail 75 "the set '$1' is still being brought up" 'interrupt that first'
  if [ "$(cat "$1/id" 2>/dev/null || true)" = "$id" ]; then
    remove_set "$1"
  fi
}

remove_set() { # SET
  local set=$1 link mount
  end_processes "$set"
  for link in "/sys/class/net/$(bridge_of "$set")" "/sys/class/net/$(bridge_of "$set")-"*; do
    [ ! -e "$link" ] || ip link del "${link##*/}"
  done
  while read -r mount; do
    umount "$mount" 2>/dev/null || umount -l "$mount"
  done < <(awk -v dir="$set/" 'index($5, dir) == 1 { print $5 }' /proc/self/mountinfo | tac)
  rm -rf --one-file-system "$set"
  # Somebody else may just have removed it, or made another set.
  rmdir --ignore-fail-on-non-empty "$sets" 2>/dev/null || [ ! -d "$sets" ]
}

end_processes() { # SET [NAME]
  local pids firsts deadline=$((SECONDS + 10))
  [ -s "$1/id" ] || return 0
  while pids=$(marked_processes "$@") && [ -n "$pids" ]; do
    [ $SECONDS -lt $deadline ] || fail 1 'cannot end all processes' "these are left: ${pids//$'\n'/ }"
    # Ending a host's first process ends all others of the host, and its parent reaps it.
    # shellcheck disable=SC2086
    firsts=$(first_processes $pids)
    # shellcheck disable=SC2086
    kill -KILL ${firsts:-$pids} 2>/dev/null || true
    sleep 0.05
  done
  remove_groups "$@"
}

# Removes the control groups of hosts with systemd.
remove_groups() { # SET [NAME]
  local host
  for host in "$1/hosts/"${2:-*}; do
    remove_group "$host"
  done
}

first_processes() { # PID...
  local pid
  for pid; do
    awk -v pid="$pid" '$1 == "NSpid:" && $NF == 1 && NF > 2 { print pid }' "/proc/$pid/status" 2>/dev/null || true
  done
}

marked_processes() { # SET [NAME]
  local processes
  mapfile -t processes < <(grep -lazE "^$(marker_of "$1")\$" /proc/[0-9]*/cmdline 2>/dev/null)
  [ $# = 1 ] || [ ${#processes[@]} = 0 ] ||
    mapfile -t processes < <(grep -lazFx -e "$1/hosts/$2" "${processes[@]}" 2>/dev/null)
  printf '%s\n' "${processes[@]}" | cut -d/ -f3
}

list_hosts() { # SET
  local name address state
  [ -e "$1/listing" ] || printf '%s - - - incomplete\n' "$1"
  while read -r name address; do
    state=down
    find_host_pid "$1" "$name" && state=up
    printf '%s %s %s %s %s\n' "$1" "$name" "$address" "$(<"$1/hosts/$name/kind")" "$state"
  done < <(cat "$1/listing" 2>/dev/null)
}
