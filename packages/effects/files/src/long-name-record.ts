const BLOCK = 512
const CHECKSUM_OFFSET = 148
const CHECKSUM_BYTES = 8

/**
 * GNU tar's record that gives the next entry a name ('L') or link target ('K') of any length and in any characters;
 * busybox understands it, whereas it ignores pax headers.
 */
export function longNameRecord(type: 'L' | 'K', text: string): Buffer {
  const content = Buffer.from(`${text}\0`)
  const record = Buffer.alloc(BLOCK + Math.ceil(content.length / BLOCK) * BLOCK)
  record.write('././@LongLink', 0)
  record.write('0000644\0', 100)
  record.write('0000000\0', 108)
  record.write('0000000\0', 116)
  record.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  record.write('00000000000\0', 136)
  record.write(type, 156)
  record.write('ustar  \0', 257)
  record.fill(' ', CHECKSUM_OFFSET, CHECKSUM_OFFSET + CHECKSUM_BYTES)
  const sum = record.subarray(0, BLOCK).reduce((total, byte) => total + byte, 0)
  record.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM_OFFSET)
  content.copy(record, BLOCK)
  return record
}
