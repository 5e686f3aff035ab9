# Reads files that root might be led to by others as those who could have done it.

# choose_reader PATH: sets $as to the words before a command that reads the file: none if nobody else can lead the path elsewhere, or this
# account is not root, as it may read what it reads; otherwise those that become its owner. Fails and sets $refusal if that would be root, or
# cannot be done here. $safe_place is a directory that was found to be safe, which need not be looked at again.
choose_reader() {
  as=''
  [ "$user" = 0 ] || return 0
  [ "${1%/*}" != "$safe_place" ] || [ -L "$1" ] || return 0
  if check_path "$1" '*'; then
    [ -L "$1" ] || safe_place=${1%/*}
    return 0
  fi
  # `id` of Busybox knows no numbers.
  read -r rest rest owner rest <<end
$(ls -ldn -- "$1" 2>/dev/null)
end
  read -r rest rest owner_name rest <<end
$(ls -ld -- "$1" 2>/dev/null)
end
  owner=${owner:-0}
  owner_group=$(id -g "$owner_name" 2>/dev/null) && [ "$owner_name" != "$owner" ] || owner_name='' owner_group=65534
  as=as_owner
  [ "$owner" != 0 ] && find_switch && [ "$switch$owner_name" != su ] || {
    refusal="'$1' is not read as root: $davit_unsafe"
    return 1
  }
}

# find_switch: sets $switch to what becomes another account here; fails if there is nothing.
find_switch() {
  [ -z "${switch-}" ] || return 0
  if setpriv --reuid=65534 --regid=65534 --clear-groups true; then
    switch=setpriv
  elif chroot --userspec=65534:65534 --groups= / true; then
    switch=chroot
  elif su -s /bin/sh nobody -c true; then
    switch=su
  else
    return 1
  fi 2>/dev/null </dev/null
}

# as_owner COMMAND...: for ten seconds at most, as the owner may put a pipe there meanwhile.
as_owner() {
  case $switch in
    setpriv)
      groups=--clear-groups
      [ -z "$owner_name" ] || groups=--init-groups
      timeout 10 setpriv --reuid="$owner" --regid="$owner_group" "$groups" -- "$@"
      ;;
    chroot) timeout 10 chroot --userspec="$owner:$owner_group" --groups= / "$@" ;;
    *)
      command=
      for word in "$@"; do
        command="$command $(quoted "$word")"
      done
      timeout 10 su -s /bin/sh "$owner_name" -c "$command"
      ;;
  esac </dev/null
}
