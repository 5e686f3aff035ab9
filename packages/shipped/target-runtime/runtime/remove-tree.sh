# Removes what may contain read-only directories: paths of a store, and snapshots.

# remove_tree PATH: read-only directories included.
remove_tree() {
  rm -rf "$1" 2>/dev/null || {
    [ -L "$1" ] || [ ! -d "$1" ] || find "$1" -type d ! -perm -700 -exec chmod u+rwx {} +
    rm -rf "$1"
  }
}
