# What the modules share whose components are managed by a program of the machine: a record of what was done for a component, and links
# to its files. A module includes it after `module`, and `safe-path` and `places` if it makes links. Variables begin with davit_, since properties may reach what a module starts.

PATH=$PATH:/usr/sbin:/sbin
davit_newline='
'
davit_tab=$(printf '\t')

# prepare_managed: sets $davit_patience, in seconds, from the property timeout; $davit_record, the file of what was done for the
# component; and $davit_machine, a directory for what all components of the machine share.
prepare_managed() {
  case $component$container in
    *[[:cntrl:]]*) fail "the path '$component', or the container '$container', contains a control character" ;;
  esac
  davit_patience=${timeout:-${davit_default_patience:-30}}
  case $davit_patience in
    *[!0-9]* | 0?* | ??????*) fail "timeout '$davit_patience' is not a number of seconds" ;;
  esac
  davit_state=${DYSNOMIA_STATEDIR:-}
  if [ -z "$davit_state" ] && [ "$(id -u)" -eq 0 ]; then davit_state=/var/state/dysnomia; fi
  davit_state=${davit_state:-${HOME:-/nonexistent}/.dysnomia}
  davit_machine=${DAVIT_STATE_DIR:-$davit_state}/machine
  davit_key=${DAVIT_KEY:-$(short_name "$component")}
  davit_record=${DAVIT_RUN_DIR:-$davit_state/run}/$module/$container/$davit_key
  davit_adopted=${DAVIT_RUN_DIR:-$davit_state/run}/adopted/$container:$davit_key
}

# take_over COMMAND...: if davit has adopted a component that Dysnomia has activated, and nothing was noted since, the command notes what is
# there.
take_over() {
  [ ! -e "$davit_record" ] && [ -f "$davit_adopted" ] || return 0
  "$@" && rm -f "$davit_adopted"
}

# note_linked PLACE SOURCE: a link that is there.
note_linked() {
  ! is_linked "$@" || note_link "$@"
}

# short_name TEXT: prints a name of a file for any text.
short_name() {
  printf '%s\n' "$1" | sha256sum | cut -c 1-32
}

# --- the record: lines `KIND VALUE` ---------------------------------------------------------------------------

# note KIND VALUE: adds a line, unless it is there.
note() {
  ! is_noted "$1" "$2" || return 0
  (umask 077 && mkdir -p "${davit_record%/*}" && printf '%s\n' "$1 $2" >>"$davit_record") || {
    complain "cannot write '$davit_record'"
    return 1
  }
}

is_noted() {
  [ -e "$davit_record" ] && grep -qxF -e "$1 $2" "$davit_record"
}

# noted KIND: prints the values of this kind.
noted() {
  [ ! -e "$davit_record" ] || sed -n "s/^$1 //p" "$davit_record"
}

# forget KIND VALUE: removes a line.
forget() {
  [ -e "$davit_record" ] || return 0
  { grep -vxF -e "$1 $2" "$davit_record" >"$davit_record.new" || [ $? = 1 ]; } && mv -f "$davit_record.new" "$davit_record" || {
    rm -f "$davit_record.new"
    return 1
  }
}

forget_all() {
  rm -f "$davit_record" "$davit_adopted" || fail "cannot remove '$davit_record'"
}

# --- links ----------------------------------------------------------------------------------------------------
# $davit_links has a line `PLACE<tab>SOURCE` for each. Nobody else may replace a step on the way to a link, unless $davit_shared is set: then
# the links are in directories of the program that reads them, and do no more there than the owner could do.
davit_shared=

# add_link PLACE SOURCE
add_link() {
  case $2 in *[[:cntrl:]]*) fail "the path '$2' contains a control character" ;; esac
  davit_links=$davit_links$1$davit_tab$2$davit_newline
}

# each_link COMMAND...: calls it with each place and source, until it fails.
each_link() {
  while IFS=$davit_tab read -r davit_place davit_source; do
    [ -z "$davit_place" ] || "$@" "$davit_place" "$davit_source" </dev/null || return
  done <<end
$davit_links
end
}

is_linked() {
  [ -L "$1" ] && [ "$(readlink "$1")" = "$2" ]
}

# any_linked: whether any of the links is there.
any_linked() {
  ! each_link is_not_linked
}

is_not_linked() {
  ! is_linked "$@"
}

# check_free PLACE SOURCE: fails if there is something of somebody else. A link that leads nowhere may be replaced.
check_free() {
  if is_linked "$1" "$2" || { [ -L "$1" ] && [ ! -e "$1" ]; } || [ ! -e "$1" ]; then return 0; fi
  fail "cannot activate '$component': '$1' exists, and is not a link to '$2'"
}

# make_link PLACE SOURCE
make_link() {
  ! is_linked "$@" || return 0
  check_way_to "$1" && (enter_checked make && put_link "${1##*/}" "$2") || { complain "cannot make the link '$1'${davit_unsafe:+: $davit_unsafe}"; return 1; }
}

check_way_to() { # PLACE
  check_path "${1%/*}" || [ -n "$davit_shared" ]
}

note_link() {
  note link "$1$davit_tab$2"
}

# remove_link PLACE SOURCE: only what is still ours.
remove_link() {
  is_linked "$@" || return 0
  check_way_to "$1" && (enter_checked && is_linked "./${1##*/}" "$2" && rm -f "./${1##*/}") ||
    complain "cannot remove the link '$1'${davit_unsafe:+: $davit_unsafe}" && [ ! -L "$1" ]
}

# is_last_owner: whether nothing but $davit_note is in $davit_directory, which has a file for each component that needs something.
is_last_owner() {
  for davit_other in "$davit_directory"/*; do
    [ "$davit_other" = "$davit_note" ] || return 1
  done
}

# --- one at a time --------------------------------------------------------------------------------------------

# alone NAME COMMAND...: runs it, in a subshell, while no other component of the machine does something under this name.
alone() {
  (umask 077 && mkdir -p "$davit_machine") || fail "cannot make '$davit_machine'"
  davit_lock=$davit_machine/$1.lock
  shift
  if command -v flock >/dev/null; then
    (
      flock 9 || fail "cannot lock '$davit_lock'"
      "$@"
    ) 9>"$davit_lock"
  else
    until take_lock; do sleep 0.1 2>/dev/null || sleep 1; done
    ("$@")
    set -- "$?"
    rm -f "$davit_lock.claim"
    return "$1"
  fi
}

# take_lock: for busybox without flock. The lock names its holder, who may have been killed.
take_lock() {
  davit_holder=$(identity_of "$$")
  (set -C && printf '%s\n' "$davit_holder" >"$davit_lock.claim") 2>/dev/null && return
  { read -r davit_other davit_other_began <"$davit_lock.claim"; } 2>/dev/null || return 1
  [ "$(identity_of "$davit_other")" != "$davit_other $davit_other_began" ] || return 1
  # Whoever moves it away looks at what it has moved: somebody else may have taken it meanwhile.
  mv "$davit_lock.claim" "$davit_lock.$$" 2>/dev/null || return 1
  [ "$(cat "$davit_lock.$$")" = "$davit_other $davit_other_began" ] || ln "$davit_lock.$$" "$davit_lock.claim"
  rm -f "$davit_lock.$$"
  return 1
}

# identity_of PID: prints the pid and the start time of a process.
identity_of() {
  davit_line=
  { read -r davit_line <"/proc/$1/stat"; } 2>/dev/null || return 0
  davit_pid=$1
  # shellcheck disable=SC2086
  set -- ${davit_line##*) }
  printf '%s\n' "$davit_pid ${20}"
}
