# Files of assignments, which are read and never evaluated. A module includes it after `managed`.

# read_assignments FILE KEY...: sets davit_setting_KEY for each key, empty if the file does not assign it.
read_assignments() {
  davit_assignments=$1
  shift
  davit_settings=$*
  for davit_name; do
    eval "davit_setting_$davit_name=''"
  done
  davit_number=0
  while IFS= read -r davit_line || [ -n "$davit_line" ]; do
    davit_number=$((davit_number + 1))
    read_assignment || { complain "'$davit_assignments', line $davit_number: $davit_mistake"; return 1; }
  done <"$davit_assignments"
}

# read_assignment: takes $davit_line, which is KEY=VALUE, KEY='VALUE' or KEY="VALUE", and perhaps a comment.
read_assignment() {
  davit_line=${davit_line#"${davit_line%%[![:blank:]]*}"}
  case $davit_line in
    '' | '#'*) return 0 ;;
    [A-Za-z]*=*) ;;
    *) davit_mistake='expected KEY=VALUE'; return 1 ;;
  esac
  davit_name=${davit_line%%=*} davit_value=${davit_line#*=}
  case " $davit_settings " in
    *" $davit_name "*) ;;
    *) davit_mistake="unknown key '$davit_name', expected one of: $davit_settings"; return 1 ;;
  esac
  case $davit_value in
    \'*\'*) davit_value=${davit_value#\'} davit_rest=${davit_value#*\'} davit_value=${davit_value%%\'*} ;;
    \"*\"*) davit_value=${davit_value#\"} davit_rest=${davit_value#*\"} davit_value=${davit_value%%\"*} davit_plain=$davit_value ;;
    *[\'\"\;\&\|\<\>\(\)]*) davit_mistake="the value of '$davit_name' is not quoted properly"; return 1 ;;
    *) davit_rest=${davit_value#"${davit_value%%[[:blank:]]*}"} davit_value=${davit_value%%[[:blank:]]*} davit_plain=$davit_value ;;
  esac
  check_value
}

check_value() {
  case ${davit_plain-} in
    *[\$\`\\]*) davit_mistake="the value of '$davit_name' would have to be evaluated; put it in single quotes if it is plain text"; return 1 ;;
  esac
  davit_plain=
  davit_rest=${davit_rest#"${davit_rest%%[![:blank:]]*}"}
  case $davit_rest in
    '' | '#'*) ;;
    *) davit_mistake="text after the value of '$davit_name'"; return 1 ;;
  esac
  case $davit_value in
    *[[:cntrl:]]*) davit_mistake="the value of '$davit_name' contains a character that is not allowed"; return 1 ;;
  esac
  # The name is one of those above; the value is not evaluated.
  eval "davit_setting_$davit_name=\$davit_value"
}
