import type { SshConfiguration } from './ssh-configuration.ts'

/** Bits of an RSA key in the format of RFC 4253, section 6.6; nothing for other keys. */
export function rsaSize(key: Buffer): number | undefined {
  const [type, , modulus] = fieldsOf(key)
  if (type?.toString('latin1') !== 'ssh-rsa' || modulus === undefined) return undefined
  const digits = modulus.toString('hex').replace(/^(00)+/, '')
  return digits === '' ? 0 : Math.ceil(digits.length / 2) * 8 - Math.clz32(Number.parseInt(digits.slice(0, 2), 16)) + 24
}

export function isSmall({ requiredRsaSize }: SshConfiguration, key: Buffer): boolean {
  const size = rsaSize(key)
  return size !== undefined && size < requiredRsaSize
}

function fieldsOf(key: Buffer): readonly Buffer[] {
  const fields: Buffer[] = []
  for (let at = 0; at + 4 <= key.length;) {
    const end = at + 4 + key.readUInt32BE(at)
    fields.push(key.subarray(at + 4, end))
    at = end
  }
  return fields
}
