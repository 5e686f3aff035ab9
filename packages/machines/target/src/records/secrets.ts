import { DavitError, type Diagnostic, ExitStatus, hasCode, quoted } from '@davit/diagnostics'
import { type Mapping, renderSecret, type SecretReference, type SecretText } from '@davit/documents'
import { digestOf, type Secrets } from '@davit/secrets'
import { encodeField } from '@davit/target-runtime'

import type { ActivityDefinition } from './activity.ts'

/** A definition whose secrets have the digests of their present values, and these values. */
export interface ResolvedDefinition {
  readonly definition: ActivityDefinition
  readonly values: ReadonlyMap<string, string>
}

/** Resolves the secrets of a definition. Rejects with `secret-unresolved`, and a diagnostic for each that cannot be resolved. */
export async function resolvedDefinition(
  mapping: Mapping,
  definition: ActivityDefinition,
  secrets: Secrets,
): Promise<ResolvedDefinition> {
  const values = await valuesOf(mapping, definition, secrets)
  if (definition.secrets === undefined) return { definition, values }
  const digested = [...definition.secrets].map(
    async ([name, { text }]) => [name, { text, digest: await digestOf(values.get(name) ?? '') }] as const,
  )
  return { definition: { ...definition, secrets: new Map(await Promise.all(digested)) }, values }
}

/** A mapping whose module is to be called, and what is known of it. */
export interface SecretNeed {
  readonly mapping: Mapping
  readonly definition?: ActivityDefinition | undefined
}

export interface MachineNeed extends SecretNeed {
  /** Those of the machine on which the module is called. */
  readonly secrets: Secrets
}

/** Resolves all secrets, so that none is missing later; rejects with `secret-unresolved`, which names all that cannot be resolved. */
export async function resolveSecrets(needs: readonly MachineNeed[]): Promise<void> {
  const problems: Diagnostic[] = []
  for (const { mapping, definition, secrets } of needs) {
    try {
      if (definition !== undefined) await valuesOf(mapping, definition, secrets)
    } catch (error) {
      if (!isUnresolved(error)) throw error
      problems.push(...error.diagnostics)
    }
  }
  const once = new Map(problems.map((problem) => [problem.message, problem]))
  if (once.size > 0) throw unresolved([...once.values()])
}

/** Says which secrets of a mapping cannot be resolved, and why. */
export async function unresolvedOf({ mapping, definition }: SecretNeed, secrets: Secrets): Promise<readonly string[]> {
  try {
    if (definition !== undefined) await valuesOf(mapping, definition, secrets)
    return []
  } catch (error) {
    if (!isUnresolved(error)) throw error
    return error.diagnostics.map(({ message }) => message)
  }
}

/** Values of the secret properties of a mapping, by their names. */
export async function valuesOf(
  mapping: Mapping,
  definition: ActivityDefinition,
  secrets: Secrets,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>()
  const problems: Diagnostic[] = []
  for (const [name, { text }] of definition.secrets ?? []) {
    try {
      values.set(name, await valueOf(name, text, secrets))
    } catch (error) {
      if (!(error instanceof UnresolvedSecret)) throw error
      problems.push({ severity: 'error', message: messageOf(name, { mapping, definition, error }) })
    }
  }
  if (problems.length > 0) throw unresolved(problems)
  return values
}

/** The kernel's limit for one string of an environment, without the terminating zero byte. */
const MAX_VARIABLE_BYTES = 131_071

async function valueOf(name: string, text: SecretText, secrets: Secrets): Promise<string> {
  const parts: string[] = []
  for (const part of text) parts.push(typeof part === 'string' ? part : await resolved(part, secrets))
  const value = parts.join(' ')
  if (Buffer.byteLength(`${name}=${value}`) <= MAX_VARIABLE_BYTES) return value
  const [reference] = text.filter((part) => typeof part !== 'string')
  throw new UnresolvedSecret(reference, `name=value may have at most ${MAX_VARIABLE_BYTES} bytes`)
}

async function resolved(reference: SecretReference, secrets: Secrets): Promise<string> {
  try {
    return await secrets.resolve(reference)
  } catch (error) {
    if (!isUnresolved(error)) throw error
    throw new UnresolvedSecret(reference, error.message)
  }
}

/** Whether secrets could not be resolved, so that nothing was begun. */
export function isUnresolved(error: unknown): error is DavitError {
  return hasCode(error, 'secret-unresolved')
}

/** What could not be resolved, and why, in one text. */
export function reasonsOf({ diagnostics, message }: DavitError): string {
  return diagnostics.length === 0 ? message : diagnostics.map((one) => one.message).join('; ')
}

class UnresolvedSecret extends Error {
  readonly reference: SecretReference | undefined

  constructor(reference: SecretReference | undefined, reason: string) {
    super(reason)
    this.reference = reference
  }
}

interface Unresolved extends SecretNeed {
  readonly definition: ActivityDefinition
  readonly error: UnresolvedSecret
}

function messageOf(name: string, { mapping, definition, error }: Unresolved): string {
  const { target, container } = mapping
  const where = error.reference === undefined ? '' : ` from ${renderSecret(error.reference)}`
  const property = `property ${quoted(name)} of container '${container}' on '${target}'`
  return `${property}, which '${definition.service.name}' needs, cannot be resolved${where}: ${error.message}`
}

function unresolved(diagnostics: readonly Diagnostic[]): DavitError {
  const what = diagnostics.length === 1 ? 'a secret' : `${diagnostics.length} secrets`
  return new DavitError('secret-unresolved', `${what} cannot be resolved`, {
    exitStatus: ExitStatus.noInput,
    diagnostics,
    hint: 'secrets are resolved on this machine; what a record of a target refers to must be there until its service is stopped',
  })
}

/** Fields of a request that have the values of secrets, and no record. */
export function secretFields({ values }: ResolvedDefinition): readonly string[] {
  return [...values].flatMap(([name, value]) => ['-secret', name, encodeField(value)])
}
