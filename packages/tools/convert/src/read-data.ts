import { DavitError, ExitStatus, type Path, type Place } from '@davit/diagnostics'
import { validateWholeDocument } from '@davit/documents'
import { type Data, parseData } from '@davit/languages'
import { loadPlainData, type PlainData } from '@davit/models'
import type { Input, ToolContext } from '@davit/tool'
import type { Content } from './content.ts'
import { kindOfData } from './kind-of-data.ts'
import { isTable, type Kind, kindOfDocument } from './kinds.ts'
import { explained } from './likeness.ts'
import type { Told } from './read-content.ts'
import { withStoredPackages } from './stored-packages.ts'
import { warnOfLikeness } from './warn-of-likeness.ts'

/** Evaluates a program in TypeScript, JavaScript or the Nix language. */
export async function fromProgram(
  file: string,
  { environment, signal, report }: ToolContext<unknown>,
  told: Told,
): Promise<Content> {
  return fromData(await loadPlainData(file, { environment, signal, report }), file, told)
}

/** Reads a text whose language is not that of documents, or that does not state what it is. */
export function fromTree({ text, file }: Input, language: 'yaml' | 'json', told: Told): Content {
  const { value, placeOf, placeOfKey } = parseData(text, { file, language })
  return fromData({ data: value, leftOut: [], placeOf, placeOfKey }, file, told)
}

interface LocatedData extends PlainData {
  placeOfKey?(path: Path): Place
}

function fromData(located: LocatedData, file: string, { kind: wanted, report }: Told): Content {
  const { data, leftOut, placeOf } = located
  const stated = statedKind(data)
  const seen = stated ?? kindOfData(data)
  const kind = wanted ?? seen
  if (kind === undefined) throw unknownKind(file)
  const { format } = kind
  const likeness = { wanted, seen }
  if (format === undefined) {
    warnOfLikeness(data, { ...likeness, file, report })
    return { kind, value: withStoredPackages(kind.name, data), leftOut, placeOf }
  }
  const field = stated === undefined ? undefined : format.jsonField
  const inner = field === undefined ? located : within(located, field)
  const { value, ignored } = explained(likeness, () => validateWholeDocument(format, inner.data, { file, ...inner }))
  warnOfLikeness(data, { ...likeness, file, report })
  return { kind, value, leftOut: [...leftOut, ...ignored], placeOf: inner.placeOf }
}

/** Returns the kind that data state, as documents do in JSON. */
function statedKind(data: Data): Kind | undefined {
  return isTable(data) && typeof data.get('version') === 'number' ? kindOfDocument(data.get('document')) : undefined
}

/** Returns a member of data with its places. */
function within({ data, placeOf, placeOfKey = placeOf }: LocatedData, field: string) {
  return {
    data: isTable(data) ? data.get(field) : data,
    placeOf: (path: Path) => placeOf([field, ...path]),
    placeOfKey: (path: Path) => placeOfKey([field, ...path]),
  }
}

function unknownKind(file: string): DavitError {
  return new DavitError('unknown-kind', `cannot tell what '${file}' contains`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'say it with --kind: manifest, infrastructure, services, distribution, …',
  })
}
