# One host: a disk and a network that outlive its processes, and switching it
# on. Sourced by test-hosts.
#
# SET/hosts/NAME/  address, kind (overlay, bare or systemd), interface (its end outside)
#                  system      the system its Nix builds for, if not this machine's
#                  disk/       tmpfs: upper/ contains the host's files, work/ belongs to overlayfs
#                  network     its network namespace
#                  root/       mount point, empty outside the host
#                  lock        held while a command cuts it off, reboots it and the like
#                  group       the directory of its control group, while a host with systemd runs
#                  pid, boot-id, log   of the current boot; pid as seen from outside
# shellcheck shell=bash

disk_size=${TEST_HOST_DISK:-2g}
disk_inodes=1000000

describe_host() { # SET NAME INDEX KIND
  local host=$1/hosts/$2
  mkdir -p "$host/disk" "$host/root"
  printf '%s.%s\n' "$(subnet_of "$1")" $((10 + $3)) >"$host/address"
  printf '%s-%s\n' "$(bridge_of "$1")" "$3" >"$host/interface"
  printf '%s\n' "$4" >"$host/kind"
  system_of "$2" >"$host/system"
}

# Prints the system of a host. The last one in command_up's $systems counts.
system_of() { # NAME
  local system
  for ((system = ${#systems[@]} - 1; system >= 0; system--)); do
    [ "${systems[system]%%=*}" != "$1" ] || { printf '%s\n' "${systems[system]#*=}"; return; }
  done
}

create_host() { # SET NAME
  local host=$1/hosts/$2
  ssh-keygen -q -t ed25519 -N '' -C "root@$2" -f "$host/ssh_host_ed25519_key"
  mount_disk "$1" "$2"
  : >"$host/network"
  unshare --net="$host/network" true
  plug_in "$1" "$2"
}

# The disk is a tmpfs. overlayfs refuses an upper layer that is itself on an overlay,
# as the root of a container is, and a tmpfs has a size that can be used up.
mount_disk() { # SET NAME
  mount -t tmpfs -o "size=$disk_size,nr_inodes=$disk_inodes,mode=755" davit-test-hosts "$1/hosts/$2/disk"
}

plug_in() { # SET NAME
  local host=$1/hosts/$2 interface
  interface=$(<"$host/interface")
  ip -batch - <<END
link add $interface type veth peer name eth0 netns $host/network
link set $interface master $(bridge_of "$1") up alias $(alias_of "$1")
END
  nsenter --net="$host/network" ip -batch - <<END
link set lo up
addr add $(<"$host/address")/24 dev eth0
link set eth0 up
END
  # Lets the host notice within seconds that the other end of a connection has gone while its network was cut. Where this may not
  # be set, it takes minutes.
  nsenter --net="$host/network" sh -c \
    'cd /proc/sys/net/ipv4 && echo 10 >tcp_keepalive_time && echo 5 >tcp_keepalive_intvl' 2>/dev/null || true
}

start_host() { # SET NAME
  local host=$1/hosts/$2
  switch_on "$1" "$2"
  await_sshd "$1" "$2" || {
    printf "test-hosts: '%s' does not start\n" "$2" >&2
    cat "$host/log" "$host/disk/upper/var/log/sshd.log" >&2 2>/dev/null
    return 1
  }
}

switch_on() { # SET NAME
  local host=$1/hosts/$2
  rm -f "$host/pid"
  DAVIT_TEST_NODE=$caller_node setsid bash "$parts/power-on" "$(marker_of "$1")" "$host" \
    </dev/null >"$host/log" 2>&1 &
}

# sshd writes its pid file once it listens.
await_sshd() { # SET NAME
  local host=$1/hosts/$2 deadline=$((SECONDS + 20)) switch=$! pid
  until [ -s "$host/pid" ] && read -r pid <"$host/pid" && [ -e "/proc/$pid/root/run/sshd.pid" ]; do
    [ $SECONDS -lt $deadline ] && [ -e "/proc/$switch" ] || return 1
    sleep 0.03
  done
}

# Sets $host_pid, or fails. Tests ask for it so often that this begins no process.
find_host_pid() { # SET NAME
  local id words word
  host_pid=''
  { read -r host_pid <"$1/hosts/$2/pid" && read -r id <"$1/id"; } 2>/dev/null && [ -n "$host_pid" ] || return 1
  mapfile -d '' -t words 2>/dev/null <"/proc/$host_pid/cmdline" || return 1
  for word in "${words[@]}"; do
    [ "$word" != "davit-test-host:$id" ] || return 0
  done
  return 1
}

require_host() { # SET NAME
  [[ -n $2 && $2 != . && $2 != .. && $2 != */* && -d $1/hosts/$2 ]] || fail 1 "no host '$2' in '$1'" "'$self list' shows the hosts"
}

exec_in_host() { # SET NAME COMMAND [ARGUMENT...]
  local set=$1 name=$2 host_pid
  shift 2
  require_host "$set" "$name"
  find_host_pid "$set" "$name" || fail 1 "the host '$name' is not running"
  # shellcheck disable=SC2016
  exec env -i --default-signal PATH="$PATH" HOME=/root USER=root LOGNAME=root TERM="${TERM:-dumb}" \
    nsenter --target "$host_pid" --mount --uts --ipc --net --pid -- sh -c 'cd && exec "$@"' sh "$@"
}
