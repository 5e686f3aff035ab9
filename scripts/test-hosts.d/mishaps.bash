# Things that may go wrong with a host, and how to undo them. Sourced by test-hosts, and by other scripts that know its sets.
# shellcheck shell=bash

cut_host() { # SET NAME
  ip link set "$(<"$1/hosts/$2/interface")" down
}

join_host() { # SET NAME
  ip link set "$(<"$1/hosts/$2/interface")" up
}

# What has no place on the line waits, so that nothing is lost.
slow_host() { # SET NAME [BITS]
  local host=$1/hosts/$2 limit=(root tbf rate "${3:-64000}bit" burst 2kb limit 4mb)
  tc qdisc replace dev "$(<"$host/interface")" "${limit[@]}"
  nsenter --net="$host/network" tc qdisc replace dev eth0 "${limit[@]}"
}

quick_host() { # SET NAME
  local host=$1/hosts/$2
  tc qdisc delete dev "$(<"$host/interface")" root 2>/dev/null || true
  nsenter --net="$host/network" tc qdisc delete dev eth0 root 2>/dev/null || true
}

# Ends sshd with all of its connections, so that nobody can connect any more. Bare hosts have no pkill.
# shellcheck disable=SC2016
stop_sshd() { # SET NAME
  exec_in_host "$1" "$2" sh -c '[ ! -e /run/sshd.pid ] || kill -KILL "$(cat /run/sshd.pid)"
    for directory in /proc/[0-9]*; do
      case $(cat "$directory/comm" 2>/dev/null) in sshd | sshd-session) kill -KILL "${directory#/proc/}" ;; esac
    done
    rm -f /run/sshd.pid'
}

start_sshd() { # SET NAME
  exec_in_host "$1" "$2" sh -c '[ -e /run/sshd.pid ] || exec /usr/sbin/sshd -E /var/log/sshd.log'
}

reboot_host() { # SET NAME
  switch_off "$@"
  start_host "$@"
}

# Gives a host an empty disk. Its keys stay the same.
reinstall_host() { # SET NAME
  switch_off "$@"
  ! mountpoint -q "$1/hosts/$2/disk" || umount -l "$1/hosts/$2/disk"
  mount_disk "$@"
  start_host "$@"
}

# Ends all processes of a host without a warning, as when power is lost. Also works while it is being switched on.
switch_off() { # SET NAME
  end_processes "$1" "$2"
}

# Fills a disk by shrinking it to the size of its contents, which takes no memory. This is repeated if files were written or
# removed in the meantime.
fill_host() { # SET NAME [BYTES] [INODES]
  local disk=$1/hosts/$2/disk bytes=${3:-0} inodes=${4:-} attempt limits
  for ((attempt = 0; attempt < 20; attempt++)); do
    limits=size=$(($(used_bytes "$disk") + bytes))
    [ -z "$inodes" ] || limits+=,nr_inodes=$(($(used_inodes "$disk") + inodes))
    mount -o "remount,$limits" "$disk" 2>/dev/null || continue
    [ "$(stat -f -c %a "$disk")" = $(((bytes + 4095) / 4096)) ] || continue
    [ -z "$inodes" ] || [ "$(stat -f -c %d "$disk")" = "$inodes" ] || continue
    return
  done
  fail 1 "cannot fill the disk of '$2': it changes too fast"
}

used_bytes() { # DISK
  local all free size
  read -r all free size < <(stat -f -c '%b %f %S' "$1")
  printf '%s\n' $(((all - free) * size))
}

used_inodes() { # DISK
  local all free
  read -r all free < <(stat -f -c '%c %d' "$1")
  printf '%s\n' $((all - free))
}

free_host() { # SET NAME
  mount -o "remount,size=$disk_size,nr_inodes=$disk_inodes" "$1/hosts/$2/disk"
}
