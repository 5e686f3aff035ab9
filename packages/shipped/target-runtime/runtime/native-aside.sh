# Directories outside a native store: for transfers until they are committed, and for removed paths until they are deleted.

# begin_transfer INCOMING NAME OWNER: also removes transfers of dead owners, and those that were discarded while they began.
begin_transfer() {
  make_directory "$1"
  for claimed in "$1"/*.lock "$1"/transfer.*; do
    claimed=${claimed%.lock}
    { [ -L "$claimed.lock" ] || [ -d "$claimed" ]; } && claim "$claimed.lock" "$self" || continue
    discard_transfer "$claimed"
  done
  claim "$1/$2.lock" "$3" && mkdir "$1/$2" "$1/$2/paths" "$1/$2/records" || cannot 'write below' "$1"
}

# discard_transfer TRANSFER: releases its claim last.
discard_transfer() {
  rm -rf "$1" "$1.lock" 2>/dev/null || {
    remove_tree "$1"
    rm -f "$1.lock"
  }
}
