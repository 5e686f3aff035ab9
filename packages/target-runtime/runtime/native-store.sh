# The target half of the native store. A path is valid when its registration exists.

# commit_path NAME RECORD: what was received becomes valid.
commit_path() {
  check_store_paths "/$1"
  [ ! -f "$registrations/$1.json" ] || return 0
  [ -e "$incoming/paths/$1" ] || [ -L "$incoming/paths/$1" ] || fail incomplete-archive "the archive lacks '$1'"
  remove_tree "$store/$1"
  if [ -d "$incoming/paths/$1" ] && [ ! -L "$incoming/paths/$1" ]; then
    chmod u+w "$incoming/paths/$1" && mv "$incoming/paths/$1" "$store/$1" && chmod -R a-w "$store/$1" || return 1
  else
    mv "$incoming/paths/$1" "$store/$1" || return 1
  fi
  decode "$2"
  printf '%s' "$decoded" | replace_file "$registrations/$1.json"
}

# remove_tree PATH: read-only directories included.
remove_tree() {
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    find "$1" -type d ! -perm -700 -exec chmod u+rwx {} +
  fi
  rm -rf "$1"
}
