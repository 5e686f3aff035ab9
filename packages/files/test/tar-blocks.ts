export interface TarBlock {
  readonly name: string
  /** POSIX type flag: '0' file, '1' hard link, '2' symbolic link, '3' device, '5' directory, 'x' pax header. */
  readonly type: string
  readonly content?: string
  readonly linkname?: string
  readonly mode?: number
  /** What the header says, when it lies about the content. */
  readonly size?: number
}

/** An archive as an attacker would write it: nothing is checked. */
export function tarOf(...blocks: readonly TarBlock[]): Buffer {
  return Buffer.concat([...blocks.map(encodeBlock), Buffer.alloc(1024)])
}

function encodeBlock({ name, type, content = '', linkname = '', mode = 0o644, size }: TarBlock): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100)
  header.write('0000000\0'.repeat(2), 108)
  header.write(`${(size ?? content.length).toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000001\0', 136)
  header.write('        ', 148)
  header.write(type, 156)
  header.write(linkname, 157)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)])
}
