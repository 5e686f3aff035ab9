import type { StorePath, System } from '@davit/documents'

/** What the store knows about a valid path. */
export interface Registration {
  readonly path: StorePath
  /** `sha256:` and the digest, in hexadecimal, of the canonical form of the tree. */
  readonly contentHash: string
  /** Bytes of that form: about what the tree takes on disk and on the wire. */
  readonly size: number
  /** Paths that must be valid wherever this one is, sorted; itself included if it contains its own path. */
  readonly references: readonly StorePath[]
  /** The derivation that it was built from. */
  readonly deriver?: StorePath
  /** The platform that it was built for. */
  readonly system?: System
}

export function encodeRegistration(registration: Registration): string {
  const { path, contentHash, size, references, deriver, system } = registration
  const fields = { document: 'registration', version: 1, path, contentHash, size, references, deriver, system }
  return `${JSON.stringify(fields)}\n`
}

/** Parses the registration of a path; nothing if the text is not one, so that the path is not valid and will be made again. */
export function parseRegistration(text: string, path: StorePath): Registration | undefined {
  const value = parseJson(text)
  if (!isRegistration(value) || value.path !== path) return undefined
  const { contentHash, size, references, deriver, system } = value
  return {
    path,
    contentHash,
    size,
    references,
    ...(deriver === undefined ? {} : { deriver }),
    ...(system === undefined ? {} : { system }),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRegistration(value: unknown): value is Registration {
  if (typeof value !== 'object' || value === null) return false
  const { version, contentHash, size, references, deriver = '', system = '' } = value as Record<string, unknown>
  return (
    version === 1 &&
    Number.isSafeInteger(size) &&
    Array.isArray(references) &&
    [contentHash, deriver, system, ...references].every((text) => typeof text === 'string')
  )
}
