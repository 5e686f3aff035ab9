import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { DavitError, type Report } from '@davit/diagnostics'
import type { Steps, ToolContext, Trust } from '@davit/tool'

import { hasModels } from './check-models.ts'
import { modelSource } from './model-source.ts'
import type { Order } from './options.ts'
import { handingOn } from './origin.ts'
import { type Planned, withPlanFile } from './planned.ts'
import type { PrivateDirectories } from './private-directories.ts'
import { resumed } from './resumed.ts'
import { type Sending, sendPackages } from './send-packages.ts'
import { selected } from './selected.ts'
import { refuseStrangeBuilders } from './strange-builders.ts'
import {
  activate,
  cleanSnapshots,
  delegateBuild,
  deleteState,
  generations,
  lock,
  manifest,
  normalize,
  reconstruct,
  set,
} from './tools.ts'
import {
  activationWords,
  deletionWords,
  generationWords,
  lockWords,
  profileWords,
  reconstructionWords,
  recordWords,
  variablesOf,
  wordsOf,
} from './words.ts'

/** Carries out an order: all steps of a deployment, one after the other. */
export async function deploy(order: Order, steps: Steps, surroundings: Surroundings): Promise<void> {
  const { origin, planned, directories } = surroundings
  const making = { steps, ...surroundings }
  const administration = generationWords(order)
  if (administration !== undefined) return steps.show(generations, administration)
  if (isAboutLastDeployment(order)) return steps.show(activate, activationWords(order))

  if (planned !== undefined) {
    const change = { next: planned.manifest, generation: undefined, origin }
    return withPlanFile(planned, directories, (withFile) => reach(withFile, change, making))
  }
  if (order.resume || (order.abort && order.infrastructure !== undefined)) return goOn(order, making)
  const generation = await generationOf(order, steps)
  const make = () => manifestOf(order, generation, making)
  const { manifest: next, models } = await make()
  const change = { next, generation, origin: origin + models }
  return reach(order, change, { ...making, remake: hasModels(order) ? make : undefined })
}

/** Deploys what a run wanted that was cut off, or what was deployed before it. */
async function goOn(order: Order, making: Making & Surroundings): Promise<void> {
  const { steps, directories, report } = making
  const { result: next, origin } = await directories.use((directory) =>
    handingOn(steps, { directory, known: making.origin, report }, (handing) =>
      handing.run(reconstruct, reconstructionWords(order)),
    ),
  )
  if (next === '') return
  const isRecorded = origin !== making.origin
  // What the targets tell was deployed from elsewhere.
  const wanted = isRecorded ? resumed(order, origin) : { ...order, takeOver: true }
  const generation = isRecorded ? await sameGeneration(wanted, next, steps) : undefined
  return reach(wanted, { next, generation, origin }, { ...making, steps: steps.with(variablesOf(wanted)) })
}

/** Number of the generation to which the run that is resumed was about to return. */
async function sameGeneration(order: Order, next: string, steps: Steps): Promise<string | undefined> {
  const number = await generationOf(order, steps)
  if (number === undefined) return undefined
  return (await steps.run(generations, wordsOf({ print: number }))) === next ? number : undefined
}

/** Shows or carries out what leads to a manifest. */
async function reach(given: Order, wanted: Change, making: Making): Promise<void> {
  const { steps, directories } = making
  const { order, change } = await selected(knowing(given, wanted), wanted, steps)
  const { next, generation } = change
  if (order.dryRun || order.abandon.length > 0) return showPlan(order, next, making)

  if ((await stateOf(order, { next, generation }, steps)) === 'unchanged') return directories.sweep()
  await sendPackages(order, next, making)
  const work = () => changeTargets(order, change, making)
  if (order.noLock) await work()
  else {
    await steps.during(lock, lockWords(order), { input: next, work })
    directories.sweep()
  }
  // From now on, another rollback goes one generation further back.
  if (generation !== undefined) await steps.run(generations, ['--end-rollback'])
}

/** Whoever names a generation means all of it, also where it shares nothing with what is deployed. */
function knowing(order: Order, { generation }: Change): Order {
  return generation === undefined ? order : { ...order, takeOver: true }
}

/** Shows what a dry run is about, or gives services up. */
async function showPlan(order: Order, next: string, making: Making): Promise<void> {
  const { steps } = making
  await steps.show(activate, activationWords(order), next)
  if (!order.deleteState || order.abandon.length > 0) return
  const before = await steps.run(generations, ['--current'])
  if (before !== '')
    await withOldManifest(before, making, (file) => steps.show(deleteState, deletionWords(order, file), next))
}

export interface Surroundings {
  readonly directories: PrivateDirectories
  readonly report: Report
  readonly readInput: ToolContext<unknown>['readInput']
  /** What the models may start on this machine. */
  readonly trust: Trust
  /** What the generation is made from, as far as it is known in advance. */
  readonly origin: string
  /** The plan that is to be carried out, if the order is about one. */
  readonly planned: Planned | undefined
}

