import { DavitError, ExitStatus } from '@davit/diagnostics'
import { floatIn, floatOf } from '../float.ts'
import { describe } from './describe.ts'
import { MAX_DOCUMENT_DEPTH, MAX_PROGRAM_VALUES } from './limits.ts'

/** Turns Maps into objects with own properties (even for names such as `__proto__`); leaves out fields without a value. */
export function plainOf(data: unknown): unknown {
  return plainWithin(data, { depth: 0, seen: { values: 0 }, mostValues: Infinity, complaint: '' })
}

/** Like `plainOf`, with a limit: shared values of a program may expand without bound. `complaint` begins the message of errors. */
export function plainOfProgram(data: unknown, complaint: string): unknown {
  return plainWithin(data, {
    depth: 0,
    seen: { values: 0 },
    mostValues: MAX_PROGRAM_VALUES,
    complaint: `${complaint}: `,
  })
}

interface Within {
  readonly depth: number
  readonly seen: { values: number }
  readonly mostValues: number
  readonly complaint: string
}

function plainWithin(data: unknown, at: Within): unknown {
  if (typeof data !== 'object' || data === null || !isContainer(data)) return data
  const float = floatIn(data)
  if (float !== undefined) return floatOf(float)
  if (at.depth > MAX_DOCUMENT_DEPTH) {
    throw refusal(`${at.complaint}a value is nested more than ${MAX_DOCUMENT_DEPTH} levels deep, or contains itself`)
  }
  const within = { ...at, depth: at.depth + 1 }
  if (Array.isArray(data)) {
    count(within, data.length)
    return data.map((item: unknown) => plainWithin(item, within))
  }
  const entries: [unknown, unknown][] = data instanceof Map ? [...data] : Object.entries(data)
  count(within, entries.length)
  const present = entries.filter(([, value]) => value !== undefined)
  return Object.fromEntries(present.map(([key, value]) => [keyOf(key, at.complaint), plainWithin(value, within)]))
}

function count({ seen, mostValues, complaint }: Within, more: number): void {
  seen.values += more
  if (seen.values > mostValues) throw refusal(`${complaint}there are more than ${mostValues} values`)
}

/** A Map can have keys of any type. */
function keyOf(key: unknown, complaint: string): string {
  if (typeof key === 'string' || typeof key === 'number') return String(key)
  throw refusal(`${complaint}a key is ${describe(key)}: keys must be text`)
}

function refusal(message: string): DavitError {
  return new DavitError('invalid-document', message, { exitStatus: ExitStatus.badDocument })
}

/** Instances of other classes are left as they are. */
function isContainer(data: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(data)
  return Array.isArray(data) || data instanceof Map || prototype === null || prototype === Object.prototype
}
