# Writes states, for runners (outcomes) and helpers (intentions). Two functions are made of the tables in `src/verbs.ts`:
#   verb_traits ACTIVITY   sets $during and $after, the states while it is done and once it has succeeded (a dash if the record is then
#                          removed); $effect to `starts`, `stops` or `changes`; $writes, empty unless it writes the record. All are empty
#                          for an activity that changes no state.
#   is_state WORD          whether it is one, and sets $intended to the activity that is intended in it, empty if there is none

# write_state DIRECTORY STATE: has it on the disk. A state takes the place of another one on the disk in one step, and takes no
# space. One of another length, as earlier versions wrote it, is replaced as a file, and on a full disk overwritten all the same.
write_state() {
  state_text "$2"
  first="" second=
  [ ! -f "$1/state" ] || { IFS= read -r first && IFS= read -r second; } <"$1/state" || second=
  if [ "$((${#first} + ${#second} + 2))" != "${#text}" ] && replace_text "$1/state" "$text"; then
    return
  fi
  [ -s "$1/state" ] && printf "%s" "$text" 1<>"$1/state" && sync "$1/state"
}

# state_text STATE: sets $text to the content of a state file. All have the same length, far below that of a block of a disk.
state_text() {
  text=$1$newline
  while [ "${#text}" -lt 15 ]; do
    text=$text-
  done
  text=$text$newline
}

# read_state DIRECTORY: sets $line, empty if there is none. A shell reads byte by byte while somebody may write: a mixture of two states is
# not there a second time, and rarely a state. One that stays unknown is another version's, or there is none.
read_state() {
  tries=0 line=
  until
    was=$line
    first_line "$1/state"
    tries=$((tries + 1))
    [ "$line" = "$was" ] && { is_state "$line" || [ "$tries" -ge 50 ]; }
  do
    :
  done
}

# remove_mapping DIRECTORY: in one step; what a crash leaves of it is ignored, and removed by the next observation.
remove_mapping() {
  gone=${1%/*}/.gone.${1##*/}
  [ ! -e "$gone" ] || rm -rf "$gone"
  mv "$1" "$gone" || return 1
  rm -rf "$gone" || :
}
