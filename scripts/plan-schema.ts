import { countedRows } from '@davit/review'

import { object } from './log-line.ts'
import {
  change,
  document,
  listOf,
  MESSAGE,
  NUMBER,
  PLACE,
  SERVICE_CHANGE,
  STEP_FIELDS,
  TEXT,
  TRUTH,
} from './schema-parts.ts'

/** Schema of plans. */
export const PLAN = document('plan', 'What davit-plan prints with --format json, and saves with --out', {
  profile: TEXT,
  against: { enum: ['targets', 'manifest'] },
  terms: object({
    upgrade: { enum: ['upgrade', 'activate-only', 'repair'] },
    changed: { enum: ['keep', 'restart'] },
    migration: { enum: ['none', 'move', 'move-and-restore'] },
    takeOver: TRUTH,
    besideOriginal: TRUTH,
    undeploy: TRUTH,
  }),
  summary: object({
    ...Object.fromEntries(countedRows().map(({ name }) => [name, NUMBER])),
    keep: NUMBER,
    targets: NUMBER,
    profiles: NUMBER,
    'transfers?': object({ targets: NUMBER, paths: NUMBER, bytes: NUMBER }),
    chain: listOf(TEXT),
  }),
  steps: listOf(
    object({
      ...STEP_FIELDS,
      id: TEXT,
      key: TEXT,
      phase: NUMBER,
      waitsFor: listOf(TEXT),
      'to?': TEXT,
      'moved?': PLACE,
      'recorded?': TEXT,
    }),
  ),
  kept: listOf(object({ service: TEXT, target: TEXT, container: TEXT, reasons: listOf(TEXT), why: listOf(TEXT) })),
  messages: listOf(MESSAGE),
  services: listOf(change(['changed'], { service: TEXT, changes: listOf(SERVICE_CHANGE) })),
  profiles: listOf(TEXT),
  skipped: listOf(TEXT),
  'transfers?': listOf(object({ target: TEXT, paths: NUMBER, bytes: NUMBER })),
  before: object({ services: { type: 'object' }, serviceMappings: listOf({ type: 'object' }) }),
  manifest: { type: 'object' },
})
