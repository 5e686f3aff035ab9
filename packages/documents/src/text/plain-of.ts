import { DavitError, ExitStatus } from '@davit/diagnostics'
import { describe } from './describe.ts'
import { MAX_DOCUMENT_DEPTH, MAX_PROGRAM_VALUES } from './limits.ts'

/** Maps become objects with own properties (even for names such as `__proto__`); fields without a value are left out. */
export function plainOf(data: unknown): unknown {
  return plainWithin(data, { depth: 0, seen: { values: 0 } })
}

interface Within {
  readonly depth: number
  readonly seen: { values: number }
}

function plainWithin(data: unknown, { depth, seen }: Within): unknown {
  if (typeof data !== 'object' || data === null || !isContainer(data)) return data
  if (depth > MAX_DOCUMENT_DEPTH) {
    throw refusal(`a value is nested more than ${MAX_DOCUMENT_DEPTH} levels deep, or contains itself`)
  }
  const within = { depth: depth + 1, seen }
  if (Array.isArray(data)) {
    count(seen, data.length)
    return data.map((item: unknown) => plainWithin(item, within))
  }
  const entries: [unknown, unknown][] = data instanceof Map ? [...data] : Object.entries(data)
  count(seen, entries.length)
  const present = entries.filter(([, value]) => value !== undefined)
  return Object.fromEntries(present.map(([key, value]) => [keyOf(key), plainWithin(value, within)]))
}

function count(seen: Within['seen'], more: number): void {
  seen.values += more
  if (seen.values > MAX_PROGRAM_VALUES) throw refusal(`there are more than ${MAX_PROGRAM_VALUES} values`)
}

/** Keys of Maps can be anything. */
function keyOf(key: unknown): string {
  if (typeof key === 'string' || typeof key === 'number') return String(key)
  throw refusal(`a key is ${describe(key)}: keys are text`)
}

function refusal(message: string): DavitError {
  return new DavitError('invalid-document', message, { exitStatus: ExitStatus.badDocument })
}

/** Instances of other classes stay what they are. */
function isContainer(data: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(data)
  return Array.isArray(data) || data instanceof Map || prototype === null || prototype === Object.prototype
}
