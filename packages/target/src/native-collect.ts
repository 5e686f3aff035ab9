import { basename } from 'node:path'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { type NativeStore, planCollection, type StoreLayout, storeLayout } from '@davit/store'

import { type Collector, withCollector } from './collector.ts'
import type { Machine } from './machine.ts'
import { parseSurvey, type StoredBytes, type StoreRoot } from './native-survey.ts'

/** Garbage in a native store. */
export interface Garbage {
  /** Valid paths that nothing needs. */
  readonly paths: readonly StoredBytes[]
  /** What has been left half made, or half removed. */
  readonly rubbish: readonly StoredBytes[]
}

export interface CollectOptions {
  /** The coordinator's own, which knows what its derivations build, if it is that which is collected. */
  readonly store?: NativeStore
  /** Whether a root counts; for looking ahead. */
  isRoot?(root: StoreRoot): boolean
  readonly signal: AbortSignal
}

/** What would go now. */
export async function findGarbage(machine: Machine, directory: string, options: CollectOptions): Promise<Garbage> {
  return withCollector(machine, async (collector) => {
    return (await survey(collector, storeLayout(directory), options)).garbage
  })
}

/**
 * Removes what nothing needs from the native store of a machine: of a target, or, on this machine, of the coordinator. Decided
 * here; refused there when what is kept has changed meanwhile, and decided again.
 */
export async function collectGarbage(machine: Machine, directory: string, options: CollectOptions): Promise<Garbage> {
  return withCollector(machine, (collector) => collect(collector, storeLayout(directory), options))
}

async function collect(machine: Collector, layout: StoreLayout, options: CollectOptions): Promise<Garbage> {
  const [paths, rubbish]: [StoredBytes[], StoredBytes[]] = [[], []]
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { sum, garbage } = await survey(machine, layout, options)
    const batches = batchesOf(garbage)
    let isUnchanged = true
    while (isUnchanged && batches.length > 0) {
      options.signal.throwIfAborted()
      const batch = batches.shift() ?? NO_GARBAGE
      isUnchanged = await removeBatch(machine, layout, { sum, batch })
      if (isUnchanged) paths.push(...batch.paths)
      if (isUnchanged) rubbish.push(...batch.rubbish)
    }
    if (isUnchanged) return { paths, rubbish }
  }
  throw new DavitError(
    'store-busy',
    `the store '${layout.directory}' on '${machine.address}' is changed all the time`,
    {
      exitStatus: ExitStatus.locked,
      hint: 'try again when nothing is being deployed',
    },
  )
}

const MAX_ROUNDS = 50
const NO_GARBAGE: Garbage = { paths: [], rubbish: [] }
/** So that nobody has to wait for long before he can change the store. */
const BATCH = 500

interface Survey {
  /** Of all that is kept. */
  readonly sum: string
  readonly garbage: Garbage
}

async function survey(
  machine: Collector,
  layout: StoreLayout,
  { store, isRoot = () => true }: CollectOptions,
): Promise<Survey> {
  const lines = await machine
    .request('native_survey', [machine.facts.checksum, ...placesOf(layout)])
    .catch((error: unknown) => refuse(machine, error))
  const answer = parseSurvey(lines, layout, machine)
  const valid = new Map(answer.valid.map((registration) => [registration.path, registration]))
  const outputs =
    store === undefined ? new Map<StorePath, readonly StorePath[]>() : await outputsIn(store, valid.keys())
  const building = new Set(answer.roots.filter(({ by }) => by === 'building').map(({ path }) => path))
  const builders = [...outputs].filter(([, paths]) => paths.some((path) => building.has(path))).map(([path]) => path)
  const roots = [...answer.roots.filter((root) => isRoot(root)).map(({ path }) => path), ...builders]
  const dead = planCollection(answer.valid, { roots, outputsOf: (path) => outputs.get(path) ?? [] })
  const kept = new Set(roots)
  return {
    sum: answer.sum,
    garbage: {
      paths: dead.map((path) => ({ path, bytes: valid.get(path)?.size ?? 0 })),
      rubbish: answer.rubbish.filter(({ path }) => !kept.has(path)),
    },
  }
}

/** By derivation; one that is damaged builds nothing. */
async function outputsIn(
  store: NativeStore,
  paths: Iterable<StorePath>,
): Promise<ReadonlyMap<StorePath, readonly StorePath[]>> {
  const outputs = new Map<StorePath, readonly StorePath[]>()
  for (const path of paths) {
    if (!path.endsWith('.drv')) continue
    const built = await store.outputs([path]).catch((error: unknown) => {
      if (error instanceof DavitError) return new Map<StorePath, readonly StorePath[]>()
      throw error
    })
    for (const [derivation, some] of built) outputs.set(derivation, some)
  }
  return outputs
}

interface Batch {
  readonly sum: string
  readonly batch: Garbage
}

/** Whether it was removed: otherwise what is kept has changed. */
async function removeBatch(machine: Collector, layout: StoreLayout, { sum, batch }: Batch): Promise<boolean> {
  const [dead, rubbish] = [batch.paths, batch.rubbish].map((some) => some.map(({ path }) => basename(path)))
  const fields = [machine.facts.checksum, sum, ...placesOf(layout), layout.logs]
  const [answer] = await machine
    .request('native_collect', [...fields, ...(dead ?? []), 'rubbish', ...(rubbish ?? [])])
    .catch((error: unknown) => refuse(machine, error))
  return answer === 'collected'
}

function refuse({ address }: Collector, error: unknown): never {
  const options = error instanceof DavitError ? REFUSALS.get(error.code) : undefined
  if (!(error instanceof DavitError) || options === undefined) throw error
  throw new DavitError(error.code, `cannot collect garbage on '${address}': ${error.message}`, options)
}

interface Refusal {
  readonly exitStatus: number
  readonly hint: string
}

const SHARED: Refusal = {
  exitStatus: ExitStatus.permission,
  hint: 'other accounts use this store as well: only root can collect its garbage',
}
/** By the code with which the machine has refused it. */
const REFUSALS = new Map<string, Refusal>([
  ['store-busy', { exitStatus: ExitStatus.locked, hint: 'try again when nothing is being deployed' }],
  ['cannot-read', SHARED],
  ['not-owner', SHARED],
])

function batchesOf({ paths, rubbish }: Garbage): Garbage[] {
  // One at least, which removes what a collection that was cut off has left.
  const batches: Garbage[] = paths.length + rubbish.length === 0 ? [NO_GARBAGE] : []
  for (let first = 0; first < paths.length; first += BATCH) {
    batches.push({ paths: paths.slice(first, first + BATCH), rubbish: [] })
  }
  for (let first = 0; first < rubbish.length; first += BATCH) {
    batches.push({ paths: [], rubbish: rubbish.slice(first, first + BATCH) })
  }
  return batches
}

function placesOf({ directory, incoming, registrations, roots, locks }: StoreLayout): readonly string[] {
  return [directory, incoming, registrations, roots, locks]
}
