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
    'Without an option, lists them, the oldest first: number, time, how much is deployed, by whom, and which is the current one.',
    'Generations to delete are numbers, as in 1,2; 30d, for those that were over 30 days ago, so that the one that was in use then stays; or old, for all but the current one, which is never deleted. Their packages remain until davit-collect-garbage.',
    'To return to a generation, distribute and activate its manifest, then davit-set --generation; davit-env --rollback and --switch-to-generation do that.',
  ],
  examples: [
    { command: 'davit-generations', describe: 'list them' },
    { command: 'davit-generations --print 3 > manifest.xml', describe: 'what was deployed then' },
    { command: 'davit-generations --delete 30d', describe: 'delete those of more than a month ago' },
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
        'print the number of the one to which a rollback goes: before the current one, or, if a rollback was cut off, the one to which that went',
    },
    'begin-rollback': {
      type: 'boolean',
      describe:
        'print the same number, and remember that a rollback was begun, so that a second try does not go two back',
    },
    'end-rollback': { type: 'boolean', describe: 'forget that: it is finished; not one that was begun since' },
    delete: { type: 'string', value: 'GENERATIONS', describe: 'delete some: numbers, Nd or old' },
    'delete-all': {
      type: 'boolean',
      describe: 'delete all, the current one included: the deployment is forgotten, not undeployed',
    },
    forget: {
      type: 'string',
      value: 'TARGET',
      describe:
        'no longer tell what keeps running on a target that was taken out of the infrastructure: it is gone, or looked after otherwise',
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

/** Those that are wanted, of which there is to be one at most. */
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
    'one thing at a time',
    'give one of --print, --previous, --begin-rollback, --end-rollback, --delete, --delete-all and --forget',
  )
}
