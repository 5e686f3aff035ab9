import { atPath, type Diagnostic } from '@davit/diagnostics'
import type { Format } from './format.ts'
import { describe } from './issue.ts'

export interface Header {
  /** What the document says that it is. */
  readonly document: unknown
  readonly version: unknown
}

/** Whether a document is the one that is expected; there is no sense in reading on when it is another. */
export function checkHeader(format: Format<unknown>, { document, version }: Header): readonly Diagnostic[] {
  if (document === undefined && format.header === 'required') {
    return [atPath([], `expected a ${format.title}, but it does not say what it is: 'document' is missing`)]
  }
  if (document !== undefined && document !== format.name) {
    return [atPath(['document'], `expected a ${format.title}, but this is ${describe(document)}`, HINTS.get(document))]
  }
  if (version === undefined && format.header === 'required') return [atPath([], "'version' is missing")]
  if (version === undefined || version === format.version) return []
  const message = `this is version ${describe(version)} of a ${format.title}: davit reads version ${format.version}`
  return [atPath(['version'], message, version === 1 ? 'it must be converted first' : 'a newer davit may read it')]
}

const HINTS: ReadonlyMap<unknown, string> = new Map([
  ['architecture', 'davit-manifest makes a manifest of an architecture'],
  ['manifest', 'a manifest comes after the architecture: use it as it is, or begin from the models'],
  ['profilemanifest', 'a profile manifest concerns one target only'],
])
