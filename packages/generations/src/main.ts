import { type DeploymentPlace, deploymentPlace, previousNumber, readGeneration } from '@davit/coordinator-state'
import { parseProfileName } from '@davit/documents'
import { defineTool, profileOptions, stateDirectory, stateEnvironment, type ToolContext, usageError } from '@davit/tool'

import { deleteSelected, forgetDeployment } from './delete-generations.ts'
import { listGenerations, renderGenerations } from './list-generations.ts'

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
      describe: 'print the number of the one before the current one, to which a rollback goes',
    },
    delete: { type: 'string', value: 'GENERATIONS', describe: 'delete some: numbers, Nd or old' },
    'delete-all': {
      type: 'boolean',
      describe: 'delete all, the current one included: the deployment is forgotten, not undeployed',
    },
  },
  exitStatus: { 1: 'there is no such generation, or it is the current one' },
  environment: { ...stateEnvironment },
  seeAlso: ['davit-env(1)', 'davit-set(1)', 'davit-collect-garbage(1)'],
  async run(context) {
    const { args, print, journal } = context
    const profile = parseProfileName(args.profile)
    const place = deploymentPlace(stateDirectory(context), profile)
    const actions = [args.print !== undefined, args.previous, args.delete !== undefined, args.deleteAll]
    if (actions.filter(Boolean).length > 1) throw tooMany()
    if (args.print !== undefined) return print((await readGeneration(place, args.print)).text)
    if (args.previous) return print(`${await previousNumber(place)}\n`)
    if (args.delete !== undefined || args.deleteAll) journal({ profile }, 'release')
    if (args.delete !== undefined) return deleteSelected(place, args.delete, context)
    if (args.deleteAll) return forgetDeployment(place, context)
    return list(context, place)
  },
})

async function list({ args, print, report }: ToolContext<{ readonly profile: string }>, place: DeploymentPlace) {
  const generations = await listGenerations(place)
  if (generations.length === 0) report({ kind: 'note', message: `there are no generations of '${args.profile}'` })
  return print(renderGenerations(generations))
}

function tooMany() {
  return usageError('one thing at a time', 'give one of --print, --previous, --delete and --delete-all')
}
