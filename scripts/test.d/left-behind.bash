# Finds what tests leave on the machine, outside of the directory of their run. Sourced by scripts/test.
#
# The machine is compared with its state before the run: new or changed files in the usual places, the modes of these places,
# processes, mounts, network interfaces, control groups of hosts. Namespaces need no comparison, since they live no longer than their processes, mounts and
# interfaces.
# If nobody else uses the machine, as in a container or in scripts/fresh-root, everything counts. Otherwise others may have left
# something meanwhile, perhaps other tests of davit. Then only those things count that name this run, or are in davit's default
# directories. Whatever is in TMPDIR of this run at the end was left by its tests in any case.
# A file that others have open is theirs, as is the log of this run, and what keeps its figures.
# shellcheck shell=bash

# How long to wait for processes that are about to end.
patience_seconds=15

# In /etc are tables of cron and units, and in /var tables of cron of accounts: what a test leaves there, this machine starts later.
places() {
  local place
  for place in /tmp /run /var /etc /root /home /nix /dev/shm "${HOME:-/root}"; do
    [ ! -d "$place" ] || readlink -f "$place"
  done | sort -u
}

# Places where others keep their logs, their listings of processes and the like, which mention this run but are not of it.
places_of_logs=(/tmp /var/tmp /var/log /home /root "${HOME:-/root}")

# Writes lines 'KIND<TAB>NAME<TAB>STATE'. The directory of this run, npm's cache and the clone are not included.
take_picture() { # FILE DIRECTORY CLONE
  local all
  mapfile -t all < <(places)
  {
    find "${all[@]}" -xdev \( -path "$2" -o -path "$3" -o -path "${npm_config_cache:-${HOME:-/root}/.npm}" -o -path "${kept_figures:-$2}" \) -prune \
      -o \( -type d -printf 'file\t%p\tdirectory\n' \) -o -printf 'file\t%p\t%y %s %T@ %i\n' 2>/dev/null
    # A shared directory that others can no longer write to would break later runs on this machine.
    stat -c $'mode\t%n\t%a' "${all[@]}" "$2/tmp"
    list_processes
    awk -F ' - ' '{ split($1, one, " "); split($2, two, " "); print "mount\t" one[5] "\t" two[1] }' /proc/self/mountinfo
    list_interfaces
    find /sys/fs/cgroup -type d \( -name 'davit-test-host-*' -o -name 'davit-tests-*' \) -prune -printf 'group\t%p\t-\n' 2>/dev/null
  } | LC_ALL=C sort -u >"$1"
}

