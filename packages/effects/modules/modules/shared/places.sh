# Directories below places where others may write. A module includes it after `safe-path`, and does nothing there by a path that others
# can change: it changes into a directory, and uses names in that. Variables begin with davit_.

# make_path PATH [OWNER...]: makes what is missing of a path that check_path finds safe, sets $davit_there, and adds what it has made to
# $davit_made, the last first. Each step is made by itself: in a directory for everybody, somebody may be faster.
make_path() {
  check_path "$@" || return
  while [ -n "$davit_missing" ]; do
    take_step
    [ -n "$davit_walk_step" ] || continue
    davit_there=$davit_there/$davit_walk_step
    mkdir "$davit_there" || { davit_unsafe="'$davit_there' cannot be made"; return 1; }
    davit_made=$davit_there$davit_newline${davit_made-}
  done
  [ -d "$davit_there/" ] || { davit_unsafe="'$davit_there' is not a directory"; return 1; }
}

# take_step: takes the first name from $davit_missing; it may be empty.
take_step() {
  davit_walk_step=${davit_missing%%/*}
  case $davit_missing in */*) davit_missing=${davit_missing#*/} ;; *) davit_missing='' ;; esac
  [ "$davit_walk_step" != . ] || davit_walk_step=''
}

# enter PATH [make]: changes into a directory that others may own: through links of root only, and at the place that the path means, whoever
# replaces a step meanwhile.
enter() {
  check_path "$1" '*' || :
  enter_checked "${2-}"
}

# enter_checked [make]: the same for the path that was checked last, whether it is safe or not.
enter_checked() {
  cd -P -- "${davit_there:-/}" && [ "$PWD" = "${davit_there:-/}" ] || return
  while [ -n "$davit_missing" ]; do
    take_step
    [ -z "$davit_walk_step" ] || enter_step "$davit_walk_step" "$@" || return
  done
}

# enter_step NAME [make]: changes into a directory in this one, if it is not a link, or makes it.
enter_step() {
  if [ "${2-}" = make ] && [ ! -e "./$1" ]; then
    mkdir "./$1" || return
    davit_made=${PWD%/}/$1$davit_newline${davit_made-}
  fi
  davit_walk_step=${PWD%/}/$1
  cd -P "./$1" && [ "$PWD" = "$davit_walk_step" ]
}

# put_link NAME SOURCE: makes a link in this directory, in the place of another one.
put_link() {
  [ ! -L "./$1" ] || rm -f "./$1" && ln -sn "$2" "./$1"
}

# in_directory PATH COMMAND...: runs it in a directory without links on the way, and not at all in what has taken its place.
in_directory() (
  cd -P -- "$1" && [ "$PWD" = "$1" ] || exit
  shift
  "$@"
)

# as_user USER COMMAND...: runs it with the rights of this user, a number, where root can do so; 0 means without any change.
as_user() {
  davit_user=$1
  shift
  if [ "$davit_user" = 0 ] || [ "${davit_self% *}" != 0 ]; then
    "$@"
  else
    setpriv --reuid "$davit_user" --regid 65534 --clear-groups "$@"
  fi
}

# drop_privileges TREE: takes from restored files what would give rights of their owner, or of root, to others: the bits for that, and
# capabilities, which the kernel drops whenever the owner is set. Fails if there is a device. The tree must be out of the reach of others.
drop_privileges() {
  davit_users='' davit_count=0 davit_bits=''
  davit_facts=$(find "$1" ! -type d -exec stat -c '%f %u' {} + | sort -u)
  # Devices come before files, and files of one mode together.
  while read -r davit_mode davit_user; do
    case $davit_mode in
      [26]???) davit_unsafe="the snapshot has a device: '$(find "$1" \( -type b -o -type c \) | head -n 1)'"; return 1 ;;
      8[4-9a-f]??) davit_bits=yes ;;
      8*) ;;
      *) continue ;;
    esac
    case " $davit_users " in *" $davit_user "*) ;; *) davit_users="$davit_users $davit_user" davit_count=$((davit_count + 1)) ;; esac
    [ "$davit_count" -le 100 ] || break
  done <<end
$davit_facts
end
  if [ "$davit_count" -le 100 ]; then
    for davit_user in $davit_users; do
      find "$1" -type f -user "$davit_user" -exec chown -h "$davit_user" {} + || return
    done
  else
    davit_bits=yes
    # shellcheck disable=SC2016
    find "$1" -type f -exec sh -c 'for file; do chown -h "$(stat -c %u "$file")" "$file" || exit; done' sh {} + || return
  fi
  [ -z "$davit_bits" ] || find "$1" -type f \( -perm -4000 -o -perm -2000 \) -exec chmod ug-s {} +
}
