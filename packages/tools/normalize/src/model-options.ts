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
    describe: 'infrastructure model: what the targets are',
  },
  distribution: {
    type: 'string',
    short: 'd',
    value: 'FILE',
    group,
    describe: 'distribution model: which service goes to which target',
  },
  packages: {
    type: 'string',
    short: 'P',
    value: 'FILE',
    group,
    describe: 'packages model: what else to install on targets',
  },
  architecture: {
    type: 'string',
    short: 'A',
    value: 'FILE',
    group,
    describe: 'architecture model, instead of the other models',
  },
  undeploy: { type: 'boolean', group, describe: 'make an architecture without services from the infrastructure model' },
  'infrastructure-only': {
    type: 'boolean',
    group,
    describe: 'print the normalized infrastructure, instead of an architecture',
  },
  'extra-params': {
    type: 'string',
    value: 'PARAMETERS',
    group,
    describe: 'additional parameters for functions in models: a JSON object, or a set in the Nix language',
  },
} as const satisfies OptionTable

type ModelArguments = ArgumentsOf<typeof modelOptions, Record<never, never>>

/** Chooses the models: --undeploy overrides an architecture, and an architecture the other models, as in the original toolset. */
export function modelFilesOf(models: ModelArguments): ModelFiles {
  if (models.infrastructureOnly) return onlyInfrastructure(models)
  if (models.undeploy) return named(models, ['infrastructure'], '--undeploy needs the infrastructure model as well')
  return models.architecture === undefined ? separateModels(models) : { architecture: models.architecture }
}

function separateModels(models: ModelArguments): ModelFiles {
  const { infrastructure, packages } = models
  const more = packages === undefined ? {} : { packages }
  if (models.services !== undefined || models.distribution !== undefined) {
    return {
      ...named(models, ['services', 'infrastructure', 'distribution'], '-s, -i and -d belong together'),
      ...more,
    }
  }
  if (packages !== undefined) {
    return { ...named(models, ['infrastructure'], '-P needs the infrastructure model as well'), ...more }
  }
  if (infrastructure === undefined) {
    throw usageError('no models', `pass -s, -i and -d, or -P and -i, or -A; ${ALONE} goes with -i`)
  }
  throw usageError('an infrastructure model alone deploys nothing', `add -s and -d, or -P; or ${ALONE}`)
}

const ALONE = '--undeploy or --infrastructure-only'

function onlyInfrastructure(models: ModelArguments): ModelFiles {
  const others = (['services', 'distribution', 'packages', 'architecture', 'undeploy'] as const).filter(
    (name) => models[name],
  )
  const [other] = others
  if (other === undefined) return named(models, ['infrastructure'], '--infrastructure-only needs it')
  throw usageError(`--${other} and --infrastructure-only cannot be combined`, 'omit one of them')
}

type Role = 'services' | 'infrastructure' | 'distribution'

/** Returns the files of required models; throws if one is missing. */
function named<Needed extends Role>(
  models: ModelArguments,
  roles: readonly Needed[],
  hint: string,
): Readonly<Record<Needed, string>> {
  const files = roles.map((role) => [role, models[role]] as const)
  const missing = files.flatMap(([role, file]) =>
    file === undefined ? [`the ${role} model (-${modelOptions[role].short})`] : [],
  )
  if (missing.length > 0) {
    throw usageError(`${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`, hint)
  }
  return Object.fromEntries(files) as Record<Needed, string>
}
