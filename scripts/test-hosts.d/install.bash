# Writes the files on the disk of a new host. Sourced by power-on.
# shellcheck shell=bash

# Prepares the disk before the root is mounted.
prepare_disk() { # HOST
  local upper=$1/disk/upper path
  if [ "$(<"$1/kind")" = bare ]; then
    copy_bare_root "$upper"
    return
  fi
  install -d -m 755 "$upper/etc" "$upper/var" "$upper/var/lib"
  # These are whiteouts: a directory that replaces one in the mounted overlay shows no files of the lower layer.
  for path in etc/nix etc/rc.local etc/ssh home nix root var/lib/davit var/tmp; do
    mknod "$upper/$path" c 0 0
  done
  [ "$(<"$1/kind")" != systemd ] || {
    install -d -m 755 "$upper/etc/systemd"
    mknod "$upper/etc/systemd/system" c 0 0
    : >"$upper/etc/fstab"
  }
}

copy_bare_root() { # DIRECTORY
  local file
  install -D -m 755 /bin/busybox "$1/bin/busybox"
  for file in /usr/sbin/sshd /usr/lib/openssh/sshd-*; do
    [ -e "$file" ] || continue
    install -D -m 755 "$file" "$1$file"
    ldd "$file" | grep -o '/[^ ]*' | while read -r file; do
      [ -e "$1$file" ] || install -D -m 755 "$file" "$1$file"
    done
  done
}

# Installs the host inside the mounted root, which is the working directory.
install_host() { # HOST
  local host=$1 set=${1%/hosts/*} name=${1##*/}
  install -d -m 755 etc etc/ssh etc/ssh/sshd_config.d home usr/local/bin var/lib var/log
  install -d -m 1777 var/tmp
  install -d -m 700 root root/.ssh
  if [ "$(<"$host/kind")" = bare ]; then
    install_busybox
    write_accounts
  else
    sed -i 's|^root:.*|root:x:0:0:root:/root:/bin/bash|' etc/passwd
    # sshd without PAM refuses an account whose password is marked '!'.
    sed -i 's|^root:[^:]*:|root:*:|' etc/shadow
    install_nix "$host"
    [ "$(<"$host/kind")" != systemd ] || install_systemd
  fi
  install_names "$set" "$name"
  install_sshd "$set" "$host"
}

# Makes an empty Nix store for root. The host cannot reach a cache, and has no build users. A host that is configured for another
# system builds for it with programs of this machine.
install_nix() { # HOST
  install -d -m 755 nix nix/store nix/var etc/nix
  printf '%s\n' 'sandbox = false' 'build-users-group =' 'substituters =' >etc/nix/nix.conf
  [ ! -s "$1/system" ] || printf 'system = %s\n' "$(<"$1/system")" >>etc/nix/nix.conf
}

install_busybox() {
  chroot . /bin/busybox --install -s
}

write_accounts() {
  printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'sshd:x:100:65534::/run/sshd:/sbin/nologin' \
    'nobody:x:65534:65534:nobody:/:/sbin/nologin' >etc/passwd
  printf '%s\n' 'root:x:0:' 'tty:x:5:' 'nogroup:x:65534:' >etc/group
  printf '%s\n' 'root:*:19000:0:99999:7:::' 'sshd:!:19000::::::' 'nobody:*:19000::::::' >etc/shadow
  chmod 600 etc/shadow
}

install_names() { # SET NAME
  local file name address
  # These may be links to files outside of /etc.
  for file in hostname hosts machine-id resolv.conf; do
    rm -f "etc/$file"
  done
  printf '%s\n' "$2" >etc/hostname
  tr -d - </proc/sys/kernel/random/uuid >etc/machine-id
  printf '# no name server: there is no route out of here\n' >etc/resolv.conf
  {
    printf '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n'
    while read -r name address; do
      printf '%s %s\n' "$address" "$name"
    done <"$1/listing"
  } >etc/hosts
}

install_sshd() { # SET HOST
  install -m 600 "$1/id_ed25519.pub" root/.ssh/authorized_keys
  install -m 600 "$1/ssh_host_ecdsa_key" "$2/ssh_host_ed25519_key" etc/ssh/
  install -m 644 "$1/ssh_host_ecdsa_key.pub" "$2/ssh_host_ed25519_key.pub" etc/ssh/
  cat >etc/ssh/sshd_config <<'END'
Include /etc/ssh/sshd_config.d/*.conf
HostKey /etc/ssh/ssh_host_ed25519_key
HostKey /etc/ssh/ssh_host_ecdsa_key
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
PidFile /run/sshd.pid
PrintMotd no
LogLevel VERBOSE
Subsystem sftp internal-sftp
END
}
