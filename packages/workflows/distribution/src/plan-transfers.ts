import type { Manifest, PlannedTransfer, StorePath, TargetName } from '@davit/documents'
import type { Store } from '@davit/store'
import { groupByMachine, type Machine, openTargetStore, requestFor, type ShellTarget } from '@davit/target'

export interface TransferQuestion {
  /** The coordinator's store. */
  readonly store: Store
  /** Opens a helper for packages on the machine of a target. */
  readonly open: (request: ReturnType<typeof requestFor>, role: 'carry') => Promise<Machine<'carry'>>
  readonly signal: AbortSignal
}

/** How many machines are asked at a time. */
const AT_A_TIME = 16

/**
 * Finds out what would have to be sent to targets, and sends nothing. Undefined if this machine lacks packages itself, so that it
 * does not know what they need.
 */
export async function planTransfers(
  manifest: Manifest,
  targets: readonly ShellTarget[],
  question: TransferQuestion,
): Promise<readonly PlannedTransfer[] | undefined> {
  const profiles = targets.flatMap(({ name }) => manifest.profiles.get(name) ?? [])
  if ((await question.store.invalidPaths([...new Set(profiles)])).length > 0) return undefined
  const found = new Map<TargetName, PlannedTransfer>()
  const waiting = groupByMachine(targets).values()
  const worker = async () => {
    for (const group of waiting) {
      for (const transfer of await transfersTo(group, manifest, question)) found.set(transfer.target, transfer)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  return targets.flatMap(({ name }) => found.get(name) ?? [])
}

/** Targets of one machine share a store: what is sent for the first one is there for the others. */
async function transfersTo(
  group: readonly ShellTarget[],
  manifest: Manifest,
  { store, open, signal }: TransferQuestion,
): Promise<readonly PlannedTransfer[]> {
  const [first] = group
  if (first === undefined || !manifest.infrastructure.has(first.name)) return []
  signal.throwIfAborted()
  const request = requestFor(manifest.infrastructure, first.name)
  const there = openTargetStore({ name: first.name, machine: await open(request, 'carry') }, store)
  const sent = new Set<StorePath>()
  const transfers: PlannedTransfer[] = []
  for (const { name } of group) {
    const profile = manifest.profiles.get(name)
    const closure = profile === undefined ? [] : await store.closure([profile])
    const missing = (await there.missing(closure, { signal })).filter((path) => !sent.has(path))
    for (const path of missing) sent.add(path)
    if (missing.length > 0) transfers.push({ target: name, paths: missing.length, bytes: await sizeOf(missing, store) })
  }
  return transfers
}

async function sizeOf(paths: readonly StorePath[], store: Store): Promise<number> {
  const sizes =
    store.kind === 'native'
      ? (await store.registrations(paths)).map(({ size }) => size)
      : (await store.withServe((client) => client.pathInfos(paths))).map(({ narSize }) => narSize)
  return sizes.reduce((total, size) => total + size, 0)
}
