# What starts programs after a restart of this machine.

# find_starter: sets $starter to what this account can use for that, or to `none`.
find_starter() {
  starter=none
  if [ "$user" != 0 ]; then
    ! command -v crontab >/dev/null || starter="crontab"
  elif [ -d /run/systemd/system ]; then
    starter=systemd
  elif [ -d /run/openrc ] && [ -d /etc/local.d ]; then
    starter=openrc
  elif [ -d /etc/cron.d ] && { command -v cron || command -v crond; } >/dev/null; then
    starter=cron
  fi
}
