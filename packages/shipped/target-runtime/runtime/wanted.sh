# Wanted profiles: what the runs that hold or held the lock were about to make current. A link
#   profiles/PROFILE/wanted.next|same.TARGETS.TOKEN.NUMBER
# points to the profile, so that it is kept; `same` if it was the current one already. TOKEN and NUMBER are those of the lock, TARGETS
# is how many targets are told, so that a run of which some were not told is recognised: it had not begun.

# tell_wanted TARGET PROFILE TOKEN NUMBER PATH TARGETS STORE-KIND: notes what the run with this lock wants, in the directory
# $wanted_in; to be called before the lock is held. Forgets what was wanted many locks ago.
tell_wanted() {
  check_store_paths "$5"
  check_names "$6"
  wanted_in=$state/targets/$1/profiles/$2
  make_directory "$wanted_in"
  for link in "$wanted_in"/wanted.*; do
    is_number "${link##*.}" || continue
    [ "$link" = "${link%."$6.$3.$4"}" ] || [ "$(readlink "$link")" != "$5" ] || return 0
    [ "${link##*.}" -gt $(($4 - 20)) ] || rm -f "$link"
  done
  withdraw_wanted "$1" "$2" "$3"
  link=$wanted_in/wanted.next.$6.$3.$4
  ! path=$(readlink "$wanted_in/current") || [ "$(readlink "$wanted_in/$path")" != "$5" ] || link=$wanted_in/wanted.same.$6.$3.$4
  # A native store keeps what links point to, and Nix what is current; what is not there yet, Nix cannot keep.
  case $7:$link in
    nix:*/wanted.next.*) [ ! -d "$5" ] || root_nix "$link" "$5" ;;
  esac
  [ -L "$link" ] || ln -s "$5" "$link" || cannot 'write below' "$wanted_in"
}

# withdraw_wanted TARGET PROFILE TOKEN: the run with this lock wants nothing any more.
withdraw_wanted() {
  rm -f "$state/targets/$1/profiles/$2"/wanted.*."$3".*
}

# with_others DIRECTORY PATH COMMAND: for each link to another path that is wanted.
with_others() {
  for link in "$1"/wanted.*; do
    ! is_told "$link" || [ "$(readlink "$link")" = "$2" ] || "$3" "$link"
  done
}

# is_told LINK: whether a run has made it; what somebody else has put there is left alone.
is_told() {
  [ -L "$1" ] || return
  set -- "${1##*/wanted.}"
  set -- "$1" "${1#*.}"
  set -- "$1" "${2%%.*}" "${2#*.}"
  set -- "$1" "$2" "${3%.*}" "${3##*.}"
  case $1 in
    "next.$2.$3.$4" | "same.$2.$3.$4") ;;
    *) return 1 ;;
  esac
  case $2:$3 in
    0:* | ???????*:* | *:*[!A-Za-z0-9_-]* | *:) return 1 ;;
  esac
  is_number "$2" && is_number "$4" && [ "$4" != 0 ] && [ "${#3}" -le 200 ]
}

# say_wanted TARGET PROFILE CURRENT-PATH: for each run, `wanted TARGET next|same.TARGETS.TOKEN.NUMBER PATH TEXT`, the last two as of
# `read_profiles`; TEXT is `*` for the current one.
say_wanted() {
  for link in "$state/targets/$1/profiles/$2"/wanted.*; do
    is_told "$link" && path=$(readlink "$link") || continue
    text='*'
    [ "$path" = "$3" ] || read_profile_manifest "$path/profilemanifest.xml"
    say wanted "$1" "${link##*/wanted.}" "$(printf %s "$path" | hexadecimal)" "$text"
  done
}
