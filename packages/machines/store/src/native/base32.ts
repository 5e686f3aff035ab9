/** Digits without e, o, u and t, so that words hardly appear by accident; the alphabet of Nix. */
export const BASE32_ALPHABET = '0123456789abcdfghijklmnpqrsvwxyz'

/** Encodes five bits a digit, the most significant ones first; the number of bits must be a multiple of five. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = ''
  let pending = 0
  let bits = 0
  for (const byte of bytes) {
    pending = (pending << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32_ALPHABET[(pending >> bits) & 31]
    }
    pending &= (1 << bits) - 1
  }
  return text
}
