import { atPath, type Diagnostic } from '@davit/diagnostics'
import { describe } from '@davit/languages'
import type { Format } from '../format.ts'

export interface Header {
  /** What the document says that it is. */
  readonly document: unknown
  readonly version: unknown
}

/** Whether a document is the one that is expected; there is no sense in reading on when it is another. */
export function checkHeader(format: Format<unknown>, header: Header): Diagnostic | undefined {
  return checkName(format, header) ?? checkVersion(format, header)
}

function checkName(format: Format<unknown>, { document }: Header): Diagnostic | undefined {
  const { name, title, header, version } = format
  if (document === name || (document === undefined && header === 'optional')) return undefined
  if (document !== undefined) {
    return atPath(['document'], `expected ${title}, but this is ${describe(document)}`, hintFor(format, document))
  }
  const start = `{ "document": "${name}", "version": ${version}, ...`
  return atPath(
    [],
    `expected ${title}, but this does not say what it is: 'document' is missing`,
    `in JSON, ${title} begins with ${start}`,
  )
}

function checkVersion(format: Format<unknown>, { version }: Header): Diagnostic | undefined {
  if (version === format.version || (version === undefined && format.header === 'optional')) return undefined
  if (version === undefined) return atPath([], "'version' is missing")
  if (format.olderVersions?.some((older) => older.version === version) === true) return undefined
  const message = `this is version ${describe(version)} of ${format.title}: davit reads version ${readVersions(format)}`
  return atPath(
    ['version'],
    message,
    version === 1 ? 'it comes from an older toolset: make it again from its models' : undefined,
  )
}

function readVersions({ olderVersions = [], version }: Format<unknown>): string {
  const older = olderVersions.map((one) => one.version).toSorted((left, right) => left - right)
  return older.length === 0 ? String(version) : `${older.join(', ')} or ${version}`
}

/** What takes a document that is another one than was expected. */
function hintFor({ name }: Format<unknown>, document: unknown): string | undefined {
  return HINTS.get(`${name} ${String(document)}`) ?? HINTS.get(document)
}

const HINTS: ReadonlyMap<unknown, string> = new Map([
  ['architecture', 'davit-manifest makes a manifest of an architecture'],
  ['manifest', 'a manifest comes after the architecture: use it as it is, or begin from the models'],
  ['infrastructure', 'an infrastructure model is given with -i'],
  ['distributedderivation', 'a build model is given to davit-delegate-build with -B'],
  ['distributedderivation architecture', 'davit-delegate-build takes an architecture as it is, without -B'],
  ['distributedderivation manifest', 'what a manifest names is built already: davit-distribute comes next'],
  ['profilemanifest', 'a profile manifest concerns one target only'],
])
