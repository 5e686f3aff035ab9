import { DavitError, hasCode } from '@davit/diagnostics'
import type { Manifest, TargetName } from '@davit/documents'
import {
  groupByMachine,
  isSkippable,
  type ReachedTargets,
  type ShellTarget,
  type SkipTerms,
  targetsToUse,
} from '@davit/target'

import { messageOf, reportTransfer } from './report-transfer.ts'
import { type SendingOptions, sendClosure } from './send-closure.ts'

export interface DistributionOptions extends SkipTerms, SendingOptions {
  /** How many machines to send to at a time. */
  readonly maxTransfers: number
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
  await reportTransfer({ ...options, verb: 'send', target: target.name }, () => sendClosure([profile], target, options))
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

/** Returns the paths of this machine that were not sent, since they were altered. */
export function alteredPaths({ failed }: DistributionOutcome): readonly string[] {
  const paths = [...failed.values()].flatMap((error) =>
    hasCode(error, 'altered-package') ? [error.fields['altered']].flat() : [],
  )
  return [...new Set(paths.map(String))]
}

function isUnreachable(error: unknown): boolean {
  return error instanceof DavitError && isSkippable(error)
}
