export interface TarBlock {
  readonly name: string
  /** POSIX type flag: '0' file, '1' hard link, '2' symbolic link, '3' device, '5' directory, 'x' pax header. */
  readonly type: string
  readonly content?: string
  readonly linkname?: string
  readonly mode?: number
  /** Size in the header, if not that of the content; a string is written as it is, in Latin 1. */
  readonly size?: number | string
  /** Checksum in the header, if not the right one. */
  readonly checksum?: number
}

/** Makes an archive without any checks, as an attacker would. */
export function tarOf(...blocks: readonly TarBlock[]): Buffer {
  return Buffer.concat([...blocks.map(encodeBlock), Buffer.alloc(1024)])
}

/** Returns a record of a pax header, with its length. */
export function pax(record: string): string {
  const rest = Buffer.byteLength(` ${record}\n`)
  const length = rest + String(rest + String(rest).length).length
  return `${length} ${record}\n`
}

/** Returns a copy of an archive in which everything that looks like a header has the right checksum. */
export function withChecksums(archive: Buffer): Buffer {
  const copy = Buffer.from(archive)
  for (let start = 0; start + 512 <= copy.length; start += 512) {
    const header = copy.subarray(start, start + 512)
    if (header.toString('latin1', 257, 262) === 'ustar') writeChecksum(header)
  }
  return copy
}

function encodeBlock({ name, type, content = '', linkname = '', mode = 0o644, size, checksum }: TarBlock): Buffer {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(512)
  header.write(name, 0, 100)
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100)
  header.write('0000000\0'.repeat(2), 108)
  header.write(typeof size === 'string' ? size : octal(size ?? bytes.length), 124, 12, 'latin1')
  header.write('00000000001\0', 136)
  header.write(type, 156)
  header.write(linkname, 157, 100)
  header.write('ustar\u000000', 257)
  writeChecksum(header, checksum)
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)])
}

function octal(size: number): string {
  return `${size.toString(8).padStart(11, '0')}\0`
}

function writeChecksum(header: Buffer, checksum?: number): void {
  header.write('        ', 148)
  const sum = checksum ?? header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
}
