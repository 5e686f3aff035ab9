import type { ModelFiles } from '@davit/models'
import { type ArgumentsOf, type OptionTable, usageError } from '@davit/tool'

const group = 'Model options'

export const modelOptions = {
  services: { type: 'string', short: 's', value: 'FILE', group, describe: 'services model: what the services are' },
  infrastructure: {
    type: 'string',
    short: 'i',
    value: 'FILE',
    group,
    describe: 'infrastructure model: where the machines are',
  },
  distribution: { type: 'string', short: 'd', value: 'FILE', group, describe: 'distribution model: which goes where' },
  packages: {
    type: 'string',
    short: 'P',
    value: 'FILE',
    group,
    describe: 'packages model: what else is installed on targets',
  },
  architecture: {
    type: 'string',
    short: 'A',
    value: 'FILE',
    group,
    describe: 'architecture model, in place of the other ones',
  },
  undeploy: { type: 'boolean', group, describe: 'an architecture without services, from the infrastructure model' },
  'extra-params': {
    type: 'string',
    value: 'PARAMETERS',
    group,
    describe:
      'parameters that the functions in the models receive as well: a JSON object, or a set in the Nix language',
  },
} as const satisfies OptionTable

type ModelArguments = ArgumentsOf<typeof modelOptions, Record<never, never>>

/** Which models are meant: undeployment before architecture before the other models, as in the original toolset. */
export function modelFilesOf(models: ModelArguments): ModelFiles {
  const { infrastructure, architecture, undeploy } = models
  if (undeploy) {
    if (infrastructure === undefined) throw usageError('--undeploy needs an infrastructure model', 'name it with -i')
    return { infrastructure }
  }
  if (architecture !== undefined) return { architecture }
  if (infrastructure === undefined) {
    throw usageError('no models', 'say -s, -i and -d, or -P and -i, or -A, or --undeploy and -i')
  }
  return { infrastructure, ...deployedFiles(models) }
}

function deployedFiles({ services, distribution, packages }: ModelArguments): Partial<ModelFiles> {
  const more = packages === undefined ? {} : { packages }
  if (services !== undefined && distribution !== undefined) return { services, distribution, ...more }
  if (services !== undefined || distribution !== undefined) {
    throw usageError('a services model and a distribution model need each other', 'name both, with -s and -d')
  }
  if (packages === undefined) {
    throw usageError('an infrastructure model alone deploys nothing', 'add -s and -d, or -P')
  }
  return more
}
