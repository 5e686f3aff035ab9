import { DavitError, printableLines } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { isComponentSelected, keptStores, selectsAll, type StateSelection } from '@davit/state-runner'
import { type CleanedComponent, cleanSnapshots, type SnapshotStore, targetsToUse } from '@davit/target'
import {
  type ArgumentsOf,
  defineTool,
  deploymentOf,
  type Run,
  type StepContext,
  type ToolContext,
  trustUnless,
  usageError,
  withTargets,
} from '@davit/tool'

import { type Chosen, chosenOf, type IsConcerned } from './chosen-components.ts'
import { description } from './clean-snapshots-description.ts'
import { removedText, say } from './messages.ts'
import { readInfrastructure, type StoresToClean } from './read-infrastructure.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { place } = deploymentOf(context)
    const args = { ...context.args, keep: keptOf(context.args) }
    const stores = await readInfrastructure(context, place)
    await cleanStores(stores, args, context)
  },
})

type Given = ArgumentsOf<typeof description.options, typeof description.operands>
type Options = Omit<Given, 'document' | 'deployed' | 'keep'> & { readonly keep: number }

/** Removes all but the last snapshots of components, on targets and on this machine; with `dryRun`, prints what it would remove. */
export async function cleanStores(
  { infrastructure, manifest }: StoresToClean,
  options: Options,
  run: Run & Pick<ToolContext<unknown>, 'print'>,
): Promise<void> {
  const context = { ...run, args: options }
  const { profile } = deploymentOf(context)
  const chosen = await chosenOf({ infrastructure, manifest }, context)
  if (!options.dryRun) run.journal({ profile }, 'release')
  const selection = { containers: options.container, components: options.component, services: [] }
  const cleaned = await cleanAll(context, { ...chosen, isConcerned: concernedBy(manifest, selection) })
  const removed = cleaned.flatMap((one) => one.removed)
  const failed = cleaned.flatMap((one) => one.failed)
  if (options.dryRun)
    await run.print(printableLines(removed.map((one) => `remove ${removedText(one)}`)) || 'nothing to do\n')
  else for (const one of removed) run.report(say('snapshots-removed', one))
  if (failed.length > 0) throw notCleaned(failed)
}

/** Snapshots are not removed by a number that nobody has thought of. */
function keptOf({ keep }: Given): number {
  if (keep === undefined)
    throw usageError("option '--keep' is missing", 'name how many snapshots of each component to keep')
  return keep
}

interface Cleaned {
  readonly removed: readonly (CleanedComponent & { readonly where: string })[]
  readonly failed: readonly string[]
}

/** Tells which components on targets are cleaned: those that are selected, or else those of the manifest, or else all. */
function concernedBy(manifest: Manifest | undefined, selection: StateSelection): IsConcerned {
  if (manifest === undefined || !selectsAll(selection)) return (one) => isComponentSelected(one, selection)
  const own = new Set(manifest.snapshotMappings.map(({ container, component }) => `${container} ${component}`))
  return ({ container, component }) => own.has(`${container} ${component}`)
}

interface StoreToClean {
  readonly where: string
  readonly store: SnapshotStore
  readonly isConcerned: IsConcerned
}

interface CleaningPlan extends Chosen {
  readonly isConcerned: IsConcerned
}

async function cleanAll(
  context: StepContext<Options>,
  { infrastructure, isOn, isConcerned }: CleaningPlan,
): Promise<readonly Cleaned[]> {
  const { args, report } = context
  const { profile } = deploymentOf(context)
  const selection = { containers: args.container, components: args.component, services: [] }
  const trust = await trustUnless(context)
  return withTargets(infrastructure, { ...context, role: 'state', manifests: [], trust }, async (reached, openHere) => {
    const targets = targetsToUse(reached, { unreachable: args.skipUnreachable ? 'skip' : 'refuse', report })
    const there = targets.map(({ name, machine }): StoreToClean => ({
      where: `on ${name}`,
      store: { machine, place: `targets/${name}` },
      isConcerned: (one) => isOn(name)(one) && isConcerned(one),
    }))
    const kept = args.where === 'targets' ? [] : keptStores(await openHere(), profile)
    const here = kept.map(({ target, store }): StoreToClean => ({
      where: `of ${target} on this machine`,
      store,
      isConcerned: (one) => isOn(target)(one) && isComponentSelected(one, selection),
    }))
    return Promise.all([...there, ...here].map((one) => clean(one, context)))
  })
}

async function clean(
  { where, store, isConcerned }: StoreToClean,
  { args, signal }: StepContext<Options>,
): Promise<Cleaned> {
  signal.throwIfAborted()
  const mode = args.dryRun ? 'dry-run' : 'remove'
  try {
    const found = await cleanSnapshots(store, isConcerned, { keep: args.keep, mode })
    return { removed: found.map((one) => ({ ...one, where })), failed: [] }
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
