# What this machine is, and which containers it can be: for an infrastructure model.

# print_machine: prints lines `kernel KERNEL MACHINE`, `name NAME`, `cores N`, `memory KILOBYTES`, `disk KILOBYTES`, of which those are missing
# that cannot be told; `type NAME` for each type of services that it can have, and after it `text NAME VALUE` as below; `settings`; and
# then those of Dysnomia, as client_capture_config does. `unreadable MESSAGE`, in hexadecimal, ends them where they have a mistake.
print_machine() {
  printf 'kernel %s\n' "$(uname -sm)"
  printf 'name x%s\n' "$(uname -n | hexadecimal_line)"
  tell cores "$(number_of_cores)"
  tell memory "$(total_memory)"
  tell disk "$(size_of_disk)"
  # Servers are where only root looks for programs.
  (PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin && find_types)
  printf 'settings\n'
  { said=$(client_capture_config 2>&1 >&3 3>&-); } 3>&1 || tell unreadable "x$(printf %s "${said#davit:*"$newline"}" | hexadecimal)"
}

# tell FACT WORD: unless there is none.
tell() {
  [ -z "$2" ] || [ "$2" = 0 ] || printf '%s %s\n' "$1" "$2"
}

# hexadecimal_line < LINE
hexadecimal_line() {
  IFS= read -r line
  printf %s "$line" | hexadecimal
}

number_of_cores() {
  nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || grep -c '^processor' /proc/cpuinfo 2>/dev/null
}

# total_memory: in parts of 1024 bytes.
total_memory() {
  while read -r fact number _; do
    [ "$fact" != MemTotal: ] || printf %s "$number"
  done 2>/dev/null </proc/meminfo
}

# size_of_disk: of the one with the state of davit, in parts of 1024 bytes.
size_of_disk() {
  place=${HOME:-/}
  [ "$(id -u)" != 0 ] || place=/var/lib
  [ ! -d "${DAVIT_STATE_DIR:-}" ] || place=$DAVIT_STATE_DIR
  { df -Pk "$place" || df -Pk /; } 2>/dev/null | {
    read -r _
    read -r _ blocks _
    printf %s "$blocks"
  }
}

# find_types: those that need nothing but a shell, and those whose programs are installed.
find_types() {
  has_type process
  has_type wrapper
  has_type fileset
  { [ ! -d /run/systemd/system ] || ! has systemctl; } || has_type systemd-unit
  { [ ! -d /etc/init.d ] && [ ! -d /etc/rc.d ]; } || has_type sysvinit-script
  { ! has supervisord || ! has supervisorctl; } || has_type supervisord-program
  ! has docker || has_type docker-container
  # A busybox has an `httpd` of its own.
  { ! has apache2ctl && ! has apachectl; } || has_web_server apache-webapplication /var/www/html
  ! has nginx || has_web_server nginx-webapplication /var/www/html /usr/share/nginx/html
  find_databases
  for place in /var/lib/tomcat11 /var/lib/tomcat10 /var/lib/tomcat9 /var/lib/tomcat; do
    [ -d "$place/webapps" ] || continue
    has_type tomcat-webapplication
    break
  done
  { ! has svnadmin || ! has svnlook; } || has_repositories /srv/svn /var/lib/svn /var/svn
}

find_databases() {
  { { ! has mariadbd && ! has mysqld; } || { ! has mariadb && ! has mysql; }; } || has_type mysql-database
  { ! has_postgres || ! has psql || ! has pg_dump; } || has_type postgresql-database
  # The clients of later versions are other programs.
  { ! has influxd || ! has influx; } || case $(influxd version 2>/dev/null) in
    *' v1.'* | *' 1.'*) has_type influx-database ;;
  esac
}

# has PROGRAM
has() {
  command -v "$1" >/dev/null 2>&1
}

has_postgres() {
  ! has postgres || return 0
  # Debian keeps versions apart.
  for program in /usr/lib/postgresql/*/bin/postgres; do
    [ ! -x "$program" ] || return 0
  done
  return 1
}

has_type() {
  printf 'type %s\n' "$1"
}

# has_setting NAME VALUE: of the last type.
has_setting() {
  printf 'text x%s x%s\n' "$(printf %s "$1" | hexadecimal)" "$(printf %s "$2" | hexadecimal)"
}

# has_web_server TYPE DIRECTORY...: of which the first that exists is the document root.
has_web_server() {
  has_type "$1"
  shift
  for place in "$@"; do
    [ -d "$place" ] || continue
    has_setting documentRoot "$place"
    return
  done
}

# has_repositories DIRECTORY...: of which one must exist, since there is no default.
has_repositories() {
  for place in "$@"; do
    [ -d "$place" ] || continue
    has_type subversion-repository
    has_setting svnBaseDir "$place"
    return
  done
}
