import type { Message } from '@davit/diagnostics'
import type { Hop } from '../hops.ts'

/** For each kind of message, what each of its fields must be. */
export type Shapes<Value extends { readonly kind: string }> = {
  readonly [Kind in Value['kind']]: {
    readonly [Name in Exclude<keyof Extract<Value, { readonly kind: Kind }>, 'kind'>]-?: (field: unknown) => boolean
  }
}

/** Whether a value is what a table describes. */
export function hasShape<Value extends { readonly kind: string }>(
  value: unknown,
  shapes: Shapes<Value>,
): value is Value {
  if (!isRecord(value) || typeof value['kind'] !== 'string' || !Object.hasOwn(shapes, value['kind'])) return false
  const shape: Readonly<Record<string, (field: unknown) => boolean>> = shapes[value['kind'] as Value['kind']]
  return Object.entries(shape).every(([name, isGood]) => isGood(value[name]))
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Whether it is a number that counts something. */
export function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function isTruth(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isTexts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isText)
}

const HOPS: Shapes<Hop> = {
  local: {},
  ssh: { address: isText },
  client: { executable: isText, address: isText },
}

export function isSshRequest(value: unknown): boolean {
  return Array.isArray(value) && value.every((hop) => hasShape(hop, HOPS)) && value[0]?.kind === 'ssh'
}

export function optional(isGood: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || isGood(value)
}

export function isMessage(value: unknown): value is Message {
  return (
    isRecord(value) &&
    ['note', 'detail', 'warning'].some((kind) => value['kind'] === kind) &&
    [value['code'], value['message']].every(isText) &&
    [value['hint'], value['target']].every(optional(isText)) &&
    isRecord(value['fields'])
  )
}
