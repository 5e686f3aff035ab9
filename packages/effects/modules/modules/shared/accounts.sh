# Users and groups that a component brings in dysnomia-support/users and groups: files of assignments, which are read and never evaluated.
# A module includes it after `managed`, `assignments`, `safe-path` and `places`. Records count who needs an account: one that davit has made is removed when nobody
# does.
#
# $davit_machine/accounts/users/NAME/OWNER has a file for each component that needs the user; so for groups. An account that was there
# before has no such directory, and stays.

# add_accounts: makes the groups and users of the component; when that fails, it takes back what it did.
add_accounts() {
  has_accounts groups || has_accounts users || return 0
  alone accounts add_all_accounts || { release_accounts; return 1; }
}

# release_accounts: removes the users and groups that only this component needed.
release_accounts() {
  davit_owned=no
  find_account_owner
  for davit_note in "$davit_machine/accounts/"*/*/"$davit_owner"; do
    [ ! -e "$davit_note" ] || davit_owned=yes
  done
  [ "$davit_owned" = no ] || alone accounts release_all_accounts
}

# has_accounts KIND
has_accounts() {
  set -- "$component/dysnomia-support/$1"/*
  [ -e "$1" ]
}

# Sets $davit_owner, a file name for this component in its container, and $davit_owner_text.
find_account_owner() {
  davit_owner_text="$container ${DAVIT_KEY:-$component} ${DAVIT_SERVICE:-} ${DAVIT_TARGET:-} ${DAVIT_PROFILE:-}"
  davit_owner=$(short_name "$davit_owner_text")
}

add_all_accounts() {
  find_account_owner
  for davit_file in "$component/dysnomia-support/groups"/* "$component/dysnomia-support/users"/*; do
    [ -e "$davit_file" ] || continue
    davit_account=${davit_file##*/}
    case ${davit_file%/*} in
      */groups) davit_kind=group davit_settings='gid' ;;
      *) davit_kind=user davit_settings='uid password group description homeDir createHomeDir createHomeDirOnly shell' ;;
    esac
    check_account_name && read_account && "add_$davit_kind" || {
      complain "cannot make the $davit_kind of '$davit_file'"
      return 1
    }
  done
}

# Names are parts of paths, and arguments of programs.
check_account_name() {
  case $davit_account in
    [A-Za-z_]*) ;;
    *) complain "'$davit_account' is not a name for an account"; return 1 ;;
  esac
  case $davit_account in
    *[!A-Za-z0-9_.-]* | ?????????????????????????????????*) complain "'$davit_account' is not a name for an account"; return 1 ;;
  esac
}

# --- files ----------------------------------------------------------------------------------------------------

# read_account: sets davit_setting_KEY for each key of users and groups from $davit_file.
read_account() {
  davit_setting_gid='' davit_setting_uid='' davit_setting_password='' davit_setting_group='' davit_setting_description='' davit_setting_shell=''
  davit_setting_homeDir='' davit_setting_createHomeDir='' davit_setting_createHomeDirOnly=''
  # shellcheck disable=SC2086
  read_assignments "$davit_file" $davit_settings && check_account
}

