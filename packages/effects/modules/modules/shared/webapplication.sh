# A web application: links, and perhaps mutable directories, in the document root of a web server that runs already. The server is
# asked over HTTP whether it serves what is there, and no longer serves what is gone.

# Ranges of characters below are those of ASCII.
LC_ALL=C
export LC_ALL

# read_component: everything is checked before anything is done.
read_component() {
  place_base "${documentRoot:-/var/www}" || fail "documentRoot '$documentRoot' is not an absolute path"
  find_owner
  find_address
  if [ -e "$component/.dysnomia-fileset" ]; then
    read_fileset || fail "cannot use '$specification'"
  else
    read_entries
  fi
}

# read_entries: each entry of `webapps` becomes a link of its name.
read_entries() {
  links='' directories='' roots=''
  for source in "$component"/webapps/*; do
    [ -e "$source" ] || [ -L "$source" ] || continue
    case $source in *[[:cntrl:]]*) fail "the path '$source' contains a control character" ;; esac
    links=$links${source##*/}$tab$source$tab-$davit_newline
  done
  [ -n "$links" ] || fail "'$component' has neither 'webapps/NAME' nor '.dysnomia-fileset'"
}

# find_address: sets $address, $virtual_host and $patience.
find_address() {
  read_address documentUrl "${documentUrl:-http://127.0.0.1:${port:-80}}"
  patience=${readyTimeout:-30}
  case $patience in
    *[!0-9]* | 0?* | ???????*) fail "readyTimeout '$patience' is not a number" ;;
  esac
}

# page_of PLACE: sets $page to what is asked for; fails if it is not for the public.
page_of() {
  page=$1
  case /$1 in */.*) return 1 ;; esac
  [ ! -d "$davit_base/$1" ] || page=$1/
}

# answers PLACE: whether the server serves what is there: a page, a redirection, a question for a password; for a directory without an
# index the refusal to list it, or one of its files.
answers() {
  page_of "$1" || return 0
  ask "$page"
  is_answer && return
  [ "$page" != "$1" ] && ! has_index "$davit_base/$1" || return 1
  [ "$answer" != 403 ] || return 0
  file=$(cd "$davit_base/$1" && find -L . -type f ! -path '*/.*' ! -name '*[[:cntrl:]]*' | sort | head -n 1)
  [ -z "$file" ] || {
    ask "$page${file#./}"
    is_answer
  }
}

is_answer() {
  case $answer in 2?? | 3?? | 401) ;; *) return 1 ;; esac
}

has_index() {
  for index in "$1"/index.*; do
    [ ! -e "$index" ] || return 0
  done
  return 1
}

# all_answer: whether the server answers for every link.
all_answer() {
  asked=
  while IFS=$tab read -r place source number; do
    [ -z "$place" ] || answers "$place" || return 1
  done <<end
$links
end
  # Without a page, the server itself must be there.
  [ -n "$asked" ] || responds
}

responds() {
  ask ''
  [ "$answer" != 000 ]
}

# tell_answer: says what was answered instead.
tell_answer() {
  case $answer in
    000) printf '%s\n' "no web server answers at $asked" ;;
    403) printf '%s\n' "the web server answers $asked with status 403: may it read '$davit_base/${page%/}', and follow links?" ;;
    404) printf '%s\n' "the web server answers $asked with status 404: is its document root '$davit_base'?" ;;
    *) printf '%s\n' "the web server answers $asked with status $answer" ;;
  esac
}

# is_gone PLACE: whether the server answers as it does for what never existed.
is_gone() {
  ask "$1"
  case $answer in 000 | 404 | 410) return ;; esac
  found=$answer
  ask "davit-absent-$$/"
  [ "$answer" = "$found" ]
}

# all_gone: whether none of the links is served; sets $place to one that is. What somebody else has there is served further.
all_gone() {
  while IFS=$tab read -r place source number; do
    [ -z "$place" ] || [ -e "$davit_base/$place" ] || is_gone "$place" || return 1
  done <<end
$links
end
}

activity_activate() {
  read_component
  find_client
  activate_fileset
  within "$patience" all_answer || give_up "$(tell_answer)"
}

activity_logs() {
  [ -z "${errorLog-}" ] || printf 'file %s\n' "$errorLog"
  [ -z "${accessLog-}" ] || printf 'file %s\n' "$accessLog"
}

activity_deactivate() {
  if ! (read_component); then
    printf '%s\n' "$module: nothing of '$component' can have been activated" >&2
    return 0
  fi
  read_component
  deactivate_fileset
  (find_client) || return 0
  find_client
  within "$patience" all_gone ||
    fail "cannot deactivate '$component': after $patience s, the web server still serves $address/$(encode "$place")"
}

activity_snapshot() {
  read_component
  snapshot_fileset
}

activity_restore() {
  read_component
  restore_fileset
}

activity_collect_garbage() {
  read_component
  collect_fileset
}

activity_status() {
  read_component
  status_fileset
  find_client
  all_answer || fail "$(tell_answer)"
}
