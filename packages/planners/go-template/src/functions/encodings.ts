import { createHash } from 'node:crypto'
import { ActionFailure } from '../template-error.ts'
import { utf8Text } from '../utf8-text.ts'
import { readsCharacters } from './definition.ts'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function encodeBase32(bytes: Uint8Array): string {
  let [encoded, bits, count] = ['', 0, 0]
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff
    for (count += 8; count >= 5; count -= 5) encoded += DIGITS[(bits >> (count - 5)) & 31]
  }
  if (count > 0) encoded += DIGITS[(bits << (5 - count)) & 31]
  return encoded.padEnd(Math.ceil(encoded.length / 8) * 8, '=')
}

function decodeBase32(encoded: string): Uint8Array {
  if (!/^(?:[A-Z2-7]{8})*(?:[A-Z2-7]{2}={6}|[A-Z2-7]{4}={4}|[A-Z2-7]{5}={3}|[A-Z2-7]{7}=)?$/.test(encoded)) {
    throw new ActionFailure('the text is not base32', 'capitals and the digits 2 to 7, and = up to a multiple of 8')
  }
  const digits = encoded.replaceAll('=', '')
  const bytes = new Uint8Array(Math.floor((digits.length * 5) / 8))
  let [bits, count, at] = [0, 0, 0]
  for (const digit of digits) {
    bits = ((bits << 5) | DIGITS.indexOf(digit)) & 0xfff
    count += 5
    if (count < 8) continue
    count -= 8
    bytes[at] = (bits >> count) & 0xff
    at += 1
  }
  return bytes
}

function decodeBase64(encoded: string): Uint8Array {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded.replace(/[\r\n]/g, ''))) {
    throw new ActionFailure('the text is not base64')
  }
  return Buffer.from(encoded, 'base64')
}

function textOf(bytes: Uint8Array): string {
  const decoded = utf8Text(bytes)
  if (decoded === undefined) throw new ActionFailure('what is encoded is not text in UTF-8')
  return decoded
}

export const encodings = {
  b64enc: readsCharacters((value) => Buffer.from(value).toString('base64')),
  b64dec: readsCharacters((value) => textOf(decodeBase64(value))),
  b32enc: readsCharacters((value) => encodeBase32(Buffer.from(value))),
  b32dec: readsCharacters((value) => textOf(decodeBase32(value))),
  sha256sum: readsCharacters((value) => createHash('sha256').update(value).digest('hex')),
}
