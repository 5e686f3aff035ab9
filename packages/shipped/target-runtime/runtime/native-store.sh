# The target's half of the native store. A path is valid if its registration exists.

# place_path NAME: moves what was received into the store, without write permissions; it is not valid yet.
place_path() {
  check_store_paths "/$1"
  case $1 in
    */* | .*) fail bad-request "invalid name '$1'" ;;
  esac
  [ -e "$incoming/paths/$1" ] || [ -L "$incoming/paths/$1" ] || fail incomplete-archive "the archive lacks '$1'"
  if [ -e "$store/$1" ] || [ -L "$store/$1" ]; then
    remove_tree "$store/$1"
  fi
  if [ -d "$incoming/paths/$1" ] && [ ! -L "$incoming/paths/$1" ] && [ ! -w "$incoming/paths/$1" ]; then
    # Only root can move a directory without write permission.
    chmod u+w "$incoming/paths/$1" && mv "$incoming/paths/$1" "$store/$1" && chmod a-w "$store/$1"
  else
    mv "$incoming/paths/$1" "$store/$1"
  fi
}

# remove_tree PATH: read-only directories included.
remove_tree() {
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    find "$1" -type d ! -perm -700 -exec chmod u+rwx {} +
  fi
  rm -rf "$1"
}
