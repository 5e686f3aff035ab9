# Begins trials, and ends them early (see trial.sh).

# operation_trial_begin TARGET PROFILE TOKEN ID SECONDS LIMIT [stop|start CONTAINER KEY [-secret NAME WORD]...]...: the services in
# the order in which the machine goes back: to what is active now, unless this trial is confirmed within SECONDS, which
# `trial_extend` begins anew. LIMIT is the time of each activity on the way back.
operation_trial_begin() {
  umask 077
  check_names "$1" "$2" "$3" "$4" "$5" "$6"
  hold_mutex "$1"
  check_lock "$1" "$2" "$3"
  target=$1 profile=$2 trial=$state/targets/$1/trials/$2 prepared=$state/targets/$1/trials/.new.$2
  if [ -d "$trial" ]; then
    first_line "$trial/id"
    [ "$line" = "$4" ] || fail going-back 'an earlier deployment was not confirmed, and is being undone'
    # The answer to an earlier request was lost.
    end_watcher
    remove_trial || cannot remove "$trial"
  fi
  arranged=''
  trap 'abandon_trial; rm -f "$release"' EXIT
  for path in "$prepared" "${trial%/*}/.ended.$2" "${trial%/*}/.log.$2"; do
    [ ! -e "$path" ] || rm -rf "$path"
  done
  mkdir -p "$prepared/secrets/stop" "$prepared/secrets/start" || cannot create "$prepared"
  write_text "$prepared/id" "$4$newline" && write_text "$prepared/token" "$3$newline" &&
    write_text "$prepared/limits" "$5 $6$newline" && write_deadline "$prepared" "$5" || cannot 'write below' "$prepared"
  if [ -d "$state/targets/$1/active/$2" ]; then
    cp -R -P "$state/targets/$1/active/$2" "$prepared/before" || cannot 'write below' "$prepared"
  else
    make_directory "$prepared/before"
  fi
  shift 6
  write_order "$@"
  write_script
  arrange_boot
  sync "$prepared"/* "$prepared"/before/*/record "$prepared"/before/*/state "$prepared"/secrets/*/* "$prepared" 2>/dev/null || :
  mv -f -T "$prepared" "$trial" || cannot 'write below' "$trial"
  # From now on the trial has its own.
  arranged=''
  sync "${trial%/*}" || :
  sh "$trial/script" &
  until is_claimed "$trial/watcher"; do
    kill -0 "$!" 2>/dev/null || {
      remove_trial
      cannot 'start a process that watches' "$trial"
    }
    pause
  done
  say survives "$survives"
}

# abandon_trial: leaves nothing of a trial that could not begin, of which secrets are part.
abandon_trial() {
  [ ! -d "$prepared" ] || rm -rf "$prepared"
  [ -z "$arranged" ] || printf %s "$arranged" | forget_boot
}

# write_order [stop|start CONTAINER KEY [-secret NAME WORD]...]...: and keeps space for the records of the services that are started.
write_order() {
  order='' reserve=65536
  while [ $# -ge 3 ]; do
    case $1 in
      stop | start) ;;
      *) fail bad-request "unknown step '$1'" ;;
    esac
    mapping_directory "$target" "$profile" "$2" "$3"
    step=$1 name=${directory##*/} secrets=
    shift 3
    while [ "${1-}" = -secret ]; do
      secrets="${secrets}1 $2 $3$newline"
      shift 3
    done
    [ "$step" = stop ] || [ -f "$prepared/before/$name/record" ] || continue
    order="$order$step $name$newline"
    [ "$step" = stop ] || reserve=$((reserve + 16384))
    [ -z "$secrets" ] || write_text "$prepared/secrets/$step/$name" "$secrets" || cannot 'write below' "$prepared"
  done
  write_text "$prepared/order" "$order" && head -c "$reserve" /dev/zero >"$prepared/reserve" || cannot 'write below' "$prepared"
}

# write_script: what the watcher evaluates. After a restart it may be in a session, as cron begins one.
write_script() {
  # In one process.
  assigned=$(assign PATH "$PATH" && assign HOME "${HOME:-/}" && assign USER "${USER:-}" && assign state "$state" &&
    assign trial "$trial")
  write_text "$prepared/detached" "$detached$newline" &&
    write_text "$prepared/script" "exec </dev/null >/dev/null 2>&1 3>&- 4>&-
$assigned
[ \$# != 0 ] || exec setsid sh \"\$0\" alone
LC_ALL=C
export PATH HOME USER LC_ALL
. \"\$trial/detached\" || exit
[ \$# != 1 ] || leave_session sh \"\$0\" alone left
watch_trial \"\$state\" $target $profile
" || cannot 'write below' "$prepared"
}

# assign VARIABLE TEXT: prints the assignment.
assign() {
  printf '%s=' "$1"
  quoted "$2"
  printf '\n'
}

# write_deadline TRIAL SECONDS: counted from now.
write_deadline() {
  IFS=. read -r uptime rest </proc/uptime && rename_text "$1/deadline" "$boot $((uptime + $2))$newline"
}

# arrange_boot: has the machine start the watcher after a restart, and sets $survives to the means: none if somebody else could put
# something in the place of its script.
arrange_boot() {
  survives=none
  find_starter
  choose_start
  name_trial
  case $starter in
    systemd) arrange_unit ;;
    openrc) arrange_service ;;
    cron) arrange_file cron "$boot_root/etc/cron.d/$mark" "@reboot root $start$newline" ;;
    crontab) ! in_crontab add_to_crontab || survives=cron arranged=crontab$newline ;;
  esac
  write_text "$prepared/boot" "$arranged" || cannot 'write below' "$prepared"
}

