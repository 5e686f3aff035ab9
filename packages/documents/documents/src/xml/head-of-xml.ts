/** Name of the root element, and its attribute `version`. */
export interface HeadOfXml {
  readonly name: string
  readonly version?: string | undefined
}

/** Finds the beginning of a text in XML without reading the rest. A text that does not begin as XML should counts as a manifest. */
export function headOfXml(text: string): HeadOfXml {
  const [, name = 'manifest', attributes = ''] = matchAt(ROOT, text, beginOfRoot(text)) ?? []
  const [, version] = /\sversion\s*=\s*["']([^"']*)["']/.exec(attributes) ?? []
  return { name, version }
}

const BLANKS = /[\s\uFEFF]*/y
const ROOT = /<([A-Za-z_][\w.-]*)([^<>]*)/y

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at
  return expression.exec(text)
}

/** Processing instructions and comments: how they begin and end. */
const SKIPPED = [
  ['<?', '?>'],
  ['<!--', '-->'],
] as const

/** Passes white space, processing instructions and comments, each once. */
function beginOfRoot(text: string): number {
  let at = 0
  for (;;) {
    at += matchAt(BLANKS, text, at)?.[0].length ?? 0
    const skipped = SKIPPED.find(([begin]) => text.startsWith(begin, at))
    if (skipped === undefined) return at
    const [begin, end] = skipped
    const close = text.indexOf(end, at + begin.length)
    if (close < 0) return text.length
    at = close + end.length
  }
}
