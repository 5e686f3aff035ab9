# Writes an archive of files that are to be sent.

# write_archive DIRECTORY NAME...: to standard output, in large parts if one of the files is large: small ones would gain bytes, and no speed.
write_archive() {
  write_from=$1
  shift
  if [ -n "$(cd "$write_from" && find "$@" -size +2047 | head -n 1)" ]; then
    tar_in_large_parts tar -cf - -C "$write_from" "$@"
  else
    tar -cf - -C "$write_from" "$@"
  fi
}
