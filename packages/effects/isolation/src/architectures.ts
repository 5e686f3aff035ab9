/** Numbers of system calls of an architecture of Linux, as its kernel counts them. */
export interface Architecture {
  /** Its number in `struct seccomp_data` (see linux/audit.h). */
  readonly audit: number
  readonly socket: number
  readonly socketpair: number
  readonly clone: number
  readonly unshare: number
  /** `add_key`, `request_key`, `keyctl`, `mount`. */
  readonly refused: readonly number[]
  /** Calls whose arguments are in memory, where no filter sees them, besides those of all architectures. */
  readonly opaque: readonly number[]
  /** Lowest number of another interface of the same kernel, such as x32. */
  readonly foreignFrom?: number
}

/** Calls with the same number everywhere: `io_uring_setup` and `clone3`. */
export const OPAQUE_EVERYWHERE = [425, 435]

const SOCKETCALL = 102

const GENERIC = {
  socket: 198,
  socketpair: 199,
  clone: 220,
  unshare: 97,
  refused: [217, 218, 219, 40],
  opaque: [],
} as const

/** All little-endian ones that Debian is made for. */
export const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x86_64: {
    audit: 0xc000_003e,
    socket: 41,
    socketpair: 53,
    clone: 56,
    unshare: 272,
    refused: [248, 249, 250, 165],
    opaque: [],
    foreignFrom: 0x4000_0000,
  },
  i386: {
    audit: 0x4000_0003,
    socket: 359,
    socketpair: 360,
    clone: 120,
    unshare: 310,
    refused: [286, 287, 288, 21],
    opaque: [SOCKETCALL],
  },
  aarch64: { audit: 0xc000_00b7, ...GENERIC },
  arm: {
    audit: 0x4000_0028,
    socket: 281,
    socketpair: 288,
    clone: 120,
    unshare: 337,
    refused: [309, 310, 311, 21],
    opaque: [SOCKETCALL],
  },
  riscv64: { audit: 0xc000_00f3, ...GENERIC },
  loongarch64: { audit: 0xc000_0102, ...GENERIC },
  ppc64le: {
    audit: 0xc000_0015,
    socket: 326,
    socketpair: 333,
    clone: 120,
    unshare: 282,
    refused: [269, 270, 271, 21],
    opaque: [SOCKETCALL],
  },
}
