import { parseWritten, type Written, type WrittenReading } from '@davit/languages'

/** Members of a stack file that are known before its template is expanded. */
export const METADATA: ReadonlySet<string> = new Set(['name', 'version', 'description', 'author', 'website', 'license'])

/** The same, and the base, by which stacks that nobody instantiates are compared. */
export const STATED: ReadonlySet<string> = new Set([...METADATA, 'base'])

/** Returns the metadata that a stack file states without templates, each as it is written. */
export function scanMetadata(text: string, language: 'json' | 'yaml'): ReadonlyMap<string, string> {
  return scanTexts(text, language, METADATA)
}

/** Returns these members of the outermost table, as far as they are scalars without templates. */
export function scanTexts(
  text: string,
  language: 'json' | 'yaml',
  keys: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  return textsOf(scanPlaced(text, language, keys))
}

/** Returns these members of the outermost table of what was read, as far as they are scalars. */
export function textsIn(reading: WrittenReading, keys: ReadonlySet<string>): ReadonlyMap<string, string> {
  return textsOf(membersIn(reading, 0, keys))
}

/** Whether a text is a template; any other expands to itself. */
export function isTemplate(text: string): boolean {
  return text.includes('{{')
}

/** A scalar, and where it is in the text. */
export interface Stated {
  readonly text: string
  readonly offset: number
}

/** Returns the same with their offsets. */
export function scanPlaced(
  text: string,
  language: 'json' | 'yaml',
  keys: ReadonlySet<string>,
): ReadonlyMap<string, Stated> {
  if (!isTemplate(text)) return membersOf({ text, offset: 0 }, { language, keys })
  const isFlow = language === 'json' || /^(?:\s|#.*)*\{(?!\{)/.test(text)
  const statements = isFlow ? flowStatements(text) : blockStatements(text, keys)
  return new Map(statements.flatMap((statement) => [...membersOf(statement, { language: 'yaml', keys })]))
}

interface Wanted {
  readonly language: 'json' | 'yaml'
  readonly keys: ReadonlySet<string>
}

function membersOf({ text, offset }: Stated, { language, keys }: Wanted): ReadonlyMap<string, Stated> {
  return membersIn(parseWritten(text, { file: '', language }), offset, keys)
}

function membersIn(reading: WrittenReading, start: number, keys: ReadonlySet<string>): ReadonlyMap<string, Stated> {
  const members =
    reading.kind === 'read' && reading.root.kind === 'table' ? reading.root.members : new Map<string, Written>()
  return new Map(
    [...members].flatMap(([key, value]): [string, Stated][] =>
      keys.has(key) && value.kind === 'scalar' && value.value !== null
        ? [[key, { text: value.text, offset: start + value.offset }]]
        : [],
    ),
  )
}

function textsOf(members: ReadonlyMap<string, Stated>): ReadonlyMap<string, string> {
  return new Map([...members].map(([key, { text }]) => [key, text]))
}

/** Returns the lines of a text in block style that begin with a key of the outermost table, with what continues them. */
function blockStatements(text: string, keys: ReadonlySet<string>): readonly Stated[] {
  const lines = [...text.matchAll(/[^\n]*(?:\n|$)/g)]
  return lines.flatMap(({ 0: line, index: offset }, index) => {
    const [, key = ''] = /^["']?([a-z]+)["']?\s*:(?:\s|$)/.exec(line) ?? []
    if (!keys.has(key)) return []
    const next = lines.find(({ 0: other }, at) => at > index && !/^[ \t]+\S/.test(other))
    const statement = text.slice(offset, next?.index)
    return statement.includes('{{') ? [] : [{ text: statement, offset }]
  })
}

/** Returns the members of the outermost table of a text in flow style, without those that contain templates. */
function flowStatements(text: string): readonly Stated[] {
  const statements: Stated[] = []
  let depth = 0
  let start = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    depth += DEEPER.get(token) ?? 0
    // In place of the mark before it, a bracket makes it a table of its own.
    if (depth === 1 && ENDS.has(token)) statements.push({ text: `{${text.slice(start, index)}}`, offset: start - 1 })
    if (depth === 1 && STARTS.has(token)) start = index + 1
    depth -= SHALLOWER.get(token) ?? 0
  }
  return statements.filter((statement) => !statement.text.includes('{{'))
}

/** Templates, texts in quotes, comments, and marks. A template in quotes may contain quotes itself. */
const TOKEN = /\{\{[^]*?\}\}|"(?:\{\{[^]*?\}\}|\\[^]|[^"\\])*"|'(?:\{\{[^]*?\}\}|[^'])*'|[{}[\],]/g

const DEEPER = new Map([
  ['{', 1],
  ['[', 1],
])
const SHALLOWER = new Map([
  ['}', 1],
  [']', 1],
])
const ENDS = new Set([',', '}'])
const STARTS = new Set([',', '{'])
