import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, string, number, { readonly N: number }, Buffer>(scrypt)

const COST = 4096
const BYTES = 32
const DIGEST = /^scrypt:4096:([0-9a-f]{32}):([0-9a-f]{64})$/

/** Salt of this process: equal values have equal digests within a run, which so computes each only once. */
const salt = randomBytes(16).toString('hex')
const computed = new Map<string, Promise<Buffer>>()

/** Returns a salted digest, which tells whether a secret has changed, and is costly to try values with. */
export async function digestOf(text: string): Promise<string> {
  return `scrypt:${COST}:${salt}:${(await derived(text, salt)).toString('hex')}`
}

/** Whether a digest, which may come from outside, is of this text. */
export async function isDigestOf(digest: string, text: string): Promise<boolean> {
  const [, itsSalt, expected] = DIGEST.exec(digest) ?? []
  if (itsSalt === undefined || expected === undefined) return false
  return timingSafeEqual(await derived(text, itsSalt), Buffer.from(expected, 'hex'))
}

function derived(text: string, itsSalt: string): Promise<Buffer> {
  const key = `${itsSalt}:${text}`
  const known = computed.get(key) ?? derive(text, itsSalt, BYTES, { N: COST })
  computed.set(key, known)
  return known
}
