import { suggestionFor } from '@davit/diagnostics'

/** Message of a shell with `-u` about the script of a build, in either store: of dash and busybox, or of bash. */
const UNSET =
  /^\/\S+\/(?:files\/script|[0-9a-z]{32}-[^/\s]*\.sh): (?:line )?(\d+): (\w+): (?:parameter not set|unbound variable)$/

/** Addition to the reason why a build failed, if its script used a variable that is not set; empty otherwise. */
export function unsetVariableIn(logEnd: string, variables: Iterable<string>): string {
  const line = logEnd.split('\n').findLast((text) => UNSET.test(text))
  if (line === undefined) return ''
  const [, number, name = ''] = UNSET.exec(line) ?? []
  const known = [...new Set([...variables, 'out'])].toSorted()
  const suggestion = suggestionFor(name, known)?.replace("'", "'$") ?? `its variables are ${listOf(known)}`
  return `: line ${number} of its script uses '$${name}', which is not set: ${suggestion}`
}

const MAX_LISTED = 12

function listOf(names: readonly string[]): string {
  const listed = names.slice(0, MAX_LISTED).map((name) => `$${name}`)
  const more = names.length - listed.length
  return [...listed, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
