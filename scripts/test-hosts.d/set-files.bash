# The files for clients of a set: keys, names and addresses, ssh's configuration.
# Sourced by test-hosts.
# shellcheck shell=bash

create_keys() { # SET
  ssh-keygen -q -t ed25519 -N '' -C davit-test-hosts -f "$1/id_ed25519"
  # A second host key, which all hosts share. One for RSA would take longer to make than bringing up a host.
  ssh-keygen -q -t ecdsa -N '' -C davit-test-hosts -f "$1/ssh_host_ecdsa_key"
}

write_listing() { # SET NAME...
  local set=$1 name
  shift
  for name; do
    printf '%s %s\n' "$name" "$(<"$set/hosts/$name/address")"
  done >"$set/listing"
}

write_ssh_config() { # SET NAME...
  local set=$1 name
  shift
  for name; do
    printf 'Host %s\n  HostName %s\n' "$name" "$(<"$set/hosts/$name/address")"
  done >"$set/ssh_config"
  cat >>"$set/ssh_config" <<END
Host $* $(subnet_of "$set").*
  User root
  Port 22
  IdentityFile $set/id_ed25519
  IdentitiesOnly yes
  UserKnownHostsFile $set/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  UpdateHostKeys no
END
}

write_known_hosts() { # SET NAME...
  local set=$1 name key kind text _
  shift
  for name; do
    for key in "$set/hosts/$name/ssh_host_ed25519_key.pub" "$set/ssh_host_ecdsa_key.pub"; do
      read -r kind text _ <"$key"
      printf '%s,%s %s %s\n' "$name" "$(<"$set/hosts/$name/address")" "$kind" "$text"
    done
  done >"$set/known_hosts"
}
