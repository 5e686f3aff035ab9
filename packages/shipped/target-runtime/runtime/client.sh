# Modules of a target that is reached through a client executable: all are one program (client-module.sh), which calls that executable.

# client_module REFERENCE: sets $module to the name under which the program is called for modules of this type. Where a service provides the
# container, its package is the type.
client_module() {
  case $1 in
    "$state/client/"*) set -- "${1#"$state/client/"}" ;;
    *//*)
      set -- "${1%%//*}"
      set -- "provided/${1##*/}"
      ;;
    */modules/*) set -- "modules/${1##*/}" ;;
    dysnomia:*) set -- "modules/${1#*:}" ;;
    *) set -- "provided/${1##*/}" ;;
  esac
  module=$state/client/$1
  check_store_paths "$module"
  case $module in
    # It would be mistaken for the list of another one.
    *.activities) fail no-module "no module has the name '${module##*/}'" ;;
  esac
  [ -x "$module" ] || {
    make_directory "${module%/*}"
    link_once ../module.activities "$module.activities" && link_once ../module "$module"
  }
  [ -x "$module" ] || cannot 'write below' "$state/client"
}

# link_once TEXT LINK: never replaces one, since another helper may have made it, and a runner may use it.
link_once() {
  [ -L "$2" ] || ln -s "$1" "$2" 2>/dev/null || [ -L "$2" ]
}
