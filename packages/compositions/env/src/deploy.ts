import { DavitError } from '@davit/diagnostics'
import type { MadeFrom } from '@davit/documents'
import { deploymentOf, optionsFor, type Run, type ToolContext } from '@davit/tool'

import { activateManifest, checkManifest, giveUpServices, showPlan } from './activation.ts'
import { hasModels } from './check-models.ts'
import { type GivenManifest, makeManifest, type MakingTerms } from './make-manifest.ts'
import type { Order } from './options.ts'
import type { Planned } from './planned.ts'
import { resumed } from './resumed.ts'
import { selected } from './selected.ts'
import { type Sending, sendPackages } from './send-packages.ts'
import { cleanSnapshots, deleteLeftState } from './state-left.ts'
import { toKnowGenerations, toLock, toReconstruct, toSet } from './tools.ts'

export interface Surroundings extends MakingTerms {
  readonly context: ToolContext<unknown>
  /** What the generation is made from, as far as it is known in advance. */
  readonly origin: MadeFrom
  /** The plan that is to be carried out, if the order is about one. */
  readonly planned: Planned | undefined
}

/** Carries out an order: all steps of a deployment, one after the other. */
export async function deploy(order: Order, surroundings: Surroundings): Promise<void> {
  if (isAboutGenerations(order)) return administer(order, surroundings)
  if (isAboutLastDeployment(order)) return giveUpServices(order, undefined, surroundings)
  if (order.resume || (order.abort && order.infrastructure !== undefined)) return goOn(order, surroundings)
  const { origin: madeFrom, planned } = surroundings
  if (planned !== undefined)
    return reach(order, { next: planned.manifest, generation: undefined, madeFrom, plan: planned.plan }, surroundings)
  const generation = await generationOf(order, surroundings)
  if (generation === undefined) return deployModels(order, surroundings)
  const next = await manifestOfGeneration(order, generation, surroundings)
  await reach(order, { next, generation, madeFrom }, surroundings)
}

async function deployModels(order: Order, surroundings: Surroundings): Promise<void> {
  const make = () => makeManifest(order, surroundings)
  const { madeFrom: models, ...next } = await make()
  const change = { next, generation: undefined, madeFrom: { ...surroundings.origin, ...models } }
  await reach(order, change, { ...surroundings, remake: hasModels(order) ? make : undefined })
}

type Work = Surroundings & Sending

export interface Change {
  readonly next: GivenManifest
  /** Number of the generation to return to; undefined where models or a manifest are deployed. */
  readonly generation: number | undefined
  /** What the generation is made from. */
  readonly madeFrom: MadeFrom
  readonly plan?: Planned['plan'] | undefined
}

/** Shows or carries out what leads to a manifest: look, distribute, lock, activate, record. */
async function reach(given: Order, wanted: Change, work: Work): Promise<void> {
  const { steps, directories } = work
  const { order, change } = await selected(knowing(given, wanted), wanted, steps)
  if (order.abandon.length > 0) return giveUpServices(order, change.next, work)
  if (order.dryRun) return showChange(order, change, work)

  // A generation to return to is known to be ours.
  const isKnown = change.generation !== undefined
  if (!isKnown && (await checkManifest(order, change, steps)) === 'unchanged') return directories.sweep()
  await sendPackages(order, change.next, work)
  if (order.noLock) await changeTargets(order, change, work)
  else {
    await underLock(order, change, work)
    directories.sweep()
  }
  // From now on, another rollback goes one generation further back.
  if (isKnown) await asGenerations(order, work, ({ place, ...tool }) => tool.finishRollback(place))
}

/** Whoever names a generation means all of it, also where it shares nothing with what is deployed. */
function knowing(order: Order, { generation }: Change): Order {
  return generation === undefined ? order : { ...order, takeOver: true }
}

async function showChange(order: Order, change: Change, work: Work): Promise<void> {
  await showPlan(order, change, work)
  if (!order.deleteState) return
  const before = await deployedBefore(order, work)
  if (before !== undefined) await deleteLeftState(order, { ...change.next, old: before }, work)
}

async function underLock(order: Order, change: Change, work: Work): Promise<void> {
  const { lockDescription: description, holdLock } = await toLock()
  // A repair reaches nothing new.
  const locking = { ...order, noTargetProfiles: order.noTargetProfiles || order.repair }
  await work.steps.during(
    description,
    (run, command) => holdLock(change.next, { ...optionsFor(description, locking, run), command }, run),
    () => changeTargets(order, change, work),
  )
}

/** The steps under the lock. */
async function changeTargets(order: Order, change: Change, work: Work): Promise<void> {
  // The record makes another one the current one.
  const before = order.deleteState ? await deployedBefore(order, work) : undefined
  const transition = await activateManifest(order, change, work.steps)
  // A repair deploys nothing new, so there is nothing to record.
  if (!order.repair) await record(order, { ...change, madeFrom: { ...change.madeFrom, transition } }, work)
  // What the services of the manifest before have left behind.
  if (before !== undefined) await deleteLeftState(order, { ...change.next, old: before }, work)
  if (order.keep !== undefined) await cleanSnapshots({ ...order, keep: order.keep }, change.next, work)
}

