# Hosts whose first process is systemd. Sourced by power-on and test-hosts.
# shellcheck shell=bash

# Moves this process, and so the host, to a control group of its own, which its systemd takes for the top. Only the second version of
# control groups is used: what a machine may also have of the first one stays as it is.
enter_group() { # HOST ID
  local top group
  top=$(awk '$5 !~ "^/run/davit-test-hosts/" {
    for (field = 7; $field != "-"; field++) continue
    if ($(field + 1) == "cgroup2") { print $5; exit }
  }' /proc/self/mountinfo)
  if [ -z "$top" ]; then
    top=$1/groups
    mkdir -p "$top"
    mountpoint -q "$top" || mount -t cgroup2 cgroup2 "$top"
  fi
  group=$top$(sed -n 's|^0::||p' /proc/self/cgroup | sed 's|^/$||')/davit-test-host-$2-${1##*/}
  printf '%s\n' "$group" >"$1/group"
  mkdir "$group"
  printf '%s\n' "$BASHPID" >"$group/cgroup.procs"
}

# The kernel takes a moment to notice that the last process of a group has ended.
remove_group() { # HOST
  local group deadline=$((SECONDS + 10))
  group=$(cat "$1/group" 2>/dev/null) || return 0
  while [ -d "$group" ] && ! find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && [ $SECONDS -lt $deadline ]; do
    sleep 0.05
  done
  rm -f "$1/group"
}

# Mounts what systemd expects. The settings of the kernel belong to the machine.
mount_for_systemd() {
  mount --bind proc/sys proc/sys
  mount -o remount,bind,ro proc/sys
  : >dev/console
  mount -t cgroup2 cgroup2 sys/fs/cgroup
}

# Nothing starts but sshd, and what systemd itself needs.
install_systemd() {
  local unit generator system=etc/systemd/system
  install -d -m 755 "$system" "$system/multi-user.target.wants" etc/systemd/system-generators
  ln -s /lib/systemd/system/multi-user.target "$system/default.target"
  for unit in systemd-udevd.service systemd-udev-trigger.service systemd-networkd.service systemd-resolved.service \
    systemd-timesyncd.service systemd-sysctl.service systemd-modules-load.service systemd-random-seed.service getty.target \
    proc-sys-fs-binfmt_misc.automount dev-hugepages.mount sys-kernel-debug.mount sys-kernel-tracing.mount; do
    ln -s /dev/null "$system/$unit"
  done
  for generator in systemd-sysv-generator systemd-getty-generator systemd-gpt-auto-generator systemd-fstab-generator; do
    ln -sf /dev/null "etc/systemd/system-generators/$generator"
  done
  cat >"$system/davit-sshd.service" <<'END'
[Service]
ExecStartPre=/bin/mkdir -p /run/sshd
ExecStart=/usr/sbin/sshd -D -E /var/log/sshd.log
KillMode=process
END
  ln -s ../davit-sshd.service "$system/multi-user.target.wants/"
}
