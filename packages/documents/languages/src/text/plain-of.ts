import { DavitError, ExitStatus } from '@davit/diagnostics'
import { describe } from './describe.ts'
import { MAX_DOCUMENT_DEPTH, MAX_PROGRAM_VALUES } from './limits.ts'

/** Maps become objects with own properties (even for names such as `__proto__`); fields without a value are left out. */
export function plainOf(data: unknown): unknown {
  return plainWithin(data, { depth: 0, seen: { values: 0 }, mostValues: Infinity, complaint: '' })
}

/** The same of what a program made, whose memory need not hold what it stands for; begins what is said of it with `complaint`. */
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

/** Keys of Maps can be anything. */
function keyOf(key: unknown, complaint: string): string {
  if (typeof key === 'string' || typeof key === 'number') return String(key)
  throw refusal(`${complaint}a key is ${describe(key)}: keys are text`)
}

function refusal(message: string): DavitError {
  return new DavitError('invalid-document', message, { exitStatus: ExitStatus.badDocument })
}

/** Instances of other classes stay what they are. */
function isContainer(data: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(data)
  return Array.isArray(data) || data instanceof Map || prototype === null || prototype === Object.prototype
}
