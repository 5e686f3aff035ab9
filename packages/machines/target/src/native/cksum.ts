/** The checksum of POSIX `cksum`: CRC with the polynomial 0x04C11DB7, most significant bit first, the length appended. */
export class CksumSum {
  #crc = 0
  #length = 0

  update(chunk: Uint8Array): void {
    let crc = this.#crc
    const [t0, t1, t2, t3] = TABLES
    const whole = chunk.length - (chunk.length % 4)
    let index = 0
    for (; index < whole; index += 4) {
      crc ^=
        (byteAt(chunk, index) << 24) |
        (byteAt(chunk, index + 1) << 16) |
        (byteAt(chunk, index + 2) << 8) |
        byteAt(chunk, index + 3)
      crc = entry(t3, crc >>> 24) ^ entry(t2, (crc >>> 16) & 255) ^ entry(t1, (crc >>> 8) & 255) ^ entry(t0, crc & 255)
    }
    for (; index < chunk.length; index += 1) crc = step(crc, byteAt(chunk, index))
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

/** Slicing by four: table n contains the effect of a byte that is followed by n more. */
const TABLES = makeTables()

function makeTables(): readonly [Int32Array, Int32Array, Int32Array, Int32Array] {
  const tables = [new Int32Array(256), new Int32Array(256), new Int32Array(256), new Int32Array(256)] as const
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte << 24
    for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1
    tables[0][byte] = crc
  }
  for (let byte = 0; byte < 256; byte += 1) {
    for (let table = 1; table < 4; table += 1) {
      const before = entry(tables[(table - 1) as 0 | 1 | 2], byte)
      tables[table as 1 | 2 | 3][byte] = (before << 8) ^ entry(tables[0], before >>> 24)
    }
  }
  return tables
}

function step(crc: number, byte: number): number {
  return (crc << 8) ^ entry(TABLES[0], ((crc >>> 24) ^ byte) & 255)
}

function entry(table: Int32Array, index: number): number {
  return table[index] ?? 0
}

function byteAt(chunk: Uint8Array, index: number): number {
  return chunk[index] ?? 0
}
