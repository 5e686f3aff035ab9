import { type BoundValue, fileOfArgument, finding, type Instance, placeOfValue } from '@davit/stack'
import { textIn } from '../endpoints.ts'
import type { Draft, Emitting } from '../unit.ts'
import { dataOf } from '../values.ts'

/** A service with any module, as it says. */
export function emitService(leaf: Instance, emitting: Emitting): Draft | undefined {
  const found = packageOf(leaf, emitting)
  if (found === undefined) return undefined
  const attributes = dataOf(leaf.properties.get('attributes') ?? new Map<string, BoundValue>())
  const own = attributes as ReadonlyMap<string, unknown>
  const protocol = own.get('protocol')
  return {
    type: textIn(leaf, 'module') ?? '',
    protocol: typeof protocol === 'string' ? protocol : 'http',
    attributes: own,
    packageFor: () => found,
  }
}

function packageOf(leaf: Instance, emitting: Emitting): object | undefined {
  const [source, build] = [textIn(leaf, 'source'), leaf.properties.get('build')]
  if (source !== undefined && build === undefined) return sourceOf(leaf, source, emitting)
  if (source === undefined && build !== undefined) return buildOf(leaf, build, emitting)
  const message = `'${leaf.fqn}' has ${source === undefined ? 'no package' : 'two packages'}`
  const details = { place: placeOfValue(leaf, 'source'), message, hint: 'give it either `source` or `build`' }
  emitting.findings.push(finding('MU610', [leaf.fqn], details))
  return undefined
}

function sourceOf(leaf: Instance, source: string, emitting: Emitting): object | undefined {
  const path = emitting.sourceOf(leaf, 'source', source)
  return path === undefined ? undefined : { source: path }
}

/** Paths in a build are relative to the file in which it is written; models name them absolutely. */
function buildOf(leaf: Instance, build: BoundValue, emitting: Emitting): object | undefined {
  const file = fileOfArgument(leaf, 'build')
  let isWhole = true
  const absolute: Absolute = (text, ...path) => {
    const found = emitting.pathIn(file, text)
    if ('path' in found) return found.path
    isWhole = false
    const place = placeOfValue(leaf, 'build', ...path)
    emitting.findings.push(finding('MU103', [text], { place, hint: found.problem }))
    return text
  }
  const data = withPaths(dataOf(build), absolute)
  return isWhole ? { build: data } : undefined
}

/** Makes a path absolute; the keys lead to where it is in a build. */
type Absolute = (text: string, ...path: readonly string[]) => string

/** Makes the paths of a build and of its inputs absolute; its shape is checked by whoever reads the model. */
function withPaths(build: unknown, absolute: Absolute): unknown {
  const sourced = changedIn(build, 'sources', (source, key) => {
    const inner = below(absolute, 'sources', key)
    return typeof source === 'string' ? inner(source) : withSource(source, inner)
  })
  return changedIn(sourced, 'inputs', (input, key) => {
    const inner = below(absolute, 'inputs', key)
    return withSource(withBuild(input, inner), inner)
  })
}

function below(absolute: Absolute, ...keys: readonly string[]): Absolute {
  return (text, ...path) => absolute(text, ...keys, ...path)
}

function withSource(value: unknown, absolute: Absolute): unknown {
  if (!(value instanceof Map)) return value
  const table = value as ReadonlyMap<string, unknown>
  const source = table.get('source')
  return typeof source === 'string' ? new Map([...table, ['source', absolute(source, 'source')]]) : table
}

function withBuild(value: unknown, absolute: Absolute): unknown {
  if (!(value instanceof Map) || !value.has('build')) return value
  const build = withPaths(value.get('build'), below(absolute, 'build'))
  return new Map([...(value as ReadonlyMap<string, unknown>), ['build', build]])
}

/** Changes all members of a table in a table. */
function changedIn(value: unknown, name: string, change: (member: unknown, key: string) => unknown): unknown {
  const inner: unknown = value instanceof Map ? value.get(name) : undefined
  if (!(inner instanceof Map)) return value
  const members = [...(inner as ReadonlyMap<string, unknown>)].map(
    ([key, member]) => [key, change(member, key)] as const,
  )
  return new Map([...(value as ReadonlyMap<string, unknown>), [name, new Map(members)]])
}
