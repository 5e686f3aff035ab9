import { atPath, type Diagnostic, type Path, quoted, suggestionFor } from '@davit/diagnostics'
import { describe } from '@davit/languages'
import type { ManifestService } from '../manifest-service.ts'
import type { Properties, PropertyValue } from '../property.ts'
import { isSecret, SECRET } from '../secret.ts'
import type { Target } from '../infrastructure.ts'

/** Names of the kinds of references, as in models. */
const KINDS = ['file', 'env', 'command'] as const
const FORMS = '{ file: PATH }, { env: NAME } or { command: [PROGRAM, ARGUMENT, ...] }'
/** Paths of Nix are no data, and so left out. */
const EMPTY_HINT =
  'in the Nix language, write paths in quotes, since Nix would copy files of other paths into its store'
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Finds secrets in the containers of targets that are not as they should be. */
export function checkTargetSecrets(
  targets: ReadonlyMap<string, Pick<Target, 'containers'>>,
  path: Path = [],
): Diagnostic[] {
  const found: Diagnostic[] = []
  for (const [name, { containers }] of targets)
    if (containers.size > 0) found.push(...checkContainers(containers, [...path, name, 'containers']))
  return found
}

/** Finds secrets in the containers that services provide that are not as they should be. */
export function checkServiceSecrets(
  services: ReadonlyMap<string, Pick<ManifestService, 'providesContainers'>>,
  path: Path = ['services'],
): Diagnostic[] {
  const found: Diagnostic[] = []
  for (const [name, { providesContainers }] of services)
    if (providesContainers.size > 0)
      found.push(...checkContainers(providesContainers, [...path, name, 'providesContainers']))
  return found
}

function checkContainers(containers: ReadonlyMap<string, Properties>, path: Path): Diagnostic[] {
  return [...containers].flatMap(([name, properties]) =>
    secretProblems(properties, [...path, name]).map((one) => atPath(one.path, one.message, one.hint)),
  )
}

export interface SecretProblem {
  readonly path: Path
  readonly message: string
  readonly hint?: string
}

/** Finds secrets among the properties of a container that are not as they should be. */
export function secretProblems(properties: Properties, path: Path = []): readonly SecretProblem[] {
  return [...properties].flatMap(([name, value]) =>
    typeof value === 'object' ? problemsIn(value, [...path, name]) : [],
  )
}

function problemsIn(value: PropertyValue, path: Path): readonly SecretProblem[] {
  if (Array.isArray(value)) return value.flatMap((member: PropertyValue, index) => problemsIn(member, [...path, index]))
  if (!(value instanceof Map)) return []
  if (!isSecret(value)) return secretProblems(value, path)
  const others = [...value.keys()].filter((name) => name !== SECRET)
  const source = value.get(SECRET) as PropertyValue
  return [
    ...others.map((name) => ({
      path: [...path, name],
      message: `a property with 'secret' has no other member, but this one has ${quoted(name)}`,
      hint: `write only { secret: ... }, with ${FORMS}`,
    })),
    ...sourceProblems(source, [...path, SECRET]),
  ]
}

function sourceProblems(source: PropertyValue, path: Path): readonly SecretProblem[] {
  const expected = `expected ${FORMS}`
  if (!(source instanceof Map)) return [{ path, message: `${expected}, but got ${described(source)}` }]
  const members = [...(source as Properties)]
  const unknown = members.filter(([name]) => !KINDS.some((kind) => kind === name))
  if (unknown.length > 0)
    return unknown.map(([name]) => {
      const hint = suggestionFor(name, KINDS)
      const message = `a secret has no member ${quoted(name)}: ${expected}`
      return { path: [...path, name], message, ...(hint === undefined ? {} : { hint }) }
    })
  const [[kind, where] = [], ...more] = members
  if (kind === undefined || where === undefined)
    return [{ path, message: `${expected}, but got an empty table`, hint: EMPTY_HINT }]
  if (more.length > 0) {
    const names = members.map(([name]) => `'${name}'`).join(' and ')
    return [{ path, message: `expected exactly one of 'file', 'env' and 'command', but got ${names}` }]
  }
  const problem = CHECKS[kind as (typeof KINDS)[number]](where)
  return problem === undefined ? [] : [{ path: [...path, kind], message: `${problem}, but got ${described(where)}` }]
}

const CHECKS: Readonly<Record<(typeof KINDS)[number], (where: PropertyValue) => string | undefined>> = {
  file: (where) =>
    typeof where === 'string' && where.startsWith('/') ? undefined : 'expected the absolute path of a file',
  env: (where) =>
    typeof where === 'string' && VARIABLE.test(where) ? undefined : 'expected the name of an environment variable',
  command: (where) =>
    (typeof where === 'string' && where.trim() !== '') || isProgram(where)
      ? undefined
      : "expected a program with its arguments, as a list of texts, or a command for 'sh', as text",
}

function isProgram(where: PropertyValue): boolean {
  if (!Array.isArray(where)) return false
  const words: readonly PropertyValue[] = where
  return words.length > 0 && words[0] !== '' && words.every((word) => typeof word === 'string')
}

function described(value: PropertyValue): string {
  return value instanceof Map ? 'a table' : describe(value)
}
