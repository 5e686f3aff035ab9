import { DavitError } from '@davit/diagnostics'
import type { Manifest, StorePath, TargetName } from '@davit/documents'
import type { Store } from '@davit/store'
import {
  isBroken,
  groupByMachine,
  isSkippable,
  openTargetStore,
  type ReachedTargets,
  type ShellTarget,
  type SkipTerms,
  targetsToUse,
  type Transferred,
} from '@davit/target'

export interface DistributionOptions extends SkipTerms {
  readonly store: Store
  /** How many machines to send to at a time. */
  readonly maxTransfers: number
  /** Whether machines first fetch what they can from their own caches. */
  readonly useSubstitutes?: boolean
  readonly signal: AbortSignal
}

export interface DistributionOutcome {
  /** Targets that have all packages of their profiles. */
  readonly done: ReadonlySet<TargetName>
  readonly failed: ReadonlyMap<TargetName, unknown>
}

/** Sends the closure of each profile to its target. A machine that fails does not stop the others. */
export async function distribute(
  manifest: Manifest,
  reached: ReachedTargets<'carry'>,
  options: DistributionOptions,
): Promise<DistributionOutcome> {
  const failed = notReached(reached, options)
  await protectHere(manifest, reached, options)
  const done = new Set<TargetName>()
  // Targets of one machine share a store: the second one finds there what was sent for the first.
  const waiting = groupByMachine(reached.targets.values()).values()
  const worker = async () => {
    for (const machine of waiting) {
      for (const target of machine) {
        const { name } = target
        await sendProfile(manifest, target, options).then(
          () => done.add(name),
          (error: unknown) => failed.set(name, error),
        )
      }
    }
  }
  await Promise.all(Array.from({ length: options.maxTransfers }, worker))
  return { failed, done }
}

/** Protects the profiles while they are sent, however old they are; if that fails, they may still be sent. */
async function protectHere(manifest: Manifest, { targets }: ReachedTargets<'carry'>, { store }: DistributionOptions) {
  const profiles = [...targets.keys()].flatMap((name) => manifest.profiles.get(name) ?? [])
  await store.protect(profiles).catch(() => {})
}

/** Targets that could not be reached and are not skipped. */
function notReached(reached: ReachedTargets<'carry'>, options: SkipTerms): Map<TargetName, unknown> {
  const { unreachable } = reached
  if (options.unreachable === 'skip') {
    targetsToUse(reached, options)
    return new Map()
  }
  for (const [target, error] of unreachable)
    options.report({ kind: 'failed', id: `send ${target}`, target, step: 'connect', message: error.message })
  return new Map(unreachable)
}

async function sendProfile(
  manifest: Manifest,
  target: ShellTarget<'carry'>,
  options: DistributionOptions,
): Promise<void> {
  const profile = manifest.profiles.get(target.name)
  if (profile === undefined) return
  const { report, signal } = options
  const event = { id: `send ${target.name}`, target: target.name, step: 'send packages' }
  signal.throwIfAborted()
  report({ kind: 'started', ...event })
  try {
    const sent = await sendAgain(() => sendClosure(profile, target, options))
    report({ kind: 'finished', ...event, step: stepOf(sent), bytes: sent.bytes })
  } catch (error) {
    report({ kind: 'failed', ...event, message: messageOf(error) })
    throw error
  }
}

/** Repeats a transfer that a broken connection has cut off, once the machine can be reached again. */
async function sendAgain(send: () => Promise<Transferred>): Promise<Transferred> {
  for (let losses = 0; ; losses += 1) {
    try {
      return await send()
    } catch (error) {
      if (!isBroken(error) || losses === MAX_LOSSES) throw error
    }
  }
}

const MAX_LOSSES = 3

/** Sends what the target lacks of a closure, and protects it there until a generation of the target keeps it. */
async function sendClosure(
  profile: StorePath,
  target: ShellTarget<'carry'>,
  { store, signal, useSubstitutes = false }: DistributionOptions,
): Promise<Transferred> {
  const there = openTargetStore(target, store)
  const closure = await store.closure([profile])
  const missing = await there.missing(closure, { protect: [profile], useSubstitutes, signal })
  const sent = await there.send(missing, { signal })
  await there.protect([profile])
  return sent
}

function stepOf({ paths, bytes }: Transferred): string {
  if (paths === 0) return 'send packages (all are there)'
  return `send ${paths === 1 ? '1 package' : `${paths} packages`} (${sizeText(bytes)})`
}

function sizeText(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`
  return bytes < 10_000_000 ? `${Math.round(bytes / 1000)} kB` : `${Math.round(bytes / 1_000_000)} MB`
}

/** Error of an interrupted distribution, which names the targets that have all their packages and those that do not. */
export function distributionInterrupted(reason: DavitError, { done, failed }: DistributionOutcome): DavitError {
  const list = (names: Iterable<TargetName>) => [...names].map((name) => `'${name}'`).join(', ')
  const have = done.size === 1 ? 'has all its' : 'have all their'
  const parts = [
    ...(done.size === 0 ? [] : [`${list(done)} ${have} packages`]),
    ...(failed.size === 0 ? [] : [`${list(failed.keys())} ${failed.size === 1 ? 'does' : 'do'} not yet`]),
  ]
  return new DavitError(reason.code, reason.message, {
    exitStatus: reason.exitStatus,
    fields: { delivered: [...done], missing: [...failed.keys()] },
    hint: `nothing was activated; ${parts.join(', ')}; the same command sends only what is missing`,
  })
}

/** Makes one error for all targets that were not reached or did not receive their packages. */
export function distributionError({ done, failed }: DistributionOutcome): DavitError {
  const names = [...failed.keys()].map((name) => `'${name}'`).join(', ')
  const errors = [...failed.values()]
  const statuses = new Set(errors.map((error) => (error instanceof DavitError ? error.exitStatus : 1)))
  return new DavitError('distribution-failed', `cannot send all packages to ${names}`, {
    ...(statuses.size === 1 ? { exitStatus: [...statuses][0] as number } : {}),
    fields: { delivered: [...done], missing: [...failed.keys()] },
    hint: `${done.size === 0 ? '' : 'the other targets have theirs; '}the same command sends only what is missing${errors.every(isUnreachable) ? '; --skip-unreachable continues without these targets' : ''}`,
    diagnostics: [...failed].map(([name, error]) => ({
      severity: 'error',
      message: `target '${name}': ${messageOf(error)}`,
      ...(error instanceof DavitError && error.hint !== undefined ? { hint: error.hint } : {}),
    })),
  })
}

function isUnreachable(error: unknown): boolean {
  return error instanceof DavitError && isSkippable(error)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
