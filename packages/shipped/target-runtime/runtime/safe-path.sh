# Paths that root, or whoever runs davit, may follow: nobody else can replace a step on the way. Modules include this part too, so
# variables begin with davit_.

davit_newline='
'

# check_path PATH [OWNER...]: walks an absolute path and the links on it, as far as it exists. Whoever is not root or the caller must not be
# able to replace a step: each belongs to one of the two, and only they may write in a directory, unless it is sticky. With owners, numbers or
# names or `*`, what is at the end may belong to one of them, and who may write in it does not matter.
# Sets $davit_there, the place without links of what exists (empty for /), and $davit_missing, the rest. Otherwise it sets $davit_unsafe to
# the reason, $davit_offender to who may replace it (empty: several), and the two to what is before it, and the rest.
check_path() {
  davit_unsafe='' davit_offender='' davit_there='' davit_missing='' davit_walk_jumps=0 davit_walk_ahead=$1
  case $1 in
    *"$davit_newline"*) davit_unsafe="the path '${1%%"$davit_newline"*}…' has a line break" ;;
    /*) ;;
    *) davit_unsafe="'$1' is not an absolute path" ;;
  esac
  [ -z "$davit_unsafe" ] || return 1
  davit_self=${davit_self:-$(id -u) $(id -g)}
  shift
  davit_walk_owners=''
  for davit_walk_step; do
    case $davit_walk_step in '*') ;; *[!0-9]*) davit_walk_step=$(id -u "$davit_walk_step" 2>/dev/null) ;; esac
    davit_walk_owners="$davit_walk_owners $davit_walk_step 0 ${davit_self% *} "
  done
  until check_stretch; do
    [ -z "$davit_unsafe" ] || return 1
    davit_walk_jumps=$((davit_walk_jumps + 1))
    [ "$davit_walk_jumps" -le 40 ] || { davit_unsafe="'$davit_there' is on a way of too many links"; return 1; }
  done
}

# check_stretch: walks $davit_walk_ahead from / to its end, or to the first link or `..`, which it resolves there: then it fails with an
# empty $davit_unsafe. One process looks at all steps, in their order: what is safe by then cannot be replaced any more.
check_stretch() {
  davit_there='' davit_missing='' davit_walk_turn='' davit_walk_sticky=''
  set -- /
  while [ -n "$davit_walk_ahead" ]; do
    davit_walk_step=${davit_walk_ahead%%/*}
    case $davit_walk_ahead in */*) davit_walk_ahead=${davit_walk_ahead#*/} ;; *) davit_walk_ahead='' ;; esac
    case $davit_walk_step in
      '' | .) continue ;;
      ..) davit_walk_turn=..; break ;;
    esac
    if [ -L "$davit_there/$davit_walk_step" ]; then
      davit_walk_turn=$davit_walk_step
      set -- "$@" "$davit_there/$davit_walk_step"
      break
    fi
    [ -e "$davit_there/$davit_walk_step" ] || { davit_missing=$davit_walk_step${davit_walk_ahead:+/$davit_walk_ahead}; break; }
    davit_there=$davit_there/$davit_walk_step
    set -- "$@" "$davit_there"
  done
  davit_walk_steps=$(LC_ALL=C ls -ldn -- "$@" 2>/dev/null)
  while read -r davit_walk_mode davit_walk_count davit_walk_uid davit_walk_gid davit_walk_rest; do
    [ $# -gt 0 ] && check_step "$@" || break
    shift
  done <<end
$davit_walk_steps
end
  [ $# = 0 ] || { davit_unsafe=${davit_unsafe:-"'$1' has changed while it was read"}; return 1; }
  case $davit_walk_turn in
    '') return 0 ;;
    ..) davit_walk_ahead=${davit_there%/*}/$davit_walk_ahead ;;
    *) follow_link "$davit_there/$davit_walk_turn" ;;
  esac
  return 1
}

follow_link() {
  davit_walk_step=$(readlink "$1")
  case $davit_walk_step in
    '' | *"$davit_newline"*) davit_unsafe="the link '$1' cannot be followed" ;;
    /*) davit_walk_ahead=$davit_walk_step/$davit_walk_ahead ;;
    *) davit_walk_ahead=$davit_there/$davit_walk_step/$davit_walk_ahead ;;
  esac
}

# check_step STEP [NEXT...]: for what ls has said of it. A link or a file in a directory for everybody must not have another name:
# somebody else can have given it that one.
check_step() {
  davit_walk_above=$davit_walk_sticky davit_walk_sticky='' davit_walk_may=''
  if [ $# = 1 ] && [ -z "$davit_missing$davit_walk_turn" ]; then
    case $davit_walk_owners in *' * '* | *" $davit_walk_uid "*) davit_walk_may=yes ;; esac
  fi
  case " 0 ${davit_self% *} :$davit_walk_may:$davit_walk_above:$davit_walk_mode" in
    *" $davit_walk_uid "* | *:yes::*) ;;
    *) refuse_step owner "$@"; return ;;
  esac
  case $davit_walk_above$davit_walk_mode:$davit_walk_count in namesd* | names*:1) ;; names*) refuse_step names "$@"; return ;; esac
  case $davit_walk_mode in l*) [ "$1" = "$davit_there/$davit_walk_turn" ]; return ;; esac
  [ -z "$davit_walk_may" ] || return 0
  case $davit_walk_mode in
    d???????w[tT]*) davit_walk_sticky=names ;;
    d????w???[tT]*) davit_walk_sticky=yes ;;
    ????????w*) refuse_step others "$@" ;;
    ?????w????+*) refuse_step group "$@" ;;
    ?????w*) case " 0 ${davit_self#* } " in *" $davit_walk_gid "*) ;; *) refuse_step group "$@" ;; esac ;;
  esac
}

# refuse_step REASON STEP [NEXT...]: says it with names, and with the command that mends it.
refuse_step() {
  davit_walk_next=${3:-${2%/}/${davit_missing%%/*}}
  davit_walk_next=${davit_walk_next#"${2%/}/"}
  [ -z "$davit_walk_next" ] || davit_walk_next="'$davit_walk_next'"
  davit_walk_next=${davit_walk_next:-what is in it}
  davit_walk_ahead=$davit_there${davit_walk_turn:+/$davit_walk_turn}/${davit_missing:-$davit_walk_ahead}
  davit_there=${2%/*}
  davit_missing=${davit_walk_ahead#"$davit_there/"}
  read -r davit_walk_rest davit_walk_rest davit_walk_user davit_walk_group davit_walk_rest <<end
$(LC_ALL=C ls -ld -- "$2")
end
  davit_walk_rest=$(id -un 2>/dev/null)
  case $1:$davit_walk_mode:$davit_walk_may in
    owner:l*) davit_unsafe="the link '$2' belongs to '$davit_walk_user', who can lead it elsewhere; rm '$2'" ;;
    owner:*:yes) davit_unsafe="'$2' belongs to '$davit_walk_user', who can replace it, since others can write in '$davit_there'; use a directory elsewhere" ;;
    owner:*) davit_unsafe="'$2' belongs to '$davit_walk_user', who can replace $davit_walk_next; chown ${davit_walk_rest:-${davit_self% *}} '$2'" ;;
    names:*) davit_unsafe="'$2' has other names, perhaps of others; rm '$2'" ;;
    others:*) davit_unsafe="everybody can write in '$2', and replace $davit_walk_next; chmod o-w '$2'" ;;
    *) davit_unsafe="the group '$davit_walk_group' can write in '$2', and replace $davit_walk_next; chmod g-w '$2'" ;;
  esac
  [ "$1" != owner ] || davit_offender=$davit_walk_uid
  return 1
}
