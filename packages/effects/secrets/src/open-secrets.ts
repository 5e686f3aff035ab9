import { DavitError } from '@davit/diagnostics'
import type { SecretReference } from '@davit/documents'

import { hiddenOf, redacted, withoutParts } from './redact.ts'
import { readSecret, type SecretReading } from './read-secret.ts'

/** Resolves references to secrets, each once. */
export interface Secrets {
  /**
   * Returns the value; rejects with a DavitError `secret-unresolved`, whose message is only the reason. Resolves only what is trusted:
   * records of machines contain references too, and a machine may be hostile.
   */
  resolve(reference: SecretReference): Promise<string>
  /** From now on, resolves these as well, which models have. */
  trust(references: readonly SecretReference[]): void
  /** The same for one machine, which gets the values of these references only. */
  limitedTo(references: readonly SecretReference[], withheld?: WithheldSecrets): Secrets
  /** Replaces the values that were resolved so far where they occur in a text. */
  redact(text: string): string
  /** The same for the end of a log, which may stop within a value; if it has `limit` bytes, it is cut off, and may begin within one. */
  redactTail(text: string, limit: number): string
}

/** Secrets to which documents refer, and that a machine does not get all the same. */
export interface WithheldSecrets {
  readonly references: readonly SecretReference[]
  readonly reason: string
}

/** Values that were resolved in this run; steps of a run share it. */
export type SecretMemory = Map<string, Promise<string>>

export function secretMemory(): SecretMemory {
  return new Map()
}

export function openSecrets(reading: SecretReading, memory: SecretMemory = secretMemory()): Secrets {
  const values = new Set<string>()
  const trusted = new Set<string>()
  const secrets: Secrets = {
    async resolve(reference) {
      const key = JSON.stringify(reference)
      if (!trusted.has(key)) throw strange()
      const known = memory.get(key) ?? readSecret(reference, reading)
      memory.set(key, known)
      // What failed may be there the next time.
      known.catch(() => memory.delete(key))
      const value = await known
      values.add(value)
      return value
    },
    trust(references) {
      for (const one of references) trusted.add(JSON.stringify(one))
    },
    limitedTo: (references, withheld) => limited(secrets, references, withheld),
    redact: (text) => redacted(text, hiddenOf(values)),
    redactTail: (text, limit) => redacted(withoutParts(text, { limit, values: hiddenOf(values) }), hiddenOf(values)),
  }
  return secrets
}

function limited(secrets: Secrets, references: readonly SecretReference[], withheld?: WithheldSecrets): Secrets {
  const own = new Set(references.map((one) => JSON.stringify(one)))
  return {
    ...secrets,
    async resolve(reference) {
      if (!own.has(JSON.stringify(reference))) throw strange(reasonFor(reference, withheld))
      return secrets.resolve(reference)
    },
  }
}

function reasonFor(reference: SecretReference, withheld: WithheldSecrets | undefined): string | undefined {
  const key = JSON.stringify(reference)
  return withheld?.references.some((one) => JSON.stringify(one) === key) === true ? withheld.reason : undefined
}

function strange(reason = 'neither the models nor the last deployment refer to it on this machine'): DavitError {
  return new DavitError('secret-unresolved', reason)
}

/** For those who call modules without secrets. */
export const NO_SECRETS: Secrets = {
  resolve: async () => {
    throw new DavitError('secret-unresolved', 'secrets are not resolved here')
  },
  trust: () => {},
  limitedTo: () => NO_SECRETS,
  redact: (text) => text,
  redactTail: (text) => text,
}
