import { ARCHITECTURES, type Architecture, OPAQUE_EVERYWHERE } from './architectures.ts'

/**
 * Returns a program for seccomp (see bpf(4)) that refuses what would lead out of a view: user namespaces, in which a program could mount;
 * keys of the kernel, which belong to the account; sockets other than those of the network, and, if the network is that of the machine,
 * unix sockets, since abstract ones belong to the network; and calls whose arguments cannot be seen. Programs of an unknown
 * architecture are ended.
 */
export function systemCallFilter({ network }: { readonly network: boolean }): Buffer {
  const families = network ? INTERNET : [AF_UNIX, ...INTERNET]
  const sections = Object.values(ARCHITECTURES).map((one) => sectionOf(one, { families, network }))
  return Buffer.concat([load(ARCHITECTURE), ...sections.flat(), answer(KILL)])
}

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const INTERNET = [AF_INET, AF_INET6, AF_NETLINK]

/** Types of connected pairs, which can reach nobody else. One of datagrams could still be sent elsewhere. */
const SOCK_STREAM = 1
const SOCK_SEQPACKET = 5
const TYPE_MASK = 0xf

const CLONE_NEWUSER = 0x1000_0000

/** Offsets in `struct seccomp_data`; those of arguments are of their lower halves. */
const NUMBER = 0
const ARCHITECTURE = 4
const FIRST_ARGUMENT = 16
const SECOND_ARGUMENT = 24

const KILL = 0x8000_0000
const ALLOW = 0x7fff_0000
const refuseWith = (errno: number): number => 0x0005_0000 + errno
const EPERM = refuseWith(1)
const ENOSYS = refuseWith(38)
const EAFNOSUPPORT = refuseWith(97)

interface Sockets {
  readonly families: readonly number[]
  readonly network: boolean
}

/** Instructions for one architecture, which are skipped in programs of another one. */
function sectionOf(architecture: Architecture, { families, network }: Sockets): readonly Buffer[] {
  const { audit, socket, socketpair, clone, unshare, refused, opaque, foreignFrom } = architecture
  const section = [
    load(NUMBER),
    ...(foreignFrom === undefined ? [] : when(AT_LEAST, foreignFrom, [answer(ENOSYS)])),
    ...[...OPAQUE_EVERYWHERE, ...opaque].flatMap((number) => when(EQUAL, number, [answer(ENOSYS)])),
    ...refused.flatMap((number) => when(EQUAL, number, [answer(EPERM)])),
    ...[clone, unshare].flatMap((number) => {
      const refuse = [load(FIRST_ARGUMENT), ...when(HAS_BIT, CLONE_NEWUSER, [answer(EPERM)]), answer(ALLOW)]
      return when(EQUAL, number, refuse)
    }),
    ...when(EQUAL, socket, [load(FIRST_ARGUMENT), ...onlyAmong(families, EAFNOSUPPORT)]),
    ...(network
      ? when(EQUAL, socketpair, [
          load(SECOND_ARGUMENT),
          mask(TYPE_MASK),
          ...onlyAmong([SOCK_STREAM, SOCK_SEQPACKET], EPERM),
        ])
      : []),
    answer(ALLOW),
  ]
  return when(EQUAL, audit, section)
}

function onlyAmong(values: readonly number[], otherwise: number): readonly Buffer[] {
  return [...values.flatMap((value) => when(EQUAL, value, [answer(ALLOW)])), answer(otherwise)]
}

/** Codes of jumps that compare the accumulator with a constant. */
const EQUAL = 0x15
const AT_LEAST = 0x35
const HAS_BIT = 0x45

function when(comparison: number, value: number, then: readonly Buffer[]): readonly Buffer[] {
  return [instruction(comparison, value, then.length), ...then]
}

function load(offset: number): Buffer {
  return instruction(0x20, offset)
}

function mask(bits: number): Buffer {
  return instruction(0x54, bits)
}

function answer(value: number): Buffer {
  return instruction(0x06, value)
}

/** One `struct sock_filter`; a comparison that is false skips the next instructions. */
function instruction(code: number, value: number, skippedIfFalse = 0): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(0, 2)
  bytes.writeUInt8(skippedIfFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
