import { atPath, type Diagnostic } from '@davit/diagnostics'
import { describe } from '@davit/languages'
import type { Format } from '../format.ts'

export interface Header {
  /** Kind of document, as the document itself states it. */
  readonly document: unknown
  readonly version: unknown
}

/** Checks that a document has the expected kind and version; if not, reading on makes no sense. */
export function checkHeader(format: Format<unknown>, header: Header): Diagnostic | undefined {
  return checkName(format, header) ?? checkVersion(format, header)
}

function checkName(format: Format<unknown>, { document }: Header): Diagnostic | undefined {
  const { name, title, header, version } = format
  if (document === name || (document === undefined && header === 'optional')) return undefined
  if (document !== undefined) {
    return atPath(['document'], `expected ${title}, but got ${describe(document)}`, hintFor(format, document))
  }
  const start = `{ "document": "${name}", "version": ${version}, ...`
  const making = format.xml === undefined ? makingOf(format) : undefined
  const hint = making ?? `in JSON, ${title} begins with ${start}`
  return atPath([], `expected ${title}, but 'document' is missing`, hint)
}

function checkVersion(format: Format<unknown>, { version }: Header): Diagnostic | undefined {
  if (version === format.version || (version === undefined && format.header === 'optional')) return undefined
  if (version === undefined) return atPath([], "'version' is missing")
  if (format.olderVersions?.some((older) => older.version === version) === true) return undefined
  const message = `version ${describe(version)} of ${format.title} is not supported: davit reads version ${readVersions(format)}`
  return atPath(['version'], message, version === 1 ? hintForFirst(format) : undefined)
}

function hintForFirst({ name }: Format<unknown>): string {
  const byOlder = 'it was made by an older toolset'
  return name === 'manifest'
    ? `${byOlder}: convert it with davit-convert -i INFRASTRUCTURE --to xml`
    : `${byOlder}: make it again from its models`
}

function readVersions({ olderVersions = [], version }: Format<unknown>): string {
  const older = olderVersions.map((one) => one.version).toSorted((left, right) => left - right)
  return older.length === 0 ? String(version) : `${older.join(', ')} or ${version}`
}

/** Hint for a document of the wrong kind: which tool or option takes it, or makes the right one. */
function hintFor(format: Format<unknown>, document: unknown): string | undefined {
  const specific = HINTS.get(`${format.name} ${String(document)}`)
  return specific ?? (format.xml === undefined ? makingOf(format) : undefined) ?? HINTS.get(document)
}

/** Hint at the command that makes a document; undefined if none does. */
export function makingOf({ title, madeBy }: Format<unknown>): string | undefined {
  return madeBy === undefined ? undefined : `'${madeBy}' makes ${title}`
}

const HINTS: ReadonlyMap<unknown, string> = new Map([
  ['architecture', 'davit-manifest makes a manifest from an architecture'],
  ['manifest', 'a manifest is made from an architecture: use it as it is, or start from the models'],
  ['infrastructure', 'pass an infrastructure model with -i'],
  ['distributedderivation', 'pass a build model to davit-delegate-build with -B'],
  ['distributedderivation architecture', 'pass an architecture to davit-delegate-build without -B'],
  ['distributedderivation manifest', 'the packages of a manifest are already built: run davit-distribute next'],
  ['profilemanifest', 'a profile manifest concerns one target only'],
])
