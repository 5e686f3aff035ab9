import { object } from './log-line.ts'

export const SCHEMA = 'https://json-schema.org/draft/2020-12/schema'
export const TEXT = { type: 'string' }
export const NUMBER = { type: 'number' }
export const TRUTH = { type: 'boolean' }
/** A property: text, number, boolean, list or table. */
const ANY = {}

export function listOf(items: object): object {
  return { type: 'array', items }
}

export function either(...anyOf: readonly object[]): object {
  return { anyOf }
}

export function document(name: string, title: string, fields: Readonly<Record<string, object>>): object {
  const head = { document: { const: name }, version: { const: 1 } }
  return { $schema: SCHEMA, title, ...object({ ...head, ...fields }) }
}

export const STEP_FIELDS = {
  activity: TEXT,
  step: TEXT,
  service: TEXT,
  target: TEXT,
  container: TEXT,
  reasons: listOf(TEXT),
  why: listOf(TEXT),
}
export const MESSAGE = object({ kind: { enum: ['note', 'warning'] }, code: TEXT, message: TEXT, 'target?': TEXT })

export const PLACE = object({ target: TEXT, container: TEXT })
const NAMED_PLACE = object({ service: TEXT, target: TEXT, container: TEXT })
export const FIELD = object({ path: listOf(TEXT), 'from?': ANY, 'to?': ANY })

export function change(kinds: readonly string[], fields: Readonly<Record<string, object>>): object {
  return object({ kind: { enum: kinds }, ...fields })
}

export const SERVICE_CHANGE = either(
  change(['package', 'type', 'key'], { from: TEXT, to: TEXT }),
  change(['moved'], { from: PLACE, to: PLACE }),
  change(['place-added', 'place-removed'], { place: PLACE }),
  change(['provider'], { place: PLACE, 'from?': TEXT, 'to?': TEXT }),
  change(['depends-on', 'connects-to'], { added: listOf(NAMED_PLACE), removed: listOf(NAMED_PLACE) }),
  change(['depends-on-changed', 'connects-to-changed'], { services: listOf(TEXT) }),
  change(['provides'], { fields: listOf(FIELD) }),
)
