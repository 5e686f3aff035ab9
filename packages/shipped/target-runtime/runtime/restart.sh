# What starts programs after a restart of this machine. Its files are below $DAVIT_BOOT_ROOT, which tests set so that they never change
# this machine; there are no tables of accounts then.

# find_starter: sets $starter to what this account can use for that, or to `none`: what does not run now would not run then either.
find_starter() {
  starter=none boot_root=${DAVIT_BOOT_ROOT:-}
  if [ "$user" != 0 ]; then
    [ -n "$boot_root" ] || ! command -v crontab >/dev/null || ! cron_runs || starter="crontab"
  elif [ -d "$boot_root/run/systemd/system" ]; then
    starter=systemd
  elif [ -f "$boot_root/run/openrc/softlevel" ] && [ -x "$boot_root/sbin/openrc-run" ]; then
    starter=openrc
  elif [ -d "$boot_root/etc/cron.d" ] && cron_runs; then
    starter=cron
  fi
}

# cron_runs: whether there is a daemon of cron; that of Busybox does not read /etc/cron.d, which counts for root.
cron_runs() {
  for process in /proc/[0-9]*; do
    { IFS= read -r line <"$process/comm"; } 2>/dev/null || continue
    case $line in
      cron | crond) ;;
      *) continue ;;
    esac
    case $user:$(readlink "$process/exe" 2>/dev/null) in
      0:*/busybox*) ;;
      *) return 0 ;;
    esac
  done
  # An account may not see the processes of others.
  [ "$user" != 0 ] && [ -f /run/crond.pid ]
}
