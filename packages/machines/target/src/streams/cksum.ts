/** The checksum of POSIX `cksum`: CRC with the polynomial 0x04C11DB7, most significant bit first, the length appended. */
export class CksumSum {
  #crc = 0
  #length = 0

  update(chunk: Uint8Array): void {
    const whole = chunk.length - (chunk.length % 8)
    let crc = eightAtATime(this.#crc, chunk, whole)
    for (let index = whole; index < chunk.length; index += 1) crc = step(crc, byteAt(chunk, index))
    this.#crc = crc
    this.#length += chunk.length
  }

  /** Returns the checksum in decimal, as `cksum` prints it. */
  digest(): string {
    let crc = this.#crc
    for (let length = this.#length; length > 0; length = Math.floor(length / 256)) crc = step(crc, length % 256)
    return String(~crc >>> 0)
  }
}

/** Slicing by eight: part n of the table, of 256 entries, contains the effect of a byte that is followed by n more. */
const TABLE = makeTable()

function makeTable(): Int32Array {
  const table = new Int32Array(8 * 256)
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte << 24
    for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1
    table[byte] = crc
  }
  for (let index = 256; index < table.length; index += 1) {
    const before = table[index - 256] ?? 0
    table[index] = (before << 8) ^ (table[before >>> 24] ?? 0)
  }
  return table
}

function eightAtATime(before: number, chunk: Uint8Array, length: number): number {
  let crc = before
  for (let index = 0; index < length; index += 8) {
    crc =
      effect(7, byteAt(chunk, index) ^ (crc >>> 24)) ^
      effect(6, byteAt(chunk, index + 1) ^ ((crc >>> 16) & 255)) ^
      effect(5, byteAt(chunk, index + 2) ^ ((crc >>> 8) & 255)) ^
      effect(4, byteAt(chunk, index + 3) ^ (crc & 255)) ^
      effect(3, byteAt(chunk, index + 4)) ^
      effect(2, byteAt(chunk, index + 5)) ^
      effect(1, byteAt(chunk, index + 6)) ^
      effect(0, byteAt(chunk, index + 7))
  }
  return crc
}

function step(crc: number, byte: number): number {
  return (crc << 8) ^ effect(0, (crc >>> 24) ^ byte)
}

/** Returns the effect of a byte that is followed by so many more. */
function effect(followers: number, byte: number): number {
  return TABLE[followers * 256 + byte] ?? 0
}

function byteAt(chunk: Uint8Array, index: number): number {
  return chunk[index] ?? 0
}
