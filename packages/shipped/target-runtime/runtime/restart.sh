# What starts programs after a restart of this machine.

# find_starter: sets $starter to what this account can use for that, or to `none`: what does not run now would not run then either.
find_starter() {
  starter=none
  if [ "$user" != 0 ]; then
    ! command -v crontab >/dev/null || ! cron_runs || starter="crontab"
  elif [ -d /run/systemd/system ]; then
    starter=systemd
  elif [ -f /run/openrc/softlevel ] && [ -x /sbin/openrc-run ]; then
    starter=openrc
  elif [ -d /etc/cron.d ] && cron_runs; then
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
