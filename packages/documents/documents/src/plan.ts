import * as v from 'valibot'
import { checkManifest } from './checks/check-manifest.ts'
import type { Format } from './format.ts'
import { profileName, serviceKey, targetName } from './ids.ts'
import { plannedStep, told } from './made-from.ts'
import { manifest } from './manifest.ts'
import { manifestService } from './manifest-service.ts'
import { serviceMapping } from './mapping.ts'
import { list, table } from './quick-schemas.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** What a plan depends on besides manifest and machines; carrying it out depends on the same. */
const terms = v.object({
  upgrade: v.picklist(['upgrade', 'activate-only', 'repair']),
  changed: v.picklist(['keep', 'restart']),
  migration: v.picklist(['none', 'move', 'move-and-restore']),
  takeOver: v.boolean(),
  besideOriginal: v.boolean(),
  undeploy: v.boolean(),
})
export type PlanDocumentTerms = v.InferOutput<typeof terms>

const step = v.object({
  ...plannedStep.entries,
  /** Unique within the plan. */
  id: v.string(),
  key: serviceKey,
  /** Number of the phase; one begins when the one before it has ended. */
  phase: count,
  /** Ids of steps of the same phase that have to succeed first. */
  waitsFor: list(v.string()),
  /** Where state goes; absent if it stays on the coordinator, and from other steps. */
  to: v.exactOptional(v.string()),
  /** The other place of a service that moves: where it comes from, or for a deactivation where it goes. */
  moved: v.exactOptional(v.object({ target: v.string(), container: v.string() })),
  /** SHA-256 of what the record of a service says, if the step is done with that. */
  recorded: v.exactOptional(v.string()),
})
export type PlanStep = v.InferOutput<typeof step>

/** A service that stays active with other settings than those of the manifest. */
const kept = v.object({
  service: v.string(),
  target: v.string(),
  container: v.string(),
  reasons: list(v.string()),
  why: list(v.string()),
})

/** Packages that a target lacks. */
const transfer = v.object({ target: targetName, paths: count, bytes: count })
export type PlannedTransfer = v.InferOutput<typeof transfer>

const plan = v.object({
  profile: profileName,
  /** Whether what was active was read from the targets, or taken from another manifest. */
  against: v.picklist(['targets', 'manifest']),
  terms,
  manifest,
  /** What is active before. */
  before: v.object({ services: table(serviceKey, manifestService), serviceMappings: list(serviceMapping) }),
  steps: list(step),
  kept: list(kept),
  messages: list(told),
  /** Targets that could not be reached, and are left alone. */
  skipped: list(targetName),
  /** Targets whose profile becomes another one. */
  profiles: list(targetName),
  /** Targets without an entry have all packages. Absent if it is not known which ones they lack. */
  transfers: v.exactOptional(list(transfer)),
})
/** What would be done to reach a manifest, and why. */
export type PlanDocument = v.InferOutput<typeof plan>

export const PlanDocument: Format<PlanDocument> = {
  name: 'plan',
  title: 'a plan',
  version: 1,
  madeBy: 'davit-plan --out FILE',
  header: 'required',
  schema: plan,
  check: (value) => checkManifest(value.manifest).map((one) => ({ ...one, path: ['manifest', ...(one.path ?? [])] })),
}