async function record(order: Order, { next, generation, madeFrom }: Change, { steps }: Work): Promise<void> {
  const { description, recordDeployment } = await toSet()
  await steps.as(description, (run) =>
    recordDeployment({ ...next, madeFrom }, optionsFor(description, { ...order, generation }, run), run),
  )
}

/** Deploys what a run wanted that was cut off, or what was deployed before it. */
async function goOn(order: Order, work: Surroundings): Promise<void> {
  const found = await reconstructed(order, work)
  if (found === undefined) return
  const { madeFrom, ...next } = found
  // What the targets tell was deployed from elsewhere.
  if (madeFrom === undefined)
    return reach({ ...order, takeOver: true }, { next, generation: undefined, madeFrom: work.origin }, work)
  const wanted = resumed(order, madeFrom)
  const generation = await sameGeneration(wanted, next, work)
  await reach(wanted, { next, generation, madeFrom: { ...work.origin, ...madeFrom } }, work)
}

interface FoundManifest extends GivenManifest {
  readonly madeFrom: MadeFrom | undefined
}

async function reconstructed(order: Order, { steps }: Surroundings): Promise<FoundManifest | undefined> {
  const { description, reconstructDeployed, reconstructWanted } = await toReconstruct()
  const { infrastructure } = order
  return steps.as(description, async (run) => {
    const options = { ...optionsFor(description, order, run), infrastructure, closures: true, format: 'json' } as const
    if (order.resume) return reconstructWanted(options, run)
    const { manifest: value, text } = await reconstructDeployed({ ...options, prefer: 'profile' }, run)
    return { value, text, madeFrom: undefined }
  })
}

/** Number of the generation to which the run that is resumed was about to return. */
async function sameGeneration(order: Order, next: GivenManifest, work: Surroundings): Promise<number | undefined> {
  const number = await generationOf(order, work)
  if (number === undefined) return undefined
  return (await manifestOfGeneration(order, number, work)).text === next.text ? number : undefined
}

/** Returns the number of the generation to return to; undefined where models or a manifest are deployed. */
async function generationOf(order: Order, work: Surroundings): Promise<number | undefined> {
  if (order.switchToGeneration !== undefined) return order.switchToGeneration
  if (order.abort) return numberOfCurrent(order, work)
  if (!order.rollback) return undefined
  return asGenerations(order, work, async ({ place, report, ...tool }) =>
    order.dryRun ? (await tool.nextRollback(place)).to : tool.startRollback(place, report),
  )
}

async function numberOfCurrent(order: Order, work: Surroundings): Promise<number> {
  const number = await asGenerations(order, work, ({ place, ...tool }) => tool.currentNumber(place))
  if (number !== undefined) return number
  throw new DavitError('no-generation', 'there is no generation to go back to', {
    hint: "'davit-env --abort -i INFRASTRUCTURE' goes back to what the targets ran before, and 'davit-env --undeploy -i INFRASTRUCTURE' removes all",
  })
}

async function manifestOfGeneration(order: Order, number: number, work: Surroundings): Promise<GivenManifest> {
  const { manifest: value, text } = await asGenerations(order, work, ({ place, ...tool }) =>
    tool.readGeneration(place, number),
  )
  return { value, text }
}

async function deployedBefore(order: Order, work: Surroundings) {
  return (await asGenerations(order, work, ({ place, ...tool }) => tool.currentGeneration(place)))?.manifest
}

type Generations = Run & ReturnType<typeof deploymentOf> & Awaited<ReturnType<typeof toKnowGenerations>>

/** Does what davit-generations does. */
async function asGenerations<Result>(
  { profile }: Order,
  { steps }: Surroundings,
  work: (run: Generations) => Promise<Result>,
): Promise<Result> {
  const tool = await toKnowGenerations()
  return steps.as(tool.description, (run) => work({ ...run, ...tool, ...deploymentOf({ ...run, args: { profile } }) }))
}

/** Whether services are to be given up on the targets of the last deployment. */
function isAboutLastDeployment(order: Order): boolean {
  return order.abandon.length > 0 && !hasModels(order) && order.deployment === undefined
}

function isAboutGenerations({ listGenerations, deleteGenerations, deleteAllGenerations, forget }: Order): boolean {
  return listGenerations || deleteAllGenerations || (deleteGenerations ?? forget) !== undefined
}

/** Leaves to davit-generations what is only about generations. */
async function administer(order: Order, { steps, context }: Surroundings): Promise<void> {
  const { description, tool } = await toKnowGenerations()
  const { deleteGenerations, deleteAllGenerations: deleteAll, forget } = order
  await steps.as(description, async (run) => {
    const options = optionsFor(
      description,
      { profile: order.profile, delete: deleteGenerations, deleteAll, forget },
      run,
    )
    await tool.run({ ...context, ...run, args: { ...options, generation: undefined } })
  })
}
