import { randomBytes } from 'node:crypto'

import { isWanted } from '@davit/coordinator-state'
import { type EndTerms, endDeployment, lockAll, type LockTerms, ownerOf } from '@davit/deployment-lock'
import type { Manifest } from '@davit/documents'
import { processIdentity } from '@davit/process'
import { termsOf } from '@davit/selection'
import type { ShellTarget } from '@davit/target'
import {
  type ArgumentsOf,
  deploymentOf,
  type DocumentInput,
  onSelected,
  type Run,
  type StepContext,
  withDeployment,
} from '@davit/tool'
import { coresOf } from '@davit/transition'

import { concernedBy } from './concerned-by.ts'
import type { description } from './lock-description.ts'
import { runLocked } from './run-locked.ts'

export type LockOptions = Omit<
  ArgumentsOf<typeof description.options, Record<never, never>>,
  'status' | 'infrastructure' | 'format' | 'interface' | 'targetProperty' | 'trustPrograms'
>

type GivenManifest = Pick<DocumentInput<Manifest>, 'value' | 'text'>

interface LockedDeployment {
  readonly targets: readonly ShellTarget[]
  readonly terms: LockTerms & EndTerms
}

/** Holds the lock of a deployment while a command runs, and returns the status of the command. If the lock is lost, `lost` aborts. */
export async function holdLock(
  manifest: GivenManifest,
  { command, ...options }: LockOptions & { readonly command: (lost: AbortSignal) => Promise<number> },
  run: Run,
): Promise<number> {
  return locking(manifest, { ...run, args: { ...options, duringCommand: true } }, ({ targets, terms }) =>
    runLocked(targets, { ...terms, report: run.report }, command),
  )
}

/** Takes the lock of a deployment for the process that has begun this one; `print` tells it, else the lock is released. */
export async function takeLock(
  manifest: GivenManifest,
  { print, ...options }: LockOptions & { readonly print: () => Promise<void> },
  run: Run,
): Promise<void> {
  await locking(manifest, { ...run, args: { ...options, duringCommand: false } }, ({ targets, terms }) =>
    print().catch(async (error: unknown) => {
      // A user who sees this failure would not unlock.
      await endDeployment(targets, terms).catch(() => {})
      throw error
    }),
  )
}

async function locking<Result>(
  { value: manifest, text }: GivenManifest,
  context: StepContext<LockOptions & { readonly duringCommand: boolean }>,
  use: (locked: LockedDeployment) => Promise<Result>,
): Promise<Result> {
  const { args, signal, report } = context
  const { duringCommand } = args
  const here = processIdentity()
  const { profile, place } = deploymentOf(context)
  const token = randomBytes(16).toString('hex')
  const owner = ownerOf(here, duringCommand ? 'self' : 'parent')
  const { lockLease: leaseSeconds, activityTimeout: timeoutSeconds } = args
  const cores = coresOf(manifest.infrastructure)
  const isUnfinished = (run: string) => isWanted(place, run)
  const common = { profile, token, owner, leaseSeconds, here, place, timeoutSeconds, coresOf: cores, isUnfinished }
  const deployment = { manifest, text, purpose: 'change', trust: 'everything' } as const
  return withDeployment(context, deployment, async ({ targets, selection }) => {
    const wanted = { ...manifest, profiles: onSelected(manifest.profiles, selection) }
    const on = selection === undefined ? undefined : termsOf(selection)
    const profiles = args.targetProfiles ? { wanted } : {}
    const terms = { ...common, on, isConcerned: concernedBy(selection), ...profiles }
    const locked = await lockAll(targets, { ...terms, manifest: text, duringCommand, signal, report })
    return use({ targets: locked, terms })
  })
}
