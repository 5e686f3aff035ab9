import { basename } from 'node:path'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { type NativeStore, planCollection, type StoreLayout, storeLayout } from '@davit/store'

import type { Machine } from '../machine.ts'
import { type NativeSurvey, parseSurvey, type StoredBytes, type StoreRoot } from './survey.ts'

/** Garbage in a native store. */
export interface Garbage {
  /** Valid paths that nothing needs. */
  readonly paths: readonly StoredBytes[]
  /** Files that were left half made or half removed. */
  readonly rubbish: readonly StoredBytes[]
  /** Paths that nothing needs, but that are protected for a day by the clock of the machine. */
  readonly kept: KeptForADay
}

export interface KeptForADay {
  readonly paths: readonly StoredBytes[]
  /** When the protection of the first and the last path ends; missing if there are none, or the machine cannot tell. */
  readonly until?: readonly [first: Date, last: Date]
}

export interface CollectOptions {
  /** The coordinator's store, if that is the one to collect: it knows the outputs of its derivations. */
  readonly store?: NativeStore
  /** Whether a root counts, to compute what would be garbage without it. */
  isRoot?(root: StoreRoot): boolean
  /** Whether protected paths are collected too if no deployment can still need them. */
  readonly leftovers?: 'keep' | 'collect'
  readonly signal: AbortSignal
}

/** Finds what `collectGarbage` would remove now. */
export async function findGarbage(
  machine: Machine<'collect'>,
  directory: string,
  options: CollectOptions,
): Promise<Garbage> {
  return (await survey(machine, storeLayout(directory), options)).garbage
}

/**
 * Removes garbage from the native store of a machine: of a target or, on this machine, of the coordinator. The garbage is computed
 * here; if the roots have changed in the meantime, the machine refuses, and it is computed again.
 */
export async function collectGarbage(
  machine: Machine<'collect'>,
  directory: string,
  options: CollectOptions,
): Promise<Garbage> {
  const layout = storeLayout(directory)
  const [paths, rubbish]: [StoredBytes[], StoredBytes[]] = [[], []]
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { sum, garbage } = await survey(machine, layout, options)
    const { kept } = garbage
    const batches = batchesOf(garbage)
    let isUnchanged = true
    while (isUnchanged && batches.length > 0) {
      options.signal.throwIfAborted()
      const batch = batches.shift() ?? NO_GARBAGE
      isUnchanged = await removeBatch(machine, layout, { sum, batch })
      if (isUnchanged) paths.push(...batch.paths)
      if (isUnchanged) rubbish.push(...batch.rubbish)
    }
    if (isUnchanged) return { paths, rubbish, kept }
  }
  throw new DavitError('store-busy', `the store '${layout.directory}' on '${machine.address}' keeps changing`, {
    exitStatus: ExitStatus.locked,
    hint: 'try again when nothing is being deployed',
  })
}

const MAX_ROUNDS = 50
const NO_GARBAGE = { paths: [], rubbish: [] }
/** Small enough that nobody waits long to change the store. */
const BATCH = 500

interface Survey {
  /** Checksum of the roots and everything else that keeps paths. */
  readonly sum: string
  readonly garbage: Garbage
}

async function survey(
  machine: Machine<'collect'>,
  layout: StoreLayout,
  { store, isRoot = () => true, leftovers = 'keep' }: CollectOptions,
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
  const doesCount =
    leftovers === 'collect' ? (root: StoreRoot) => !isLeft(root, answer) : ({ by }: StoreRoot) => by !== 'needed'
  const counting = answer.roots.filter((root) => isRoot(root) && doesCount(root))
  const planned = (roots: readonly StoreRoot[]) => {
    const all = [...roots.map(({ path }) => path), ...builders]
    return planCollection(answer.valid, { roots: all, outputsOf: (path) => outputs.get(path) ?? [] })
  }
  const bytesOf = (path: StorePath) => ({ path, bytes: valid.get(path)?.size ?? 0 })
  const dead = planned(counting)
  const rooted = new Set(counting.map(({ path }) => path))
  const garbage = { paths: dead.map(bytesOf), rubbish: answer.rubbish.filter(({ path }) => !rooted.has(path)) }
  const lasting = counting.filter((root) => !isTemporary(root) && root.by !== 'needed')
  if (lasting.length === counting.length) return { sum: answer.sum, garbage: { ...garbage, kept: { paths: [] } } }
  const gone = new Set(dead)
  const later = planned(lasting).filter((path) => !gone.has(path))
  return {
    sum: answer.sum,
    garbage: { ...garbage, kept: { paths: later.map(bytesOf), ...untilOf(counting.filter(isTemporary), later) } },
  }
}