# choose_start: sets $start to the command that starts the watcher; $starter becomes `none` if a step on the way to the script is a link or
# belongs to somebody else, or others may write there, even if it is sticky: after a restart, anybody may make what was in /tmp. The
# command looks at that too. A link has all modes. Without quotes and parentheses, it is the same for a shell and a unit. Tables of cron have short lines.
choose_start() {
  place=$(cd "${trial%/*}" && pwd -P)/${trial##*/} steps=
  case $place in
    *[!A-Za-z0-9_.+:/-]*) starter=none ;;
  esac
  step=$place
  while [ -n "$step" ]; do
    steps="$step $steps" step=${step%/*}
  done
  open="-prune ! -user 0 ! -user $user -o -prune -perm -002 -o -prune -perm -020 ! -group 0 ! -group $(id -g)"
  start="find / $steps$place/script $open | grep -q . || exec /bin/sh $place/script"
  [ "$starter" = none ] || [ "${#start}" -gt 900 ] || {
    # The trial itself has another name yet.
    # shellcheck disable=SC2086
    found=$(find / ${steps%"$place "} $open) && [ -z "$found" ] && return
  }
  starter=none
}

add_to_crontab() {
  lines=$(crontab -l 2>/dev/null) || {
    # Any other reason than that there is none would lose what it has.
    case $(crontab -l 2>&1) in
      *[Nn]'o crontab'* | *[Nn]'o such file'*) lines= ;;
      *) return 1 ;;
    esac
  }
  printf '%s\n' "${lines:+$lines$newline}@reboot $start" | crontab - 2>/dev/null
}

# name_trial: sets $mark to a short name of the trial.
name_trial() {
  mark=$(printf %s "$trial" | { sha256sum 2>/dev/null || cksum; })
  mark=davit-trial-$(printf %.12s "${mark%% *}")
}

# arrange_unit: services that it starts outlive the unit.
arrange_unit() {
  arrange_file systemd "$boot_root/etc/systemd/system/$mark.service" "[Unit]
Description=Go back to the deployment before
After=multi-user.target
[Service]
Type=oneshot
RemainAfterExit=yes
KillMode=process
ExecStart=/bin/sh -c '$start'
[Install]
WantedBy=multi-user.target
" || return 0
  wants=$boot_root/etc/systemd/system/multi-user.target.wants
  mkdir -p "$wants" && ln -sfn "/etc/systemd/system/$mark.service" "$wants/$mark.service" &&
    arranged="$arranged$wants/$mark.service$newline" || survives=none
}

# arrange_service: starts after everything else.
arrange_service() {
  arrange_file openrc "$boot_root/etc/init.d/$mark" "#!/sbin/openrc-run
description='Go back to the deployment before'
depend() { after *; }
start() { { $start; } & }
" || return 0
  mkdir -p "$boot_root/etc/runlevels/default" && ln -sfn "/etc/init.d/$mark" "$boot_root/etc/runlevels/default/$mark" &&
    arranged="$arranged$boot_root/etc/runlevels/default/$mark$newline" || survives=none
}

# arrange_file MEANS FILE TEXT
arrange_file() {
  { write_text "$2" "$3" && chmod 755 "$2" && sync "$2"; } 2>/dev/null || return 1
  survives=$1 arranged=$2$newline
}

# operation_trial_extend TARGET PROFILE ID SECONDS: counts them from now on.
operation_trial_extend() {
  check_names "$1" "$2" "$3" "$4"
  hold_mutex "$1"
  check_trial "$1" "$2" "$3"
  write_deadline "$trial" "$4" || cannot 'write below' "$trial"
  keep_watcher
}

# operation_trial_revert TARGET PROFILE ID: has the machine go back now, if it is still to be confirmed.
operation_trial_revert() {
  check_names "$1" "$2" "$3"
  hold_mutex "$1"
  trial=$state/targets/$1/trials/$2
  first_line "$trial/id"
  [ "$line" = "$3" ] || return 0
  mark_back || cannot 'write below' "$trial"
  keep_watcher
}

# operation_trial_forget TARGET PROFILE ID: forgets that the machine has gone back, so that its lock allows activities again.
operation_trial_forget() {
  check_names "$1" "$2" "$3"
  hold_mutex "$1"
  trial=$state/targets/$1/trials/$2
  first_line "${trial%/*}/.ended.$2"
  [ "$line" != "id $3" ] || rm -f "${trial%/*}/.ended.$2" || cannot remove "${trial%/*}/.ended.$2"
}
