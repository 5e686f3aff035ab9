import {
  beginRollback,
  type DeploymentPlace,
  finishRollback,
  forgetTarget,
  nextRollback,
  nothingDeployed,
  readGeneration,
} from '@davit/coordinator-state'
import type { Report } from '@davit/diagnostics'
import { defineTool, deploymentOf, profileOptions, stateEnvironment, type ToolContext, usageError } from '@davit/tool'

import { deleteSelected, forgetDeployment } from './delete-generations.ts'
import { listGenerations, renderGenerations } from './list-generations.ts'
import { say } from './messages.ts'

export const tool = defineTool({
  name: 'davit-generations',
  summary: 'List, print and delete the generations of a deployment on the coordinator',
  description: [
    'Without an option, lists the generations, oldest first: number, time, number of services and targets, user, and which one is current.',
    'Generations to delete are given as numbers, such as 1,2; as 30d, for those replaced more than 30 days ago; or as old, for all but the current one, which is never deleted. Their packages remain until davit-collect-garbage removes them.',
    'To return to a generation, distribute and activate its manifest, then run davit-set --generation; davit-env --rollback and --switch-to-generation do all of that.',
  ],
  examples: [
    { command: 'davit-generations', describe: 'list all generations' },
    { command: 'davit-generations --print 3 > manifest.xml', describe: 'print what was deployed then' },
    { command: 'davit-generations --delete 30d', describe: 'delete those replaced more than 30 days ago' },
  ],
  options: {
    ...profileOptions,
    print: {
      type: 'integer',
      value: 'N',
      minimum: 1,
      describe: 'print the manifest of a generation as it was deployed',
    },
    previous: {
      type: 'boolean',
      describe:
        'print the number of the generation that a rollback returns to: the one before the current one, or the destination of a rollback that was cut off',
    },
    'begin-rollback': {
      type: 'boolean',
      describe:
        'print the same number, and record that a rollback was begun, so that repeating it does not go two back',
    },
    'end-rollback': {
      type: 'boolean',
      describe: 'record that the rollback is finished, unless another one was begun since',
    },
    delete: { type: 'string', value: 'GENERATIONS', describe: 'delete generations: numbers, Nd or old' },
    'delete-all': {
      type: 'boolean',
      describe: 'delete all generations, including the current one: the deployment is forgotten, but not undeployed',
    },
    forget: {
      type: 'string',
      value: 'TARGET',
      describe:
        'no longer warn of services that keep running on a target removed from the infrastructure, because they are gone or managed otherwise',
    },
  },
  exitStatus: { 1: 'there is no such generation or target, or it is the current one' },
  environment: { ...stateEnvironment },
  seeAlso: ['davit-env(1)', 'davit-set(1)', 'davit-collect-garbage(1)'],
  async run(context) {
    const { args, journal } = context
    const { profile, place } = deploymentOf(context)
    const [action, ...others] = actionsOf(place, context)
    if (others.length > 0) throw tooMany()
    if (args.delete !== undefined || args.deleteAll || args.forget !== undefined) journal({ profile }, 'release')
    return action === undefined ? list(context, place) : action()
  },
})

async function list({ args, print, report }: ToolContext<{ readonly profile: string }>, place: DeploymentPlace) {
  const generations = await listGenerations(place)
  if (generations.length === 0) {
    report(say('no-generations', { profile: args.profile, reason: await nothingDeployed(place) }))
  }
  return print(renderGenerations(generations))
}

interface Arguments {
  readonly print: number | undefined
  readonly previous: boolean
  readonly beginRollback: boolean
  readonly endRollback: boolean
  readonly delete: string | undefined
  readonly deleteAll: boolean
  readonly forget: string | undefined
}

type Action = () => Promise<void>

/** Actions that the options request; there must be at most one. */
function actionsOf(place: DeploymentPlace, context: ToolContext<Arguments>): readonly Action[] {
  const { args, print, report } = context
  const { print: printed, delete: deleted } = args
  const actions: readonly (readonly [isWanted: boolean, action: Action])[] = [
    [printed !== undefined, async () => print((await readGeneration(place, printed ?? 0)).text)],
    [args.previous, async () => print(`${(await nextRollback(place)).to}\n`)],
    [
      args.beginRollback,
      async () => {
        const { to, isUnfinished } = await beginRollback(place)
        if (isUnfinished) report(say('rollback-unfinished', { to }))
        await print(`${to}\n`)
      },
    ],
    [args.endRollback, () => finishRollback(place)],
    [deleted !== undefined, () => deleteSelected(place, deleted ?? '', context)],
    [args.deleteAll, () => forgetDeployment(place, context)],
    [args.forget !== undefined, () => forget(place, args.forget ?? '', report)],
  ]
  return actions.flatMap(([isWanted, action]) => (isWanted ? [action] : []))
}

async function forget(place: DeploymentPlace, target: string, report: Report): Promise<void> {
  const services = [...new Set((await forgetTarget(place, target)).map(({ name }) => name))]
  report(say('target-forgotten', { target, services }))
}

function tooMany() {
  return usageError(
    'more than one action given',
    'give only one of --print, --previous, --begin-rollback, --end-rollback, --delete, --delete-all and --forget',
  )
}
