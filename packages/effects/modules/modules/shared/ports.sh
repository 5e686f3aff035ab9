# Ports of this machine.

# port_listens PORT: whether a socket of this machine listens on it, state 0A in the kernel's tables.
port_listens() {
  LC_ALL=C grep -qsE "^ *[0-9]+: [0-9A-F]+:$(printf '%04X' "$1") [0-9A-F]+:[0-9A-F]+ 0A " /proc/net/tcp /proc/net/tcp6
}
