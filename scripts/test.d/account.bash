# Measures what a run costs: processor time by stage and by test file, wall time, and memory. Sourced by scripts/test.
#
# Each stage runs in a control group of its own, and each test file in a group below it, so that daemons count as well. Control
# groups of both versions will do. Without the right to make some, the times are those of the processes that ended and that their
# parents waited for.
# The variables `directory`, `groups`, `watching` and `watcher` are those of the script.
# shellcheck shell=bash disable=SC2034,SC2154

# Makes the control group of this run, if possible.
begin_account() { # DIRECTORY
  : >"$1/stages"
  printf '0 0\n' >"$1/peak"
  now >"$1/began"
  remove_abandoned_groups
  if make_group; then
    : >"$1/grouped"
  else
    groups=
    export DAVIT_TEST_TIMES=$1/times
  fi
  watch_memory "$1/peak" </dev/null &
  watching+=("$!")
}

# Sets `groups` to a new control group that processes can enter.
make_group() {
  local place
  place=$(place_of_groups) || return
  groups=$place/davit-tests-$$
  mkdir "$groups" 2>/dev/null || return
  [ -e "$groups/cgroup.procs" ] && (printf '%s\n' "$BASHPID" >"$groups/cgroup.procs") 2>/dev/null || { rmdir "$groups"; return 1; }
}

# Runs a program in TypeScript in this process, so that the parent of the program is this script.
run_program() { # FILE ARGUMENT...
  TSX_TSCONFIG_PATH=tsconfig.json exec node --import ./node_modules/tsx/dist/loader.mjs "$@"
}

# Looks all the time which processes run, and what they have used.
watch_processes() {
  run_program scripts/test.d/watch-processes.ts $$ "$groups" "$directory/where.json" </dev/null &
  watcher=$!
}

# Prints the directory of the control group in which this script is: that which counts processor time, or that of version 2.
place_of_groups() {
  local version
  for version in cpuacct unified; do
    awk -v version=$version '
      FILENAME == "/proc/self/cgroup" {
        split($0, part, ":")
        if (version == "unified" ? part[2] == "" : part[2] ~ /(^|,)cpuacct(,|$)/) own = substr($0, length(part[1] part[2]) + 3)
        next
      }
      own != "" && / - cgroup2 / && version == "unified" || own != "" && / - cgroup .*cpuacct/ && version == "cpuacct" {
        # A container may see only a part of the tree.
        if ($4 != "/" && index(own, $4) == 1) own = substr(own, length($4) + 1)
        print $5 (own == "/" ? "" : own)
        found = 1
        exit
      }
      END { exit !found }' /proc/self/cgroup /proc/self/mountinfo && return
  done
}

# Removes the groups of runs that were killed.
remove_abandoned_groups() {
  local place group
  place=$(place_of_groups) || return 0
  for group in "$place"/davit-tests-*; do
    [ ! -d "$group" ] || [ -e "/proc/${group##*-}" ] || remove_groups "$group"
  done
}

# Writes what the test files have cost, and removes the groups, so that nothing is left of them.
end_account() {
  local group
  [ -n "$groups" ] || return 0
  for group in "$groups"/*/*.test.ts; do
    [ ! -d "$group" ] || printf '%s\t%s\n' "$(usage_of "$group")" "$(basename "$group" | tr % /)"
  done >"$directory/times"
  remove_groups "$groups"
  groups=
}

# Moves to the group above whatever still runs in these groups, and removes them.
remove_groups() { # GROUP
  local group process
  [ -d "$1" ] || return 0
  # A process may start another one meanwhile.
  for _ in 1 2 3 4 5; do
    while read -r group; do
      while read -r process; do printf '%s\n' "$process" >"${1%/*}/cgroup.procs"; done <"$group/cgroup.procs"
      rmdir "$group"
    done < <(find "$1" -depth -type d) 2>/dev/null
    [ -d "$1" ] || return 0
  done
}

# Prints nanoseconds of processor time that a group has used, with those below it.
usage_of() { # GROUP
  local word value
  if [ -r "$1/cpuacct.usage" ]; then
    read -r value <"$1/cpuacct.usage"
    printf '%s\n' "$value"
  else
    while read -r word value; do
      [ "$word" != usage_usec ] || printf '%s000\n' "$value"
    done <"$1/cpu.stat"
  fi
}

# Sets `used` to the nanoseconds of processor time of all children of this script that have ended. In a subshell, these would be others.
count_children() {
  times >"$directory/children"
  used=$(awk -F '[ms ]+' 'NR == 2 { printf "%.0f", (60 * ($1 + $3) + $2 + $4) * 1e9 }' "$directory/children")
}

# Prints milliseconds since 1970.
now() {
  local time=${EPOCHREALTIME/[.,]/}
  printf '%s\n' "${time%???}"
}

# Prints the name of a stage as it is used in names of files.
slug_of() { # STAGE
  printf '%s\n' "${1// /_}"
}

# Enters the control group of a stage, and runs a command.
in_stage() { # STAGE COMMAND...
  local group
  if [ -n "$groups" ]; then
    group=$groups/$(slug_of "$1")
    mkdir -p "$group"
    printf '%s\n' "$BASHPID" >"$group/cgroup.procs"
    export DAVIT_TEST_GROUPS=$group
  fi
  shift
  # A signal must reach the command itself, for whose end this script waits.
  if [ "$(type -t "$1")" = function ]; then "$@"; else exec "$@"; fi
}

# Notes what a stage has cost that began at this time, when children had used so much.
note_stage() { # STAGE PASSED FAILED BEGAN USED
  local used
  if [ -n "$groups" ]; then
    used=$(usage_of "$groups/$(slug_of "$1")")
  else
    count_children
    used=$((used - $5))
  fi
  printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" $(($(now) - $4)) "$used" >>"$directory/stages"
}

# Keeps in a file how many kB of memory this machine used at most, and how many at the start. Ends with this script.
watch_memory() { # FILE
  local peak=0 start=0 name kilobytes total used pipe
  exec {pipe}<> <(:)
  while parent_lives; do
    while read -r name kilobytes _; do
      case $name in
        MemTotal:) total=$kilobytes ;;
        MemAvailable:) used=$((total - kilobytes)); break ;;
      esac
    done </proc/meminfo
    [ "$start" != 0 ] || start=$used
    [ "$used" -le "$peak" ] || { peak=$used; printf '%s %s\n' "$peak" "$start" >"$1"; }
    # Nothing ever comes, so this waits for a second, without another process.
    read -r -t 1 -u "$pipe" name
  done
}

# Succeeds if the parent of this subshell is still the script.
parent_lives() {
  local line
  read -r line 2>/dev/null <"/proc/$BASHPID/stat" || return
  line=${line##*) }
  line=${line#* }
  [ "${line%% *}" = $$ ]
}
