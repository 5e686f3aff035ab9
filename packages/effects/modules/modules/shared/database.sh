# What the modules of databases share. A module includes it after `module`.

# Files are in the same order, and messages of programs in the same language, wherever it runs.
LC_ALL=C
export LC_ALL
PATH=$PATH:/usr/sbin:/sbin
davit_newline='
'

# read_database_name: sets $database, the name of the component.
read_database_name() {
  case ${component%/} in
    *"$davit_newline") fail "cannot use '$component': the name of a database cannot end with a line break" ;;
  esac
  database=$(component_name)
  case $database in
    '' | . | ..) fail "'$component' has no name that a database can have" ;;
  esac
}

# read_timeout: sets $timeout, in seconds, from the property of the same name.
read_timeout() {
  timeout=${timeout:-10}
  case $timeout in
    *[!0-9]* | 0?* | ??????*) fail "timeout '$timeout' is not a number of seconds" ;;
  esac
}

# make_private_directory: sets $private, a directory on this machine for records of this database, which outlives the activity.
make_private_directory() {
  davit_state=${DYSNOMIA_STATEDIR:-}
  if [ -z "$davit_state" ] && [ "$(id -u)" -eq 0 ]; then davit_state=/var/state/dysnomia; fi
  private=${DAVIT_RUN_DIR:-${davit_state:-${HOME:-/nonexistent}/.dysnomia}/run}/$module/$container/$database
  (umask 077 && mkdir -p "$private") || fail "cannot make '$private'"
}

# find_program DIRECTORY NAME...: prints the first of these programs that DIRECTORY (PATH, if it is empty) has.
find_program() {
  davit_directory=$1
  shift
  for davit_program; do
    if [ -n "$davit_directory" ]; then
      [ ! -x "$davit_directory/$davit_program" ] || { printf '%s\n' "$davit_directory/$davit_program"; return; }
    else
      ! command -v "$davit_program" || return 0
    fi
  done
  fail "cannot find the program '$1' in '${davit_directory:-$PATH}'"
}

# has_seeds DIRECTORY: whether the component has files DIRECTORY/*.sql.
has_seeds() {
  set -- "$component/$1/"*.sql
  [ -e "$1" ]
}

# check_snapshot: a snapshot is files and directories. A link would be read in its place, and its target shown in a message.
check_snapshot() {
  davit_others=$(find "$DAVIT_SNAPSHOT/" ! -type f ! -type d) || return
  [ -z "$davit_others" ] && return
  complain "the snapshot of '$database' has what is neither a file nor a directory: $(printf '%s\n' "$davit_others" | printable)"
  return 1
}

# printable: prints a text of somebody else on one line.
printable() {
  tr '\n' ' ' | tr -c '[:print:]' '?' | cut -c 1-300
}

# printable_lines: prints lines of somebody else.
printable_lines() {
  tr -c '[:print:]\n' '?' | cut -c 1-2000
}

# without_content COMMAND...: shows messages of a program without what they repeat of statements and rows, as the $message_reader of the
# module reads them.
without_content() (
  exec 6>&1
  davit_status=$({ { "$@" 2>&1 >&6 6>&- 7>&-; printf '%s\n' "$?" >&7; } | awk "$message_reader" >&2 6>&- 7>&-; } 7>&1)
  exit "$davit_status"
)

# with_errors_read COMMAND...: the same of a program that says little: nothing reads its messages if there are none.
with_errors_read() {
  { davit_said=$("$@" 2>&1 >&6 6>&-); } 6>&1
  set -- "$?"
  [ -z "$davit_said" ] || printf '%s\n' "$davit_said" | awk "$message_reader" >&2
  return "$1"
}

# find_dump NAME...: sets $dump to the first of these files that the snapshot has, for print_dump.
find_dump() {
  for dump; do
    dump=$DAVIT_SNAPSHOT/$dump
    [ ! -f "$dump" ] || return 0
  done
  fail "the snapshot of '$database' has no file '$1': $(ls -A "$DAVIT_SNAPSHOT" | printable)"
}

# print_dump: prints the file that find_dump has found.
print_dump() {
  case $dump in
    *.xz) xz -dc <"$dump" ;;
    *) cat <"$dump" ;;
  esac
}

# pipe PRODUCER CONSUMER: connects two commands, each a single word; succeeds when both have succeeded.
pipe() {
  exec 4>&1
  davit_status=$({ { "$1" 3>&- 4>&-; printf '%s\n' "$?" >&3; } | "$2" 3>&- >&4 4>&-; } 3>&1) && [ "$davit_status" = 0 ]
  set -- "$?"
  exec 4>&-
  return "$1"
}

# write_durably FILE COMMAND...: keeps the output of a command in a file, which exists only once it is complete and on disk.
write_durably() {
  davit_file=$1
  shift
  rm -f "$davit_file.new"
  if (umask 077 && "$@" >"$davit_file.new") && { sync "$davit_file.new" 2>/dev/null || sync; } && mv "$davit_file.new" "$davit_file"; then
    return 0
  fi
  rm -f "$davit_file.new"
  return 1
}
