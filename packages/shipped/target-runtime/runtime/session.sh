# Leaves what ends with the caller: a login session, where logind ends all that was started in it (KillUserProcesses), or a unit of systemd.

# leave_session COMMAND...: becomes the command, in a scope of its own, if what it starts would end otherwise. If that is not possible, sets
# $fleeting to how it ends, with the account and the unit: `session`, `manager` or `unit`; or `scope`, if systemd-run fails.
leave_session() {
  fleeting='' root=${DAVIT_BOOT_ROOT:-}
  [ -d "$root/run/systemd/system" ] && find_unit && will_end || return 0
  fleeting="$ending $(id -un) $unit"
  if [ "$self_id" = 0 ]; then
    mode=--system
  elif lingers; then
    mode=--user
    : "${XDG_RUNTIME_DIR:=/run/user/$self_id}"
    export XDG_RUNTIME_DIR
  else
    return 0
  fi
  if systemd-run "$mode" --scope --quiet true </dev/null >/dev/null 2>&1; then
    exec systemd-run "$mode" --scope --quiet "$@"
  fi
  fleeting="scope ${fleeting#* }"
}

# find_unit: sets $group to the control group of this process, and $unit to the unit to which that belongs; fails if there is none.
find_unit() {
  group=
  while IFS= read -r line; do
    case $line in
      *:name=systemd:/?*)
        group=$line
        break
        ;;
      0::/?*) group=$line ;;
    esac
  done <"$root/proc/self/cgroup"
  rest=$group
  while [ "${rest%/*}" != "$rest" ]; do
    unit=${rest##*/} rest=${rest%/*}
    case $unit in
      *.scope | *.service) return 0 ;;
    esac
  done
  return 1
}

# will_end: whether what is started here ends with $unit, and that with its user or by itself; sets $ending to how.
will_end() {
  self_id=$(id -u)
  case $group in
    */user@"$self_id".service*)
      ending=manager
      lingers || return 0
      case $unit in
        *.scope | user@*) return 1 ;;
      esac
      ending=unit
      unit_ends --user
      ;;
    */user@*) ending=manager ;;
    */session-*.scope*)
      ending=session
      logout_ends
      ;;
    *.service*)
      ending=unit
      unit_ends --system
      ;;
    *) return 1 ;;
  esac
}

unit_ends() {
  case $(systemctl "$1" show --property=KillMode -- "$unit" 2>/dev/null) in
    *=control-group | *=mixed) ;;
    *) return 1 ;;
  esac
}

# logout_ends: whether logind ends what the owner of the session has started. Root is spared unless somebody else is named.
logout_ends() {
  set -- "$(busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager \
    KillExcludeUsers KillOnlyUsers KillUserProcesses 2>/dev/null)"
  account='nobody here'
  case $group in
    */user-"$self_id".slice/*) account=$(id -un) ;;
  esac
  {
    IFS= read -r spared
    IFS= read -r only
    IFS= read -r all
  } <<end
$1
end
  case $spared:$account in
    'as 0:root' | *" \"$account\""*) return 1 ;;
  esac
  case $only:$all in
    'as 0:b true' | ':b true') ;;
    *" \"$account\""*) ;;
    *) return 1 ;;
  esac
}

# lingers: whether the systemd of this account runs without a login.
lingers() {
  [ "$(loginctl show-user "$self_id" --property=Linger 2>/dev/null)" = Linger=yes ]
}
