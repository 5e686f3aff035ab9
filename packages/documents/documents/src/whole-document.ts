import type { Finding, Path } from '@davit/diagnostics'
import { Float, type ParseOptions } from '@davit/languages'
import { readDocument, validateDocument, type ValidateOptions, valueOf } from './document.ts'
import { type Format, ignoredOf } from './format.ts'

/** A document, and what its text contains beyond its value. */
export interface WholeDocument<Value> {
  readonly value: Value
  /** Elements, attributes and fields that readers ignore, with their places. */
  readonly ignored: readonly Finding[]
}

/** Parses a document like `parseDocument`; also returns what it ignores. */
export function parseWholeDocument<Value>(
  format: Format<Value>,
  text: string,
  { file }: ParseOptions,
): WholeDocument<Value> {
  const reading = readDocument(format, text, file)
  const value = valueOf(format, reading, file)
  // Readers of XML record themselves what they ignore.
  const paths = reading.isComplete === true ? [] : pathsBeyond(value, reading.content?.data).filter(isMeant(format))
  const placeOf = paths.length === 0 ? undefined : reading.locate()
  const ignored = paths.map((path) => {
    const place = placeOf?.(path, 'key')
    return { ...ignoredOf(path, String(path.at(-1)), format), ...(place === undefined ? {} : { place }) }
  })
  return { value, ignored: [...(reading.ignored?.() ?? []), ...ignored] }
}

/** Validates data like `validateDocument`; also returns what it ignores. */
export function validateWholeDocument<Value>(
  format: Format<Value>,
  data: unknown,
  options: ValidateOptions,
): WholeDocument<Value> {
  const value = validateDocument(format, data, options)
  const ignored = pathsBeyond(value, data)
    .filter(isMeant(format))
    .map((path) => ({
      ...ignoredOf(path, String(path.at(-1)), format),
      place: options.placeOfKey?.(path) ?? { file: options.file },
    }))
  return { value, ignored }
}

/** The header is part of the document, but not of its value. */
function isMeant({ jsonField }: Format<unknown>): (path: Path) => boolean {
  return ([name, ...inner]) => jsonField !== undefined || inner.length > 0 || !HEADER.has(name)
}

const HEADER: ReadonlySet<unknown> = new Set(['document', 'version'])

/** Finds the paths of members of data that a value does not have. */
function pathsBeyond(value: unknown, data: unknown): readonly Path[] {
  if (!isContainer(data)) return []
  const found: Path[] = []
  for (const step of stepsOf(data)) {
    const member = memberOf(data, step)
    const counterpart = memberOf(value, step)
    if (counterpart === undefined && member !== undefined) found.push([step])
    else if (isContainer(member)) for (const inner of pathsBeyond(counterpart, member)) found.push([step, ...inner])
  }
  return found
}

function isContainer(data: unknown): data is object {
  return typeof data === 'object' && data !== null && !(data instanceof Float)
}

function stepsOf(data: object): Iterable<string | number> {
  if (Array.isArray(data)) return data.keys()
  return data instanceof Map ? (data as ReadonlyMap<string, unknown>).keys() : Object.keys(data)
}

function memberOf(value: unknown, step: string | number): unknown {
  if (value instanceof Map) return (value as ReadonlyMap<unknown, unknown>).get(step)
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Record<string | number, unknown>)[step]
    : undefined
}