function isTemporary({ by }: StoreRoot): boolean {
  return by === 'temporary'
}

/** The longest pause between steps of a deployment that holds no lock yet; running steps show by other signs. */
const BETWEEN_STEPS_MILLISECONDS = 5 * 60_000

/** Whether a path was protected for a step of a deployment that never came. */
function isLeft(root: StoreRoot, { now, isLocked }: NativeSurvey): boolean {
  if (!isTemporary(root) || root.since === undefined || isLocked) return false
  return now.getTime() - root.since.getTime() > BETWEEN_STEPS_MILLISECONDS
}

const A_DAY_MILLISECONDS = 24 * 60 * 60_000

function untilOf(temporary: readonly StoreRoot[], kept: readonly StorePath[]): Pick<KeptForADay, 'until'> {
  const paths = new Set(kept)
  const times = temporary.flatMap(({ path, since }) =>
    since !== undefined && paths.has(path) ? [since.getTime()] : [],
  )
  const extreme = (choose: (one: number, other: number) => number) =>
    new Date(times.reduce((one, other) => choose(one, other)) + A_DAY_MILLISECONDS)
  return times.length === 0 ? {} : { until: [extreme(Math.min), extreme(Math.max)] }
}

/** Returns the outputs of each derivation; a damaged one has none. */
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
  readonly batch: CollectedBatch
}

/** Removes a batch; returns false if the roots have changed instead. */
async function removeBatch(machine: Machine<'collect'>, layout: StoreLayout, { sum, batch }: Batch): Promise<boolean> {
  const [dead, rubbish] = [batch.paths, batch.rubbish].map((some) => some.map(({ path }) => basename(path)))
  const fields = [machine.facts.checksum, sum, ...placesOf(layout), layout.logs] as const
  const [answer] = await machine
    .request('native_collect', [...fields, ...(dead ?? []), 'rubbish', ...(rubbish ?? [])])
    .catch((error: unknown) => refuse(machine, error))
  return answer === 'collected'
}

function refuse({ address }: Pick<Machine, 'address'>, error: unknown): never {
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
/** By the code of the machine's refusal. */
const REFUSALS = new Map<string, Refusal>([
  ['store-busy', { exitStatus: ExitStatus.locked, hint: 'try again when nothing is being deployed' }],
  ['cannot-read', SHARED],
  ['not-owner', SHARED],
])

type CollectedBatch = Pick<Garbage, 'paths' | 'rubbish'>

function batchesOf({ paths, rubbish }: CollectedBatch): CollectedBatch[] {
  // At least one batch, which cleans up after an interrupted collection.
  const batches: CollectedBatch[] = paths.length + rubbish.length === 0 ? [NO_GARBAGE] : []
  for (let first = 0; first < paths.length; first += BATCH) {
    batches.push({ paths: paths.slice(first, first + BATCH), rubbish: [] })
  }
  for (let first = 0; first < rubbish.length; first += BATCH) {
    batches.push({ paths: [], rubbish: rubbish.slice(first, first + BATCH) })
  }
  return batches
}

function placesOf({ directory, incoming, registrations, roots, locks }: StoreLayout) {
  return [directory, incoming, registrations, roots, locks] as const
}