check_account() {
  check_number uid "$davit_setting_uid" && check_number gid "$davit_setting_gid" || return 1
  case $davit_setting_description$davit_setting_homeDir$davit_setting_shell$davit_setting_password in
    *:*) complain "'$davit_file': a value contains a colon"; return 1 ;;
  esac
  case $davit_setting_password in
    '' | [\$!*_]* | ?????????????) ;;
    *) complain "'$davit_file': password is not a hash as in /etc/shadow"; return 1 ;;
  esac
  case $davit_setting_createHomeDir$davit_setting_createHomeDirOnly:$davit_setting_homeDir in
    :* | *:/*) ;;
    *) complain "'$davit_file': homeDir is not an absolute path"; return 1 ;;
  esac
}

check_number() {
  case $2 in
    *[!0-9]* | 0?* | ???????????*) complain "'$davit_file': $1 '$2' is not a number"; return 1 ;;
  esac
}

# --- groups and users -----------------------------------------------------------------------------------------

add_group() {
  davit_id=$(group_id "$davit_account")
  if [ -z "$davit_id" ]; then
    own groups && make_group "$davit_account" "$davit_setting_gid"
    return
  fi
  [ "${davit_setting_gid:-$davit_id}" = "$davit_id" ] ||
    complain "group '$davit_account' exists, and has gid $davit_id instead of $davit_setting_gid"
  ! is_made groups || own groups
}

add_user() {
  if [ "$davit_setting_createHomeDirOnly" = 1 ]; then
    [ "$davit_setting_createHomeDir" != 1 ] || make_path "$davit_setting_homeDir" '*' || complain_of_home
    return
  fi
  if davit_id=$(id -u "$davit_account" 2>/dev/null); then
    [ "${davit_setting_uid:-$davit_id}" = "$davit_id" ] ||
      complain "user '$davit_account' exists, and has uid $davit_id instead of $davit_setting_uid"
    ! is_made users || own users
  else
    own users && make_user && set_password
  fi && make_home
}

make_home() {
  [ "$davit_setting_createHomeDir" = 1 ] && [ ! -e "$davit_setting_homeDir" ] || return 0
  make_path "$davit_setting_homeDir" '*' || { complain_of_home; return 1; }
  in_directory "$davit_there" chown "$davit_account:" .
}

complain_of_home() {
  complain "cannot make the home directory '$davit_setting_homeDir': $davit_unsafe"
  return 1
}

is_made() { # KIND
  [ -d "$davit_machine/accounts/$1/$davit_account" ]
}

# own KIND: writes down that this component needs the account.
own() {
  (umask 077 && mkdir -p "$davit_machine/accounts/$1/$davit_account" &&
    printf '%s\n' "$davit_owner_text" >"$davit_machine/accounts/$1/$davit_account/$davit_owner")
}

group_id() { # NAME
  { getent group "$1" 2>/dev/null || cat /etc/group; } | while IFS=: read -r davit_name davit_rest davit_number davit_rest; do
    [ "$davit_name" != "$1" ] || { printf '%s\n' "$davit_number"; break; }
  done
}

make_group() { # NAME GID
  groupadd ${2:+-g "$2"} "$1"
}

# A home directory that is made by useradd has files for people in it.
make_user() {
  [ -z "$(group_id "$davit_account")" ] || davit_setting_group=${davit_setting_group:-$davit_account}
  useradd -M -d "${davit_setting_homeDir:-/dev/null}" ${davit_setting_uid:+-u "$davit_setting_uid"} \
    ${davit_setting_group:+-g "$davit_setting_group"} ${davit_setting_description:+-c "$davit_setting_description"} \
    ${davit_setting_shell:+-s "$davit_setting_shell"} "$davit_account"
}

# Not an argument, which others can see.
set_password() {
  [ -z "$davit_setting_password" ] || printf '%s\n' "$davit_account:$davit_setting_password" | chpasswd -e
}

# --- removal --------------------------------------------------------------------------------------------------

# Users first, since a group cannot be removed that is the primary one of a user.
release_all_accounts() {
  find_account_owner
  davit_failed=0
  for davit_kind in users groups; do
    for davit_note in "$davit_machine/accounts/$davit_kind/"*/"$davit_owner"; do
      [ -e "$davit_note" ] || continue
      davit_directory=${davit_note%/*}
      davit_account=${davit_directory##*/}
      is_last_owner || { rm -f "$davit_note"; continue; }
      "remove_$davit_kind" && rm -f "$davit_note" && rmdir "$davit_directory" || davit_failed=1
    done
  done
  rmdir "$davit_machine/accounts/users" "$davit_machine/accounts/groups" "$davit_machine/accounts" 2>/dev/null
  return "$davit_failed"
}

# userdel may remove the group of the same name too, which somebody may need.
remove_users() {
  id -u "$davit_account" >/dev/null 2>&1 || return 0
  davit_id=$(group_id "$davit_account")
  within "$davit_patience" try_to_remove_user || {
    complain "cannot remove the user '$davit_account': $davit_answer"
    return 1
  }
  [ -z "$davit_id" ] || [ -n "$(group_id "$davit_account")" ] || ! is_made groups || make_group "$davit_account" "$davit_id"
}

# The last processes of a user may take a moment to end.
try_to_remove_user() {
  davit_answer=$(userdel "$davit_account" 2>&1) || ! id -u "$davit_account" >/dev/null 2>&1
}

remove_groups() {
  [ -n "$(group_id "$davit_account")" ] || return 0
  groupdel "$davit_account" || {
    complain "cannot remove the group '$davit_account'"
    return 1
  }
}
