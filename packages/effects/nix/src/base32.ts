/** Digits without e, o, u and t. */
const ALPHABET = '0123456789abcdfghijklmnpqrsvwxyz'

/** Encodes bytes as Nix writes digests: five bits a digit, the last byte first. */
export function nixBase32(bytes: Uint8Array): string {
  let text = ''
  for (let digit = Math.ceil((bytes.length * 8) / 5) - 1; digit >= 0; digit -= 1) {
    const index = Math.floor((digit * 5) / 8)
    const shift = (digit * 5) % 8
    const pair = (bytes[index] ?? 0) | ((bytes[index + 1] ?? 0) << 8)
    text += ALPHABET[(pair >> shift) & 31]
  }
  return text
}
