# Asking a web server over HTTP. A module includes it after `module`.

# read_address PROPERTY VALUE: sets $address, and $virtual_host from the property virtualHost. An address is an argument of a program, so
# it has no password.
read_address() {
  address=$2
  while :; do
    case $address in */) address=${address%/} ;; *) break ;; esac
  done
  case $address in
    *[!]A-Za-z0-9._~:/%[-]*) fail "$1 '$address' contains a character that is not allowed" ;;
    http://[!/]* | https://[!/]*) ;;
    *) fail "$1 '$address' is not an address that begins with http:// or https://" ;;
  esac
  virtual_host=${virtualHost-}
  case $virtual_host in
    *[!]A-Za-z0-9._:[-]*) fail "virtualHost '$virtual_host' is not the name of a host" ;;
  esac
}

# find_client: sets $client to a program that asks over HTTP.
find_client() {
  client=${httpClient-}
  if [ -n "$client" ]; then
    command -v "$client" >/dev/null || fail "httpClient '$client' cannot be executed"
  else
    client=$(command -v curl || command -v wget) || fail "neither curl nor wget is installed; a property httpClient may name one of them"
  fi
}

# ask PATH: sets $answer to the HTTP status for a path below the document root, 000 without an answer.
ask() {
  asked=$address/$(encode "$1")
  answer=$(
    exec 2>/dev/null
    unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
    case ${client##*/} in
      *wget*) ask_by_wget ;;
      *) "$client" -q -g -k -s -m 10 -o /dev/null -w '%{http_code}' ${virtual_host:+-H "Host: $virtual_host"} "$asked" ;;
    esac
  )
  case $answer in [1-9][0-9][0-9]) ;; *) answer=000 ;; esac
}

# The first answer counts. That of busybox has no limit of time, and follows redirections.
ask_by_wget() {
  if "$client" --version | grep -q GNU; then
    set -- "$client" -T 10 --max-redirect=0
  else
    set -- "$client"
    ! command -v timeout >/dev/null || set -- timeout 10 "$@"
  fi
  "$@" -q -S -t 1 -O /dev/null --no-check-certificate ${virtual_host:+--header "Host: $virtual_host"} "$asked" 2>&1 |
    sed -n 's|.*HTTP/[0-9.]* \([0-9][0-9][0-9]\).*|\1|p' | head -n 1
}

encode() {
  case $1 in
    *[!A-Za-z0-9._~/-]*) printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g; s|%2f|/|g' ;;
    *) printf %s "$1" ;;
  esac
}
