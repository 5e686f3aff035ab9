import {
  beginRollback,
  currentGeneration,
  type DeploymentPlace,
  finishRollback,
  forgetTarget,
  nextRollback,
  nothingDeployed,
  readGeneration,
} from '@davit/coordinator-state'
import type { Report } from '@davit/diagnostics'
import { type ArgumentsOf, defineTool, deploymentOf, type ToolContext, usageError } from '@davit/tool'

import { description } from './description.ts'
import { deleteSelected, forgetDeployment } from './delete-generations.ts'
import { diff } from './diff.ts'
import { encodeGenerations } from './encode-generations.ts'
import { listGenerations, renderGenerations } from './list-generations.ts'
import { say } from './messages.ts'
import { madeFromOrWarning, show } from './show.ts'

// What davit-env does in the name of davit-generations.
export {
  currentGeneration,
  currentNumber,
  finishRollback,
  nextRollback,
  readGeneration,
} from '@davit/coordinator-state'
export { description } from './description.ts'
export { madeFromOrWarning } from './show.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, journal } = context
    const { profile, place } = deploymentOf(context)
    const [action, ...others] = actionsOf(place, context)
    if (others.length > 0) throw tooMany()
    refuseLoose(args)
    if (args.delete !== undefined || args.deleteAll || args.forget !== undefined) journal({ profile }, 'release')
    return action === undefined ? list(context, place) : action()
  },
})

async function list(
  { args, print, report }: ToolContext<Pick<Arguments, 'profile' | 'format'>>,
  place: DeploymentPlace,
) {
  const generations = await listGenerations(place)
  if (generations.length === 0) {
    report(say('no-generations', { profile: args.profile, reason: await nothingDeployed(place) }))
  }
  return print(args.format === 'json' ? encodeGenerations(args.profile, generations) : renderGenerations(generations))
}

type Arguments = ArgumentsOf<typeof description.options, typeof description.operands>

type Action = () => Promise<void>

/** Actions that the options request; there must be at most one. */
function actionsOf(place: DeploymentPlace, context: ToolContext<Arguments>): readonly Action[] {
  const { args, print, report } = context
  const { print: printed, delete: deleted } = args
  const actions: readonly (readonly [isWanted: boolean, action: Action])[] = [
    [printed !== undefined, async () => print((await readGeneration(place, printed ?? 0)).text)],
    [args.show !== undefined, () => show(place, args.show ?? 0, context)],
    [args.diff !== undefined, () => diff(place, args.diff ?? 0, context)],
    [args.current, () => printCurrent(place, context)],
    [args.previous, async () => print(`${(await nextRollback(place)).to}\n`)],
    [args.beginRollback, async () => print(`${await startRollback(place, report)}\n`)],
    [args.endRollback, () => finishRollback(place)],
    [deleted !== undefined, () => deleteSelected(place, deleted ?? '', context)],
    [args.deleteAll, () => forgetDeployment(place, context)],
    [args.forget !== undefined, () => forget(place, args.forget ?? '', report)],
  ]
  return actions.flatMap(([isWanted, action]) => (isWanted ? [action] : []))
}

/** Begins to return to the generation before, or goes on with that; returns its number. */
export async function startRollback(place: DeploymentPlace, report: Report): Promise<number> {
  const { to, isUnfinished } = await beginRollback(place)
  if (isUnfinished) report(say('rollback-unfinished', { to }))
  return to
}

async function printCurrent(place: DeploymentPlace, { args, print, report }: ToolContext<Arguments>): Promise<void> {
  const current = await currentGeneration(place)
  if (!args.stack) return print(current?.text ?? '')
  const madeFrom = current === undefined ? undefined : await madeFromOrWarning(place, current.number, report)
  return print(madeFrom?.stack ?? '')
}

function refuseStack({ isAbout, model }: { readonly isAbout: boolean; readonly model: string | undefined }): void {
  if (!isAbout) {
    throw usageError("option '--stack' belongs to '--show' or '--current'", 'name the generation with --show N')
  }
  if (model !== undefined) throw usageError("options '--stack' and '--model' cannot be combined", 'omit one of them')
}

async function forget(place: DeploymentPlace, target: string, report: Report): Promise<void> {
  const services = [...new Set((await forgetTarget(place, target)).map(({ name }) => name))]
  report(say('target-forgotten', { target, services }))
}

function tooMany() {
  return usageError(
    'more than one action given',
    'give only one of --show, --diff, --print, --current, --previous, --begin-rollback, --end-rollback, --delete, --delete-all and --forget',
  )
}

/** Refuses what belongs to another option that is missing. */
function refuseLoose({ show: shown, diff: compared, model, stack, current, generation }: Arguments): void {
  if (stack) refuseStack({ isAbout: shown !== undefined || current, model })
  if (model !== undefined && shown === undefined) {
    throw usageError("option '--model' belongs to '--show'", 'name the generation with --show N')
  }
  if (generation !== undefined && compared === undefined) {
    throw usageError(`'${generation}' belongs to no option`, "'davit-generations --diff A B' compares two generations")
  }
}
