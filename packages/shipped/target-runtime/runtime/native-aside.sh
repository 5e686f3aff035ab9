# What waits aside from a native store: what is sent there until it is committed, what is removed until it is gone.

# begin_transfer INCOMING NAME OWNER: what transfers of dead owners have left is removed, and of those discarded as they began.
begin_transfer() {
  make_directory "$1"
  for claimed in "$1"/*.lock "$1"/transfer.*; do
    claimed=${claimed%.lock}
    { [ -L "$claimed.lock" ] || [ -d "$claimed" ]; } && claim "$claimed.lock" "$self" || continue
    discard_transfer "$claimed"
  done
  claim "$1/$2.lock" "$3" && mkdir "$1/$2" "$1/$2/paths" || cannot 'write below' "$1"
}

discard_transfer() {
  remove_tree "$1"
  rm -f "$1.lock"
}