# Lists processes with their start time, since process numbers are reused.
list_processes() {
  local process line fields
  for process in /proc/[0-9]*; do
    read -r line 2>/dev/null <"$process/stat" || continue
    # shellcheck disable=SC2206
    fields=(${line##*) })
    # Children of process 2 belong to the kernel, and zombies have ended.
    [ "${fields[1]}" != 2 ] && [ "${process#/proc/}" != 2 ] && [ "${fields[0]}" != Z ] || continue
    printf 'process\t%s\t%s\n' "${process#/proc/}" "${fields[19]}"
  done
}

list_interfaces() {
  local interface
  for interface in /sys/class/net/*; do
    printf 'interface\t%s\t%s\n' "${interface##*/}" "$(cat "$interface/ifindex" "$interface/ifalias" 2>/dev/null | tr '\n' ' ')"
  done
}

# Succeeds if all processes are ancestors or descendants of this one.
nobody_else_runs() {
  local pid family
  family=" 1 $(ancestors_of $$) "
  while IFS=$'\t' read -r _ pid _; do
    [[ $family == *" $pid "* ]] || comes_from_us "$pid" || [ ! -e "/proc/$pid" ] || return 1
  done < <(list_processes)
}

ancestors_of() { # PID
  local pid=$1 line
  while [ "${pid:-0}" -gt 0 ]; do
    printf '%s ' "$pid"
    read -r line 2>/dev/null <"/proc/$pid/stat" || return 0
    line=${line##*) }
    pid=${line#? } pid=${pid%% *}
  done
}

comes_from_us() { # PID
  [[ " $(ancestors_of "$1")" == *" $$ "* ]]
}

# Prints what is left, each thing with its kind. Waits a while until nothing is left.
print_left() { # PICTURE DIRECTORY CLONE ALONE
  local deadline=$((SECONDS + patience_seconds)) left
  while :; do
    take_picture "$2/now" "$2" "$3"
    left=$(LC_ALL=C comm -13 "$1" "$2/now" | name_what_counts "$2" "$4"; list_temporary "$2")
    [ -n "$left" ] && [ $SECONDS -lt $deadline ] || break
    sleep 0.5
  done
  printf '%s' "${left:+$left$'\n'}"
}

# Prints what counts. Of a directory that is left, its contents are not printed.
name_what_counts() { # DIRECTORY ALONE
  local kind name state
  declare -A named open_elsewhere=()
  while IFS=$'\t' read -r kind name state; do
    if [ "$kind" = file ] && [ -n "${named[${name%/*}]:-}" ]; then
      named[$name]=yes
      continue
    fi
    "counts_as_$kind" "$name" "$1" "$2" "$state" || continue
    [ "$state" != directory ] || named[$name]=yes
    [ "$kind" != process ] || name+=" $(tr '\0\n' '  ' 2>/dev/null <"/proc/$name/cmdline" | cut -c 1-200)"
    printf '%s %s\n' "$kind" "$name"
  done
}

counts_as_process() { # PID DIRECTORY ALONE
  [ -e "/proc/$1" ] && ! comes_from_us "$1" || return 1
  [ "$3" = yes ] || names_run "$1" "$2"
}

# Succeeds if a process works in the directory of this run, or has it in its command line or environment.
names_run() { # PID DIRECTORY
  case $(readlink "/proc/$1/cwd" 2>/dev/null) in "$2" | "$2"/*) return ;; esac
  grep -qsF -e "$2" "/proc/$1/cmdline" "/proc/$1/environ"
}

# Looks at the processes once, and only if a file may be left.
is_open_elsewhere() { # PATH DIRECTORY
  local path
  [ ${#open_elsewhere[@]} -gt 0 ] || while IFS= read -r path; do open_elsewhere[$path]=yes; done < <(echo /dev/null; files_of_others "$2")
  [ -n "${open_elsewhere[$1]:-}" ]
}

# Prints the files that processes of others have open, and those that this script writes to.
files_of_others() { # DIRECTORY
  local process theirs=("/proc/$$/fd")
  while read -r process; do theirs+=("/proc/$process/fd"); done < <(processes_of_others "$1")
  find "${theirs[@]}" -maxdepth 1 -type l -lname '/*' -printf '%l\n' 2>/dev/null | sort -u
}

# Prints the processes that neither come from this one nor name the run.
processes_of_others() { # DIRECTORY
  local ours
  ours=$(grep -lsF -e "$1" /proc/[0-9]*/cmdline /proc/[0-9]*/environ; find /proc/[0-9]*/cwd -maxdepth 0 -lname "$1*" 2>/dev/null)
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v self=$$ -v ours="$ours" '
    BEGIN { while (match(ours, "/proc/[0-9]+")) { is_ours[substr(ours, RSTART + 6, RLENGTH - 6)] = 1; ours = substr(ours, RSTART + RLENGTH) } }
    /^[0-9]+ \(/ { process = $1; sub(/.*\) /, ""); parent[process] = $2 }
    END {
      for (process in parent) {
        for (one = process; one in parent && one != self && !(one in is_ours); one = parent[one]);
        if (!(one in parent)) print process
      }
    }'
}

# A file that changed where others work, as in a home directory, belongs to them.
counts_as_file() { # PATH DIRECTORY ALONE STATE
  ! is_open_elsewhere "$1" "$2" || return 1
  [ "$3" = no ] || return 0
  case $1 in
    /var/lib/davit | /var/lib/davit/* | /nix/* | "${HOME:-/root}/.local/state/davit" | "${HOME:-/root}/.local/state/davit/"*) return ;;
    /run/davit-test-hosts/*) is_of_our_hosts "$1" "$2"; return ;;
    */davit-trial-*) return ;;
    *"${2##*/}"*) return ;;
  esac
  ! is_among_logs "$1" && [[ $4 == f* ]] && [ -r "$1" ] && head -c 100000 "$1" | grep -qsaF -e "$2"
}

is_among_logs() { # PATH
  local place
  for place in "${places_of_logs[@]}"; do
    [[ $1 != "$place"/* ]] || return 0
  done
  return 1
}

counts_as_mode() { # DIRECTORY
  [ -d "$1" ]
}

counts_as_mount() { # MOUNTPOINT DIRECTORY ALONE
  [ "$3" = yes ] || [[ $1 == *"${2##*/}"* ]] || is_of_our_hosts "$1" "$2"
}

is_of_our_hosts() { # PATH DIRECTORY
  local number=${1#/run/davit-test-hosts/}
  [ "$number" != "$1" ] && grep -qsxF -e "davit-test-hosts:$(cat "/run/davit-test-hosts/${number%%/*}/id" 2>/dev/null)" "$2/sets/.made"
}

# Others on the same network may have hosts too. The alias of an interface tells whose it is.
counts_as_interface() { # NAME DIRECTORY ALONE STATE
  [[ $4 != *davit-test-hosts:* ]] || { grep -qsxF -e "$(grep -o 'davit-test-hosts:[^ ]*' <<<"$4")" "$2/sets/.made"; return; }
  [ "$3" = yes ] && [[ $1 != dvt* ]]
}

# The name of a control group says which run it is of, or the set of its host.
counts_as_group() { # PATH DIRECTORY
  [[ $1 != */davit-tests-* ]] || { [[ $1 == */davit-tests-$$ ]]; return; }
  local id=${1##*/davit-test-host-}
  grep -qsxF -e "davit-test-hosts:${id:0:36}" "$2/sets/.made"
}

# Caches of compiled programs do not count: later programs of this run use them.
list_temporary() { # DIRECTORY
  find "$1/tmp" -mindepth 1 -maxdepth 1 ! -name 'tsx-*' ! -name node-compile-cache -printf 'temporary file %f\n'
}
