import type { Message } from '@davit/diagnostics'

/** For each kind of message, what each of its fields must be. */
export type Shapes<Value extends { readonly kind: string }> = {
  readonly [Kind in Value['kind']]: {
    readonly [Name in Exclude<keyof Extract<Value, { readonly kind: Kind }>, 'kind'>]-?: (field: unknown) => boolean
  }
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
