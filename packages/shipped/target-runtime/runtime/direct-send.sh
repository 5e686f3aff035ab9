# Sends files to another machine over ssh from this one, with the agent that was forwarded. No key is left here.

# send_directly DIRECTORY HOST PORT USER ALIAS KNOWN-HOSTS COMMAND LINE NAME...: starts COMMAND on a machine whose host keys are known by
# ALIAS, writes LINE and then an archive to it, and prints what it prints; on standard error `sent STATUS` (of tar), now and then
# `moving`, and at the end `ended STATUS` (of ssh). Everything ends with the input of this script.
send_directly() {
  directory=$1 host=$2 port=$3 user=$4 alias=$5 known=$6 command=$7 line=$8
  shift 8
  [ -S "${SSH_AUTH_SOCK:-}" ] || refuse_to_send 'no agent was forwarded (AllowAgentForwarding of its sshd)'
  command -v ssh >/dev/null || refuse_to_send "'ssh' is not installed there"
  # The file has no name while it is used.
  keys=$(umask 077 && mktemp) && printf '%s' "$known" >"$keys" && exec 8<"$keys" && rm -f "$keys" || refuse_to_send 'no temporary file can be written there'
  exec 9<&0
  {
    printf '%s\n' "$line"
    {
      write_archive "$directory" "$@"
      printf 'sent %s\n' "$?" >&2
    } | show_movement
  } 9<&- | ssh -F none -T -l "$user" -p "$port" -o BatchMode=yes -o PreferredAuthentications=publickey -o IdentityFile=none \
    -o StrictHostKeyChecking=yes -o "HostKeyAlias=$alias" -o "UserKnownHostsFile=/proc/$$/fd/8" -o GlobalKnownHostsFile=/dev/null \
    -o CheckHostIP=no -o UpdateHostKeys=no -o ForwardAgent=no -o ControlPath=none -o LogLevel=ERROR -o ConnectTimeout=20 \
    -o ServerAliveInterval=15 -o ServerAliveCountMax=3 -- "$host" "$command" 9<&- &
  sender=$!
  {
    cat <&9 >/dev/null
    kill "$sender"
  } 2>/dev/null &
  watcher=$!
  exec 9<&-
  wait "$sender"
  printf 'ended %s\n' "$?" >&2
  kill "$watcher" 2>/dev/null
}

refuse_to_send() {
  printf '%s\n' "$1" >&2
  exit 1
}

# show_movement: copies its input, and tells after each part of it that something is moving.
show_movement() {
  exec 7>&1
  while counts=$(dd bs=65536 count=512 2>&1 >&7); do
    case $counts in
      '0+0 '*) return ;;
    esac
    printf 'moving\n' >&2
  done
}
