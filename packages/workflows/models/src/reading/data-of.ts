import { DavitError, ExitStatus, type Path } from '@davit/diagnostics'
import { type Data, floatIn, floatOf, MAX_MODEL_DEPTH } from '@davit/languages'
import { described, entriesOf } from './part.ts'

/** A value that is not data, and so is left out. */
export interface StrangeValue {
  readonly path: Path
  /** Description for messages: `a function`. */
  readonly what: string
}

export interface DataOf {
  /** Absent if the value itself is not data. */
  readonly data?: Data
  readonly strange: readonly StrangeValue[]
}

/** Turns the value of a program into data; throws for one that is too deep or too large. */
export function dataOf(value: unknown, file: string): DataOf {
  const context = { file, strange: [] as StrangeValue[], seen: { values: 0 } }
  const data = dataIn(value, [], context)
  return { ...(data === undefined ? {} : { data }), strange: context.strange }
}

interface Context {
  readonly file: string
  readonly strange: StrangeValue[]
  readonly seen: { values: number }
}

const MAX_VALUES = 2_000_000

function dataIn(value: unknown, path: Path, context: Context): Data | undefined {
  if (isScalar(value)) return value
  const float = floatIn(value)
  if (float !== undefined) return floatOf(float)
  const entries = Array.isArray(value) ? itemsOf(value, path, context) : entriesOf(value)
  if (entries === undefined) {
    context.strange.push({ path, what: described(value) })
    return undefined
  }
  const members = membersOf(entries, path, context)
  return Array.isArray(value)
    ? members.map(([, item]) => item)
    : new Map(members.map(([name, item]) => [String(name), item]))
}

function isScalar(value: unknown): value is Data {
  if (typeof value === 'number')
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  return value === null || typeof value === 'string' || typeof value === 'boolean'
}

/** The length is checked first: a list may be long and empty. */
function itemsOf(list: readonly unknown[], path: Path, context: Context): Iterable<readonly [number, unknown]> {
  checkBounds(path, list.length, context)
  return list.entries()
}

function membersOf(
  entries: Iterable<readonly [unknown, unknown]>,
  path: Path,
  context: Context,
): readonly (readonly [string | number, Data])[] {
  const members: (readonly [string | number, Data])[] = []
  for (const [key, member] of entries) {
    const step = typeof key === 'number' ? key : String(key)
    const inner = [...path, step]
    checkBounds(inner, 1, context)
    const data = dataIn(member, inner, context)
    if (data !== undefined) members.push([step, data])
  }
  return members
}

function checkBounds(path: Path, more: number, { file, seen }: Context): void {
  seen.values += more
  if (path.length <= MAX_MODEL_DEPTH && seen.values <= MAX_VALUES) return
  const bound =
    path.length > MAX_MODEL_DEPTH
      ? `is nested more than ${MAX_MODEL_DEPTH} levels deep`
      : `contains more than ${MAX_VALUES} values`
  throw new DavitError('invalid-model', `the value of '${file}' ${bound}, or contains itself`, {
    exitStatus: ExitStatus.badDocument,
  })
}
