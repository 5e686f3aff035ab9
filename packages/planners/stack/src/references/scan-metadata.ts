import { parseWritten, type Written } from '@davit/languages'

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
  if (!text.includes('{{')) return textsIn(text, { language, keys })
  const isFlow = language === 'json' || /^(?:\s|#.*)*\{(?!\{)/.test(text)
  const statements = isFlow ? flowStatements(text) : blockStatements(text, keys)
  return new Map(statements.flatMap((statement) => [...textsIn(statement, { language: 'yaml', keys })]))
}

interface Wanted {
  readonly language: 'json' | 'yaml'
  readonly keys: ReadonlySet<string>
}

function textsIn(text: string, { language, keys }: Wanted): ReadonlyMap<string, string> {
  const reading = parseWritten(text, { file: '', language })
  const members =
    reading.kind === 'read' && reading.root.kind === 'table' ? reading.root.members : new Map<string, Written>()
  return new Map(
    [...members].flatMap(([key, value]): [string, string][] =>
      keys.has(key) && value.kind === 'scalar' && value.value !== null ? [[key, value.text]] : [],
    ),
  )
}

/** Returns the lines of a text in block style that begin with a key of the outermost table, with what continues them. */
function blockStatements(text: string, keys: ReadonlySet<string>): readonly string[] {
  const lines = text.split(/\r?\n/)
  return lines.flatMap((line, index) => {
    const [, key = ''] = /^["']?([a-z]+)["']?\s*:(?:\s|$)/.exec(line) ?? []
    if (!keys.has(key) || line.includes('{{')) return []
    const end = lines.findIndex((next, at) => at > index && !/^[ \t]+\S/.test(next))
    const inner = lines.slice(index + 1, end === -1 ? undefined : end)
    return inner.some((next) => next.includes('{{')) ? [] : [[line, ...inner].join('\n')]
  })
}

/** Returns the members of the outermost table of a text in flow style, without those that contain templates. */
function flowStatements(text: string): readonly string[] {
  const statements: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    depth += DEEPER.get(token) ?? 0
    if (depth === 1 && ENDS.has(token)) statements.push(text.slice(start, index))
    if (depth === 1 && STARTS.has(token)) start = index + 1
    depth -= SHALLOWER.get(token) ?? 0
  }
  return statements.filter((statement) => !statement.includes('{{')).map((statement) => `{${statement}}`)
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
