import { DavitError, ExitStatus, type Path, renderPath } from '@davit/diagnostics'
import { Float, nameOfCharacter, NOT_XML } from '@davit/languages'

/** Makes the error for the first text of a value that XML cannot contain. */
export function unfitText(value: unknown): DavitError {
  const { path, character } = findUnfit(value, []) ?? { path: [], character: '' }
  const message = `${renderPath(path)} contains character ${nameOfCharacter(character)}, which cannot occur in XML`
  return new DavitError('unfit-text', message, {
    exitStatus: ExitStatus.badDocument,
    hint: 'remove the character, or write the document as JSON',
  })
}

interface Unfit {
  readonly path: Path
  readonly character: string
}

function findUnfit(value: unknown, path: Path): Unfit | undefined {
  if (typeof value === 'string') return unfitIn(value, path)
  if (typeof value !== 'object' || value === null || value instanceof Float) return undefined
  for (const [key, member] of entriesOf(value)) {
    const inner = [...path, key]
    const found = unfitIn(String(key), inner) ?? findUnfit(member, inner)
    if (found !== undefined) return found
  }
  return undefined
}

function unfitIn(text: string, path: Path): Unfit | undefined {
  const character = NOT_XML.exec(text)?.[0]
  return character === undefined ? undefined : { path, character }
}

function entriesOf(value: object): Iterable<readonly [string | number, unknown]> {
  if (Array.isArray(value)) return (value as readonly unknown[]).entries()
  return value instanceof Map ? (value as ReadonlyMap<string, unknown>) : Object.entries(value)
}
