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
  const isFlow = language === 'json' || FLOW.test(text)
  const statements = isFlow ? flowStatements(text) : blockStatements(text, keys)
  return new Map(statements.flatMap((statement) => [...membersOf(statement, { language: 'yaml', keys })]))
}

/** White space and comments, then a bracket that begins no template. */
const FLOW = /^\s*(?:#[^\n]*\n\s*)*\{(?!\{)/

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
  const statements: Stated[] = []
  let end = text.length
  for (const { line, offset } of linesOf(text).reverse()) {
    const [, key = ''] = /^["']?([a-z]+)["']?\s*:(?:\s|$)/.exec(line) ?? []
    const statement = keys.has(key) ? text.slice(offset, end) : '{{'
    if (!statement.includes('{{')) statements.push({ text: statement, offset })
    if (!/^[ \t]+\S/.test(line)) end = offset
  }
  return statements.reverse()
}

function linesOf(text: string): { readonly line: string; readonly offset: number }[] {
  let offset = 0
  return text.split('\n').map((line) => {
    const placed = { line, offset }
    offset += line.length + 1
    return placed
  })
}

/** Returns the members of the outermost table of a text in flow style, without those that contain templates. */
function flowStatements(text: string): readonly Stated[] {
  const statements: Stated[] = []
  let depth = 0
  let start = 0
  for (const { mark, index } of marksIn(text)) {
    depth += DEEPER.get(mark) ?? 0
    // In place of the mark before it, a bracket makes it a table of its own.
    if (depth === 1 && ENDS.has(mark)) statements.push({ text: `{${text.slice(start, index)}}`, offset: start - 1 })
    if (depth === 1 && STARTS.has(mark)) start = index + 1
    depth -= SHALLOWER.get(mark) ?? 0
  }
  return statements.filter((statement) => !statement.text.includes('{{'))
}

/** Finds the marks of a text in flow style outside of templates and quotes, which may contain templates with quotes. */
function* marksIn(text: string): Generator<{ readonly mark: string; readonly index: number }> {
  const unclosed = new Set<string>()
  const lastClose = text.lastIndexOf('}}')
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at] ?? ''
    if (QUOTES.has(mark)) {
      const behind = unclosed.has(mark) ? undefined : behindQuoted(text, at, lastClose)
      if (behind === undefined) unclosed.add(mark)
      else at = behind - 1
    } else if (opensAt(text, at, lastClose)) at = behindTemplate(text, at) - 1
    else if ('{}[],'.includes(mark)) yield { mark, index: at }
  }
}

const QUOTES = new Set(['"', "'"])

/** Whether a template begins here that is closed somewhere. */
function opensAt(text: string, at: number, lastClose: number): boolean {
  return text.startsWith('{{', at) && at + 2 <= lastClose
}

function behindTemplate(text: string, at: number): number {
  return text.indexOf('}}', at + 2) + 2
}

/** Returns the offset behind the closing quote; undefined if there is none. */
function behindQuoted(text: string, open: number, lastClose: number): number | undefined {
  const quote = text[open]
  for (let at = open + 1; at < text.length; at += 1) {
    if (opensAt(text, at, lastClose)) at = behindTemplate(text, at) - 1
    else if (quote === '"' && text[at] === '\\') at += 1
    else if (text[at] === quote) return at + 1
  }
  return undefined
}

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