/** Whether services are to be given up on the targets of the last deployment. */
function isAboutLastDeployment(order: Order): boolean {
  return order.abandon.length > 0 && !hasModels(order) && order.deployment === undefined
}

/** Refuses a deployment that is not ours, and returns whether it is 'changed' or 'unchanged'. */
async function stateOf(order: Order, { next, generation }: Omit<Change, 'origin'>, steps: Steps): Promise<string> {
  // A generation to return to is known to be ours.
  if (generation !== undefined) return 'changed'
  return (await steps.run(activate, ['--check', ...activationWords(order), ...profileWords(order)], next)).trim()
}

export interface Change {
  /** Text of the manifest. */
  readonly next: string
  readonly generation: string | undefined
  readonly origin: string
}

/** The steps under the lock. */
async function changeTargets(order: Order, change: Change, making: Making): Promise<void> {
  const { steps } = making
  const { next } = change
  // davit-set makes another one the current one.
  const before = order.deleteState ? await steps.run(generations, ['--current']) : ''
  await activateAndRecord(order, change, making)
  // What the services of the manifest before have left behind.
  if (before !== '')
    await withOldManifest(before, making, (file) => steps.run(deleteState, deletionWords(order, file), next))
  if (order.keep !== undefined) await steps.run(cleanSnapshots, wordsOf({ on: order.on, keep: order.keep }), next)
}

async function activateAndRecord(order: Order, { next, generation, origin }: Change, making: Making): Promise<void> {
  const work = async (steps: Steps) => {
    await steps.run(activate, activationWords(order), next)
    // A repair deploys nothing new, so there is nothing to record.
    if (!order.repair) await steps.run(set, recordWords(order, generation), next)
  }
  const { steps, directories, report } = making
  if (order.repair) return work(steps)
  await directories.use(async (directory) => handingOn(steps, { directory, known: origin, report }, work))
}

/** Has the manifest before in a file. */
async function withOldManifest(
  before: string,
  { directories }: Making,
  use: (file: string) => Promise<unknown>,
): Promise<void> {
  await directories.use(async (directory) => {
    const file = join(directory, 'old-manifest')
    await writeFile(file, before, { mode: 0o600 })
    await use(file)
  })
}

/** Returns the number of the generation to return to; undefined where models or a manifest are deployed. */
async function generationOf(order: Order, steps: Steps): Promise<string | undefined> {
  if (order.switchToGeneration !== undefined) return String(order.switchToGeneration)
  if (order.abort) return currentNumber(steps)
  if (!order.rollback) return undefined
  return (await steps.run(generations, [order.dryRun ? '--previous' : '--begin-rollback'])).trim()
}

async function currentNumber(steps: Steps): Promise<string> {
  const list = await steps.run(generations, ['--format=json'])
  const number = currentIn(JSON.parse(list))
  if (number !== undefined) return String(number)
  throw new DavitError('no-generation', 'there is no generation to go back to', {
    hint: "'davit-env --abort -i INFRASTRUCTURE' goes back to what the targets ran before, and 'davit-env --undeploy -i INFRASTRUCTURE' removes all",
  })
}

/** Finds the number of the current generation in what davit-generations prints. */
function currentIn(list: { readonly generations?: readonly Listed[] }): number | undefined {
  return list.generations?.find(({ isCurrent }) => isCurrent)?.number
}

interface Listed {
  readonly number: number
  readonly isCurrent: boolean
}

type Making = Omit<Surroundings, 'origin' | 'planned'> & Sending

interface MadeManifest {
  /** Text of the manifest to deploy. */
  readonly manifest: string
  /** What is known about its models, for the generation. */
  readonly models: string
}

async function manifestOf(
  order: Order,
  generation: string | undefined,
  { steps, directories, report, readInput, trust }: Making,
): Promise<MadeManifest> {
  if (generation !== undefined) return madeOf(await steps.run(generations, wordsOf({ print: generation })))
  const { deployment, maxJobs, modules, trustBuilds } = order
  if (deployment !== undefined)
    return madeOf(await steps.run(manifest, wordsOf({ format: 'json', deployment, modules })))
  // If the run is killed, what davit-normalize leaves in its directory is swept later.
  const { result: architecture, origin: models } = await directories.use((TMPDIR) =>
    handingOn(steps.with({ TMPDIR }), { directory: TMPDIR, known: '', report }, async (handing) => {
      const { words, input } = await modelSource(order, { steps: handing, directory: TMPDIR, readInput })
      return handing.run(normalize, words, input)
    }),
  )
  if (order.buildOnTargets) {
    refuseStrangeBuilders(architecture, trust)
    await steps.run(delegateBuild, wordsOf({ trustBuilds }), architecture)
  }
  const words = wordsOf({ format: 'json', maxJobs, modules, trustBuilds })
  return madeOf(await steps.run(manifest, words, architecture), models)
}

function madeOf(text: string, models = ''): MadeManifest {
  return { manifest: text, models }
}
