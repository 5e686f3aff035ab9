/** A piece of a template: literal text, or a reference such as `${database.target.properties.hostname}`. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reference'; readonly source: string; readonly steps: readonly string[] }
  | { readonly kind: 'malformed'; readonly source: string }

/** `$${`, a whole reference, or one that is never closed. */
const SPECIAL = /\$\$\{|\$\{((?:"[^"]*"|[^}"])*)\}|\$\{/g
/** A name, `"a name in quotes"`, or an index such as `[0]`; all but the first and indexes after a dot. */
const STEP = /(?:^|\.)(?:"([^"]*)"|([^.[\]{}"\s]+))|\[(\d+)\]/y

export function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let end = 0
  for (const match of template.matchAll(SPECIAL)) {
    parts.push({ kind: 'text', text: template.slice(end, match.index) }, partOf(match[0], match[1]))
    end = match.index + match[0].length
  }
  parts.push({ kind: 'text', text: template.slice(end) })
  return parts
}

function partOf(source: string, inner: string | undefined): TemplatePart {
  if (source === '$${') return { kind: 'text', text: '${' }
  const steps = inner === undefined ? undefined : parseSteps(inner.trim())
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
