/** A piece of a template: literal text, or a reference such as `${database.target.properties.hostname}`. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reference'; readonly source: string; readonly steps: readonly string[] }
  | { readonly kind: 'malformed'; readonly source: string }

/** Matches `${`, and `$${`, which is a literal `${`. */
const SPECIAL = /\$\$?\{/g
/** A name, `"a name in quotes"`, or an index such as `[0]`; every name but the first follows a dot. */
const STEP = /(?:^|\.)(?:"([^"]*)"|([^.[\]{}"\s]+))|\[(\d+)\]/y

/** Splits a template into parts; stops at a reference that is never closed. */
export function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let done = 0
  for (let start = nextSpecial(template, 0); start !== -1; start = nextSpecial(template, done)) {
    parts.push({ kind: 'text', text: template.slice(done, start) })
    const end = template.startsWith(ESCAPED, start) ? start + ESCAPED.length : endOfReference(template, start)
    if (end === undefined) return [...parts, { kind: 'malformed', source: OPENING }]
    parts.push(partOf(template.slice(start, end)))
    done = end
  }
  parts.push({ kind: 'text', text: template.slice(done) })
  return parts
}

const OPENING = '${'
const ESCAPED = '$${'

function nextSpecial(template: string, from: number): number {
  SPECIAL.lastIndex = from
  return SPECIAL.exec(template)?.index ?? -1
}

/** Offset after the closing brace of a reference; braces in quotes are text. */
function endOfReference(template: string, start: number): number | undefined {
  for (let at: number | undefined = start + OPENING.length; at !== undefined; at = behindQuotes(template, at)) {
    BOUNDARY.lastIndex = at
    const found = BOUNDARY.exec(template)
    if (found === null) return undefined
    if (found[0] === '}') return found.index + 1
    at = found.index
  }
  return undefined
}

const BOUNDARY = /["}]/g

function behindQuotes(template: string, at: number): number | undefined {
  const end = template.indexOf('"', at + 1)
  return end === -1 ? undefined : end + 1
}

function partOf(source: string): TemplatePart {
  if (source === ESCAPED) return { kind: 'text', text: OPENING }
  const steps = parseSteps(source.slice(OPENING.length, -1).trim())
  return steps === undefined ? { kind: 'malformed', source } : { kind: 'reference', source, steps }
}

function parseSteps(path: string): string[] | undefined {
  const steps: string[] = []
  let position = 0
  while (position < path.length) {
    STEP.lastIndex = position
    const match = STEP.exec(path)
    if (match === null) return undefined
    steps.push(match[1] ?? match[2] ?? match[3] ?? '')
    position = STEP.lastIndex
  }
  return steps.length === 0 ? undefined : steps
}
