import { recordStates } from '@davit/target-runtime'

import { join } from 'node:path'

import { ROOT } from './executables.ts'
import { object } from './log-line.ts'
import { PLAN } from './plan-schema.ts'
import {
  change,
  document,
  either,
  FIELD,
  listOf,
  MESSAGE,
  NUMBER,
  PLACE,
  SCHEMA,
  SERVICE_CHANGE,
  STEP_FIELDS,
  TEXT,
  TRUTH,
} from './schema-parts.ts'

/** Path of the schema of a document that tools print with `--format json`. */
export function schemaFile(name: string): string {
  return join(ROOT, 'docs/formats/schemas', `${name}.json`)
}

const GENERATION = {
  number: NUMBER,
  isCurrent: TRUTH,
  isReadable: TRUTH,
  'time?': TEXT,
  'user?': TEXT,
  'sudoUser?': TEXT,
  'host?': TEXT,
  'services?': NUMBER,
  'targets?': NUMBER,
}

const OPTION = either(TEXT, NUMBER, TRUTH, listOf(TEXT))
const MADE_FROM = object({
  'davit?': TEXT,
  'order?': object({
    tool: TEXT,
    began: TEXT,
    directory: TEXT,
    options: { type: 'object', additionalProperties: OPTION },
  }),
  'models?': listOf(object({ file: TEXT, 'role?': TEXT, bytes: NUMBER, sha256: TEXT, 'text?': TEXT })),
  'stack?': TEXT,
  'transition?': object({
    manifest: TEXT,
    began: TEXT,
    ended: TEXT,
    steps: listOf(object(STEP_FIELDS)),
    messages: listOf(MESSAGE),
  }),
})

const STORE = object({ kind: TEXT, directory: TEXT })

const CHECKS = listOf(
  object({
    topic: TEXT,
    severity: { enum: ['ok', 'note', 'warning', 'error'] },
    text: TEXT,
    'means?': TEXT,
    'remedy?': TEXT,
  }),
)

/** Schemas of documents that tools print for programs, by the names of their files. */
export const OUTPUT_SCHEMAS = {
  generations: document('generations', 'What davit-generations --format json prints', {
    profile: TEXT,
    generations: listOf(object(GENERATION)),
  }),
  generation: document('generation', 'What davit-generations --show N --format json prints', {
    profile: TEXT,
    ...GENERATION,
    'madeFrom?': MADE_FROM,
  }),
  inventory: document('inventory', 'What davit-query --format json prints', {
    profile: TEXT,
    targets: listOf(
      object({
        target: TEXT,
        'error?': object({ code: TEXT, message: TEXT }),
        'profile?': TEXT,
        services: listOf(
          object({
            service: TEXT,
            key: TEXT,
            container: TEXT,
            'type?': TEXT,
            'pkg?': TEXT,
            'state?': { enum: recordStates() },
            'activity?': TEXT,
            'since?': TEXT,
            'status?': { enum: ['runs', 'does-not-run', 'unknown', 'gone'] },
            drift: listOf(object({ kind: TEXT, text: TEXT })),
          }),
        ),
        drift: listOf(object({ kind: TEXT, text: TEXT })),
      }),
    ),
  }),
  snapshots: {
    $schema: SCHEMA,
    title: 'What davit-snapshots --format json prints',
    ...listOf(
      object({
        'service?': TEXT,
        container: TEXT,
        component: TEXT,
        target: TEXT,
        where: { enum: ['target', 'coordinator'] },
        generation: NUMBER,
        'taken?': TEXT,
        'again?': TEXT,
        'bytes?': NUMBER,
        name: TEXT,
        'pkg?': TEXT,
        'verified?': object({ at: TEXT, on: TEXT, how: { enum: ['content', 'loaded', 'failed'] } }),
      }),
    ),
  },
  checkup: document('checkup', 'What davit-doctor --format json prints', {
    profile: TEXT,
    coordinator: object({ name: TEXT, checks: CHECKS }),
    machines: listOf(object({ targets: listOf(TEXT), name: TEXT, checks: CHECKS })),
  }),
  difference: document('difference', 'What davit-compare and davit-generations --diff A B print with --format json', {
    from: either(NUMBER, TEXT),
    to: either(NUMBER, TEXT),
    services: listOf(
      either(
        change(['added', 'removed'], { service: TEXT, places: listOf(PLACE) }),
        change(['changed'], { service: TEXT, changes: listOf(SERVICE_CHANGE) }),
      ),
    ),
    targets: listOf(
      either(
        change(['added', 'removed'], { target: TEXT }),
        change(['changed'], { target: TEXT, fields: listOf(FIELD) }),
      ),
    ),
    profiles: listOf(object({ target: TEXT, 'from?': TEXT, 'to?': TEXT })),
    snapshots: listOf(change(['added', 'removed'], { service: TEXT, target: TEXT, container: TEXT, component: TEXT })),
    'store?': object({ from: STORE, to: STORE }),
  }),
  plan: PLAN,
  adoption: document('adoption', 'What davit-adopt --format json prints', {
    profile: TEXT,
    isDryRun: TRUTH,
    targets: listOf(
      object({
        target: TEXT,
        original: TEXT,
        services: listOf(object({ name: TEXT, key: TEXT, container: TEXT, state: { enum: ['adopted', 'present'] } })),
        snapshots: listOf(object({ container: TEXT, component: TEXT, name: TEXT })),
      }),
    ),
  }),
  'service-log': {
    $schema: SCHEMA,
    title: 'A line of what davit-logs --format json prints',
    ...object({
      'time?': TEXT,
      target: TEXT,
      container: TEXT,
      service: TEXT,
      'activity?': TEXT,
      text: TEXT,
    }),
  },
  locks: document('locks', 'What davit-lock --status --format json prints', {
    profile: TEXT,
    targets: listOf(
      either(
        object({ target: TEXT, state: { enum: ['free'] } }),
        object({
          target: TEXT,
          state: { enum: ['held'] },
          'token?': TEXT,
          'owner?': object({ user: TEXT, host: TEXT, pid: NUMBER }),
          holder: { enum: ['alive', 'dead', 'unknown'] },
          'since?': TEXT,
          'until?': TEXT,
          isOver: TRUTH,
        }),
        object({ target: TEXT, state: { enum: ['unknown'] }, reason: TEXT }),
      ),
    ),
  }),
} satisfies Readonly<Record<string, object>>
