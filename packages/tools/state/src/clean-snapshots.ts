import { DavitError } from '@davit/diagnostics'
import type { Infrastructure } from '@davit/documents'
import { isComponentSelected, keptStores } from '@davit/state-runner'
import { type CleanedComponent, cleanSnapshots, type SnapshotStore, targetsToUse } from '@davit/target'
import { defineTool, deploymentOf, type ToolContext, withTargets } from '@davit/tool'

import { description } from './clean-snapshots-description.ts'
import { removedText, say } from './messages.ts'
import { readInfrastructure } from './read-infrastructure.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, journal, print, report } = context
    const { profile, place } = deploymentOf(context)
    const infrastructure = await readInfrastructure(context, place)
    if (!args.dryRun) journal({ profile }, 'release')
    const cleaned = await cleanAll(context, args.where === 'coordinator' ? new Map() : infrastructure)
    const removed = cleaned.flatMap((one) => one.removed)
    const failed = cleaned.flatMap((one) => one.failed)
    if (!args.dryRun) for (const one of removed) report(say('snapshots-removed', one))
    if (args.dryRun) await print(removed.map((one) => `remove ${removedText(one)}\n`).join('') || 'nothing to do\n')
    if (failed.length > 0) throw notCleaned(failed)
  },
})

interface Arguments {
  readonly profile: string
  readonly where: 'targets' | 'coordinator' | 'both'
  readonly keep: number
  readonly container: readonly string[]
  readonly component: readonly string[]
  readonly skipUnreachable: boolean
  readonly dryRun: boolean
}

interface Cleaned {
  readonly removed: readonly (CleanedComponent & { readonly where: string })[]
  readonly failed: readonly string[]
}

interface StoreToClean {
  readonly where: string
  readonly store: SnapshotStore
}

async function cleanAll(context: ToolContext<Arguments>, infrastructure: Infrastructure): Promise<readonly Cleaned[]> {
  const { args, report } = context
  const { profile } = deploymentOf(context)
  return withTargets(infrastructure, { ...context, role: 'state' }, async (reached, openHere) => {
    const targets = targetsToUse(reached, { unreachable: args.skipUnreachable ? 'skip' : 'refuse', report })
    const there = targets.map(({ name, machine }): StoreToClean => ({
      where: `on ${name}`,
      store: { machine, place: `targets/${name}` },
    }))
    const kept = args.where === 'targets' ? [] : keptStores(await openHere(), profile)
    const here = kept.map(({ target, store }): StoreToClean => ({ where: `of ${target} on this machine`, store }))
    return Promise.all([...there, ...here].map((one) => clean(one, context)))
  })
}

async function clean({ where, store }: StoreToClean, { args, signal }: ToolContext<Arguments>): Promise<Cleaned> {
  signal.throwIfAborted()
  const selection = { containers: args.container, components: args.component, services: [] }
  const mode = args.dryRun ? 'dry-run' : 'remove'
  try {
    const found = await cleanSnapshots(store, (one) => isComponentSelected(one, selection), { keep: args.keep, mode })
    const removed = found.map((one) => ({ ...one, where }))
    return { removed, failed: [] }
  } catch (error) {
    if (!(error instanceof DavitError)) throw error
    return { removed: [], failed: [`snapshots ${where}: ${error.message}`] }
  }
}

function notCleaned(failed: readonly string[]): DavitError {
  return new DavitError('state-failed', 'not all snapshots could be removed', {
    diagnostics: failed.map((message) => ({ severity: 'error', message })),
    hint: 'the same command tries again',
  })
}
