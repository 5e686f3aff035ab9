import { join } from 'node:path'

import type { FieldTable, FieldType } from '../packages/documents/diagnostics/src/diagnostics.ts'
import type { MessageCode } from './codes.ts'
import { ROOT } from './executables.ts'

/** Path of the schema. */
export const LOG_SCHEMA = join(ROOT, 'docs/formats/schemas/log.json')

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }
const TEXTS = { type: 'array', items: TEXT }

const TYPES = {
  text: TEXT,
  number: NUMBER,
  truth: { type: 'boolean' },
  texts: TEXTS,
  numbers: { type: 'array', items: NUMBER },
  prefix: TEXT,
  generation: NUMBER,
  hint: TEXT,
} satisfies Record<Exclude<FieldType, `${string}?`>, object>

const PLACE = object({ file: TEXT, 'line?': NUMBER, 'column?': NUMBER, 'text?': TEXT })
const PATH = { type: 'array', items: { type: ['string', 'number'] } }
const PLACED = { 'place?': PLACE, 'path?': PATH, 'hint?': TEXT }

const EVENT = { time: TEXT, tool: TEXT }
const STEP = {
  ...EVENT,
  id: TEXT,
  step: TEXT,
  'target?': TEXT,
  'activity?': object({ kind: TEXT, service: TEXT, container: TEXT }),
}

/** Lines of the log other than messages with a code. */
const PLAIN = [
  object({ kind: { const: 'started' }, ...STEP }),
  object({ kind: { const: 'finished' }, ...STEP, 'seconds?': NUMBER, 'bytes?': NUMBER }),
  object({ kind: { const: 'failed' }, ...STEP, 'seconds?': NUMBER, message: TEXT, 'log?': TEXT }),
  object({ kind: { const: 'diagnostic' }, ...EVENT, severity: { const: 'error' }, message: TEXT, ...PLACED }),
  // Findings of a compiler have codes of their own.
  object({
    kind: { const: 'diagnostic' },
    ...EVENT,
    severity: { enum: ['error', 'warning'] },
    code: { type: 'string', pattern: '^MU\\d{3,}$' },
    subjects: { type: 'array' },
    message: TEXT,
    ...PLACED,
  }),
  // The fields of the code are additional properties.
  {
    ...object({
      kind: { const: 'error' },
      tool: TEXT,
      code: TEXT,
      message: TEXT,
      exitStatus: NUMBER,
      'causes?': TEXTS,
      'hint?': TEXT,
      'diagnostics?': { type: 'array' },
      'stack?': TEXTS,
    }),
    additionalProperties: true,
  },
]

/** Returns the JSON schema of a line of `--log-format json`. */
export function schemaOf(codes: readonly MessageCode[]) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A line of --log-format json',
    anyOf: [...PLAIN, ...codes.flatMap(linesWith)],
  }
}

/** Schemas of the lines with a code. A note may also be a detail; a warning without a prefix may also be about a place. */
function linesWith({ code, kind, fields }: MessageCode): readonly object[] {
  const said = { ...EVENT, code: { const: code }, message: TEXT, ...fieldsIn(fields) }
  if (kind !== 'warning') return [object({ kind: { enum: ['note', 'detail'] }, ...said })]
  const told = object({ kind: { const: 'warning' }, 'hint?': TEXT, ...said })
  const placed = object({ kind: { const: 'diagnostic' }, severity: { const: 'warning' }, ...PLACED, ...said })
  return Object.values(fields).some((word) => word.startsWith('prefix')) ? [told] : [told, placed]
}

function fieldsIn(table: FieldTable): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(table).map(([name, word]) => {
      const plain = word.replace('?', '') as keyof typeof TYPES
      return [`${name}${word.endsWith('?') || plain === 'hint' ? '?' : ''}`, TYPES[plain]]
    }),
  )
}

/** Returns the schema of an object. Fields whose name ends with `?` are optional. */
export function object(fields: Readonly<Record<string, object>>) {
  const names = Object.keys(fields)
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), fields[name]])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  }
}
