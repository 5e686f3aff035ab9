# What the runner needs to verify a snapshot, and only helpers of davit ask for.

incomparable=244
damaged=245
content_only=246

# prepare_verification: compares the content with the listing, and leaves it to the module if that can load it.
prepare_verification() {
  is_packed "$payloads/$wanted" || [ -s "$snapshots/checksums/$container/$component/$wanted" ] || [ ! -d "$payloads/$wanted" ] || return "$incomparable"
  make_dump || return 250
  unpack "$wanted" "$dump" || {
    [ ! -d "$payloads/$wanted" ] || check_snapshot "$payloads/$wanted" "$wanted" >/dev/null 2>&1 || return "$damaged"
    # It is the machine that lacks something, such as space.
    return 250
  }
  find_component ''
  [ -f "$davit_module.activities" ] && has_line "$davit_module.activities" verify || return "$content_only"
}
