import { byName } from '@davit/languages'
import * as v from 'valibot'

/*
 * Schemas for values of which documents have hundreds of thousands, with the results and issues of those of valibot. They take half of
 * the time, since they look up less by name, and objects do not change their shape.
 */

/** What is known of a value while it is checked; valibot fills it in. */
interface Outcome {
  typed: boolean
  value: unknown
  issues: v.BaseIssue<unknown>[] | undefined
}

type Config = v.Config<v.BaseIssue<unknown>>
type Run = (outcome: Outcome, config: Config) => Outcome

/** The same schema, which accepts at once, and as it is, what passes a test. */
export function accepting<Schema extends v.GenericSchema>(
  schema: Schema,
  isValid: (input: unknown) => boolean,
): Schema {
  return running(schema, (outcome, config) => {
    if (!isValid(outcome.value)) return run(schema, outcome, config)
    outcome.typed = true
    return outcome
  })
}

/** `v.object` */
export function object<const Entries extends v.ObjectEntries>(entries: Entries): v.ObjectSchema<Entries, undefined> {
  const schema = v.object(entries)
  const fields = Object.entries(entries)
  return running(schema, (outcome, config) => {
    if (typeof outcome.value !== 'object' || outcome.value === null) return run(schema, outcome, config)
    const input = outcome.value as Record<string, unknown>
    const values: Record<string, unknown> = {}
    const found: Outcome = { typed: true, value: values, issues: undefined }
    for (const [key, field] of fields) {
      if (key in input) {
        const value = input[key]
        const part = run(field, { typed: false, value, issues: undefined }, config)
        if (part.issues !== undefined) adopt(found, part.issues, { type: 'object', origin: 'value', input, key, value })
        if (!part.typed) found.typed = false
        values[key] = part.value
        // Whatever else is absent has a default, or is missing.
      } else if (field.type !== 'exact_optional') return run(schema, outcome, config)
    }
    return found
  })
}

/** `v.array` */
export function list<Item>(item: v.GenericSchema<unknown, Item>): v.GenericSchema<unknown, readonly Item[]> {
  const schema: v.GenericSchema<unknown, readonly Item[]> = v.array(item)
  return running(schema, (outcome, config) => {
    if (!Array.isArray(outcome.value)) return run(schema, outcome, config)
    const input: unknown[] = outcome.value
    const values: unknown[] = []
    const found: Outcome = { typed: true, value: values, issues: undefined }
    for (const [key, value] of input.entries()) {
      const part = run(item, { typed: false, value, issues: undefined }, config)
      if (part.issues !== undefined) adopt(found, part.issues, { type: 'array', origin: 'value', input, key, value })
      if (!part.typed) found.typed = false
      values.push(part.value)
    }
    return found
  })
}

/** A table: any record or Map becomes a Map in order of names, so that `__proto__` is a name like any other. */
export function table<Key extends string, Value>(
  key: v.GenericSchema<unknown, Key>,
  value: v.GenericSchema<unknown, Value>,
): v.GenericSchema<unknown, ReadonlyMap<Key, Value>> {
  const schema: v.GenericSchema<unknown, ReadonlyMap<Key, Value>> = v.pipe(
    v.custom<object>((input) => isRecord(input), 'expected a table'),
    v.transform((record) => new Map(membersOf(record))),
    v.map(key, value),
  )
  return running(schema, (outcome, config) => {
    if (!isRecord(outcome.value)) return run(schema, outcome, config)
    const values = new Map<unknown, unknown>()
    const found: Outcome = { typed: true, value: values, issues: undefined }
    for (const [name, member] of membersOf(outcome.value)) {
      const own = run(key, { typed: false, value: name, issues: undefined }, config)
      const part = run(value, { typed: false, value: member, issues: undefined }, config)
      const place = { type: 'map', input: values, key: name, value: member } as const
      if (own.issues !== undefined) adopt(found, own.issues, { ...place, origin: 'key' })
      if (part.issues !== undefined) adopt(found, part.issues, { ...place, origin: 'value' })
      if (!own.typed || !part.typed) found.typed = false
      values.set(own.value, part.value)
    }
    return found
  })
}

/** Returns the members of a record or Map, in order of names. */
function membersOf(record: object): readonly (readonly [string, unknown])[] {
  const members: [string, unknown][] =
    record instanceof Map ? [...(record as ReadonlyMap<string, unknown>)] : Object.entries(record)
  return members.sort(byName)
}

export function isRecord(input: unknown): input is object {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false
  const prototype: unknown = Object.getPrototypeOf(input)
  return input instanceof Map || prototype === null || prototype === Object.prototype
}

function running<Schema extends v.GenericSchema>(schema: Schema, check: Run): Schema {
  return { ...schema, '~run': check }
}

function run(schema: { readonly '~run': unknown }, outcome: Outcome, config: Config): Outcome {
  return (schema as { readonly '~run': Run })['~run'](outcome, config)
}

/** Adds the issues of a part, with its place. */
function adopt(found: Outcome, issues: readonly v.BaseIssue<unknown>[], place: v.IssuePathItem): void {
  for (const issue of issues) {
    const { path } = issue as { path?: v.IssuePathItem[] }
    if (path === undefined) Object.assign(issue, { path: [place] })
    else path.unshift(place)
  }
  found.issues = [...(found.issues ?? []), ...issues]
}
