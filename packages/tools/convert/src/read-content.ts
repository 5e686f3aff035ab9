import { atPath, DavitError, type Diagnostic, ExitStatus, type Path, type Place, type Report } from '@davit/diagnostics'
import { type Format, headOfXml, locateDocument, parseWholeDocument, statedInJson } from '@davit/documents'
import { invalidDocument, openSource } from '@davit/languages'
import { languageOf } from '@davit/models'
import type { Input, ToolContext } from '@davit/tool'
import type { Content } from './content.ts'
import { type Kind, kindOfDocument, KINDS, WITH_PACKAGES } from './kinds.ts'
import { explained } from './likeness.ts'

/** A manifest of version 1, which needs more than its text. */
export interface FirstVersion {
  readonly first: Input
}

/** Reads a document or model; `kind` is what the user says that it is. */
export async function readContent(
  context: ToolContext<unknown>,
  operand: string | undefined,
  kind: Kind | undefined,
): Promise<Content | FirstVersion> {
  const { report } = context
  const file = operand === '-' ? undefined : operand
  const language = file === undefined ? undefined : languageOf(file)
  if (file !== undefined && (language === 'script' || language === 'nix')) {
    const { fromProgram } = await import('./read-data.ts')
    return fromProgram(file, context, { kind, report })
  }
  return fromText(await context.readInput(file), { kind, report, isYaml: language === 'yaml' })
}

export interface Told {
  /** What the user says that it is. */
  readonly kind: Kind | undefined
  readonly report: Report
}

interface ToldOfText extends Told {
  /** Whether the name of the file says that it is YAML. */
  readonly isYaml: boolean
}

async function fromText(input: Input, { isYaml, ...told }: ToldOfText): Promise<Content | FirstVersion> {
  const start = /[^\s\uFEFF]/.exec(input.text)?.[0]
  if (start === undefined) throw emptyDocument(input)
  const read = isYaml ? undefined : READERS.get(start)
  if (read !== undefined) return read(input, told)
  if (isYaml || input.file === STANDARD_INPUT) return fromTree(input, 'yaml', told)
  throw unknownLanguage(input)
}

type Reader = (input: Input, told: Told) => Content | FirstVersion | Promise<Content>

/** Readers by the character that texts in their language begin with. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['<', fromXml],
  ['{', fromJson],
])

const STANDARD_INPUT = '<stdin>'

function fromXml(input: Input, { kind: wanted }: Told): Content | FirstVersion {
  const { name, version } = headOfXml(input.text)
  const stated = kindOfDocument(name)
  const kind = wanted ?? stated
  if (kind === undefined) throw unknownDocument(input, name)
  if (kind === KINDS.manifest && kind === stated && version === '1') return { first: input }
  return explained({ wanted, seen: stated }, () => {
    if (kind.format === undefined) throw wrongLanguage(kind)
    return fromDocument(input, kind.format, kind)
  })
}

function fromDocument({ text, file }: Input, format: Format<unknown>, kind: Kind): Content {
  const { value, ignored } = parseWholeDocument(format, text, { file })
  let known: ((path: Path) => Place | undefined) | undefined
  const placeOf = (path: Path) => (known ??= locateDocument(format, text, { file }))(path)
  return { kind, value, leftOut: ignored, placeOf }
}

function fromJson(input: Input, told: Told): Content | Promise<Content> {
  const stated = statedInJson(input.text)
  if (typeof stated !== 'string') return fromTree(input, 'json', told)
  const { kind: wanted } = told
  const seen = kindOfDocument(stated)
  const kind = wanted ?? seen
  if (kind === undefined) throw unknownDocument(input, stated)
  const { format } = kind
  if (format === undefined) return fromTree(input, 'json', told)
  return explained({ wanted, seen }, () => fromDocument(input, format, kind))
}

/** Reads what is no document as XML or JSON. What is needed for that takes time to load. */
async function fromTree(input: Input, language: 'yaml' | 'json', told: Told): Promise<Content> {
  return (await import('./read-data.ts')).fromTree(input, language, told)
}

function unknownDocument({ text, file }: Input, name: string): DavitError {
  const known = Object.values(KINDS).flatMap(({ format }) => (format === undefined ? [] : [`'${format.name}'`]))
  const place = openSource(text, { file }).placeAt(Math.max(0, text.indexOf(name)))
  const message = `there is no document '${name}': expected ${known.join(', ')}`
  const problem: Diagnostic = { ...atPath([], message), place }
  return invalidDocument(`cannot read '${file}'`, [problem])
}

function emptyDocument({ file }: Input): DavitError {
  return new DavitError('empty-document', `'${file}' is empty`, {
    exitStatus: ExitStatus.noInput,
    hint: 'in a pipe, the previous tool has probably failed: see its message above',
  })
}

function unknownLanguage({ file }: Input): DavitError {
  return new DavitError('unsupported-language', `cannot tell the language of '${file}'`, {
    exitStatus: ExitStatus.badDocument,
    hint: "XML begins with '<' and JSON with '{'; names of other files end in .yaml, .yml, .ts, .js or .nix",
  })
}

export function wrongLanguage({ name, title }: Kind): DavitError {
  return new DavitError('json-only', `${title} has no XML form`, {
    exitStatus: ExitStatus.usage,
    hint: WITH_PACKAGES.has(name) ? 'use json, yaml or typescript' : 'use json, yaml, typescript or nix',
  })
}
