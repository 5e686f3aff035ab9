import { DavitError, ExitStatus } from '@davit/diagnostics'
import { MAX_DOCUMENT_DEPTH } from './limits.ts'

/** Maps become objects with own properties (even for names such as `__proto__`); fields without a value are left out. */
export function plainOf(data: unknown, depth = 0): unknown {
  if (typeof data !== 'object' || data === null || !isContainer(data)) return data
  if (depth > MAX_DOCUMENT_DEPTH) {
    const message = `a value is nested more than ${MAX_DOCUMENT_DEPTH} levels deep, or contains itself`
    throw new DavitError('invalid-document', message, { exitStatus: ExitStatus.badDocument })
  }
  if (Array.isArray(data)) return data.map((item: unknown) => plainOf(item, depth + 1))
  const entries: [unknown, unknown][] = data instanceof Map ? [...data] : Object.entries(data)
  const present = entries.filter(([, value]) => value !== undefined)
  return Object.fromEntries(present.map(([key, value]) => [String(key), plainOf(value, depth + 1)]))
}

/** Instances of other classes stay what they are. */
function isContainer(data: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(data)
  return Array.isArray(data) || data instanceof Map || prototype === null || prototype === Object.prototype
}
