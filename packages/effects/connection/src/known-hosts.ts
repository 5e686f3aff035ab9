import { createHmac } from 'node:crypto'

/** A line of a known_hosts file, as sshd(8) describes it. */
export interface KnownHost {
  readonly file: string
  readonly line: number
  readonly marker: 'revoked' | 'cert-authority' | undefined
  /** Comma-separated patterns, or one hashed name. */
  readonly names: string
  readonly keyType: string
  readonly key: Buffer
}

export type HostKeyVerdict =
  | { readonly kind: 'known' }
  /** No key of the host is known, but perhaps an authority that could vouch for it with a certificate. */
  | { readonly kind: 'unknown'; readonly authority: KnownHost | undefined }
  /** The host is known by other keys, of this type or another. */
  | { readonly kind: 'changed'; readonly entry: KnownHost; readonly name: string }
  | { readonly kind: 'revoked'; readonly entry: KnownHost }

/** Parses a known_hosts file. Like OpenSSH, it ignores lines that are not keys of protocol 2. */
export function parseKnownHosts(file: string, text: string): readonly KnownHost[] {
  return text.split('\n').flatMap((content, index) => {
    const entry = parseLine(content)
    return entry === undefined ? [] : [{ file, line: index + 1, ...entry }]
  })
}

/** Judges the key that a host sent. Names are looked up in order; the first known one decides. */
export function judgeHostKey(entries: readonly KnownHost[], names: readonly string[], key: Buffer): HostKeyVerdict {
  const marked = (marker: KnownHost['marker']): readonly KnownHost[] =>
    entries.filter((entry) => entry.marker === marker && names.some((name) => matches(entry, name)))
  const revoked = marked('revoked').find((entry) => entry.key.equals(key))
  if (revoked !== undefined) return { kind: 'revoked', entry: revoked }
  const { name, known } = knownAs(entries, names)
  if (known.some((entry) => entry.key.equals(key))) return { kind: 'known' }
  const other = known.find((entry) => entry.keyType === keyTypeOf(key)) ?? known[0]
  return other === undefined
    ? { kind: 'unknown', authority: marked('cert-authority')[0] }
    : { kind: 'changed', entry: other, name }
}

/** Returns the keys that a host is known by, and that are not revoked. */
export function goodKeys(entries: readonly KnownHost[], names: readonly string[]): readonly KnownHost[] {
  return knownAs(entries, names).known.filter(({ key }) => judgeHostKey(entries, names, key).kind === 'known')
}

/** Types of the keys that a host is known by. */
export function knownKeyTypes(entries: readonly KnownHost[], names: readonly string[]): ReadonlySet<string> {
  return new Set(knownAs(entries, names).known.map((entry) => entry.keyType))
}

/** Type of a public key, which is its first field in the format of RFC 4253, section 6.6. */
export function keyTypeOf(key: Buffer): string {
  return key.length < 4 ? '' : key.toString('latin1', 4, 4 + key.readUInt32BE(0))
}

/** Hashes a host name as HashKnownHosts does: a salted SHA-1. */
export function hashHostName(name: string, salt: Buffer): string {
  const digest = createHmac('sha1', salt).update(name).digest('base64')
  return `|1|${salt.toString('base64')}|${digest}`
}

function parseLine(content: string): Pick<KnownHost, 'marker' | 'names' | 'keyType' | 'key'> | undefined {
  const [, marker, names, keyType, encoded] =
    /^\s*(?:@(revoked|cert-authority)\s+)?([^\s#@]\S*)\s+(\S+)\s+([A-Za-z0-9+/=]+)(?:\s|$)/.exec(content) ?? []
  if (names === undefined || keyType === undefined || encoded === undefined) return undefined
  const key = Buffer.from(encoded, 'base64')
  if (keyTypeOf(key) !== keyType) return undefined
  return { marker: marker as KnownHost['marker'], names, keyType, key }
}

/** Returns the first known name, and its keys. */
function knownAs(
  entries: readonly KnownHost[],
  names: readonly string[],
): { readonly name: string; readonly known: readonly KnownHost[] } {
  for (const name of names) {
    const known = entries.filter((entry) => entry.marker === undefined && matches(entry, name))
    if (known.length > 0) return { name, known }
  }
  return { name: '', known: [] }
}

function matches({ names }: KnownHost, name: string): boolean {
  if (names.startsWith('|')) return matchesHash(names, name)
  const patterns = names.toLowerCase().split(',')
  const isMatch = (pattern: string): boolean => matchesPattern(name, pattern)
  const refused = patterns.some((pattern) => pattern.startsWith('!') && isMatch(pattern.slice(1)))
  return !refused && patterns.some((pattern) => !pattern.startsWith('!') && isMatch(pattern))
}

function matchesHash(hashed: string, name: string): boolean {
  const [, version, salt] = hashed.split('|')
  return version === '1' && salt !== undefined && hashHostName(name, Buffer.from(salt, 'base64')) === hashed
}

/** Matches `*` and `?`. The steps are at most the product of both lengths, however many stars there are. */
function matchesPattern(name: string, pattern: string): boolean {
  let [at, next, star, resume] = [0, 0, -1, 0]
  while (at < name.length) {
    if (pattern[next] === '*') {
      star = next
      next += 1
      resume = at
    } else if (pattern[next] === '?' || pattern[next] === name[at]) {
      at += 1
      next += 1
    } else if (star === -1) {
      return false
    } else {
      // The last star takes one more character.
      next = star + 1
      resume += 1
      at = resume
    }
  }
  return /^\**$/.test(pattern.slice(next))
}
