import type { ModelFiles } from '@davit/models'
import { type ArgumentsOf, type OptionTable, usageError } from '@davit/tool'

const group = 'Model options'

export const modelOptions = {
  services: { type: 'string', short: 's', value: 'FILE', group, describe: 'services model: what the services are' },
  infrastructure: { type: 'string', short: 'i', value: 'FILE', group, describe: 'infrastructure model: where the machines are' },
  distribution: { type: 'string', short: 'd', value: 'FILE', group, describe: 'distribution model: which goes where' },
  packages: { type: 'string', short: 'P', value: 'FILE', group, describe: 'packages model: what else is installed on targets' },
  architecture: { type: 'string', short: 'A', value: 'FILE', group, describe: 'architecture model, in place of the other ones' },
  undeploy: { type: 'boolean', group, describe: 'an architecture without services, from the infrastructure model' },
  'extra-params': { type: 'string', value: 'JSON', group, describe: 'object of parameters that the functions in the models receive as well' },
} as const satisfies OptionTable

type ModelArguments = ArgumentsOf<typeof modelOptions, Record<never, never>>

/** Which models are meant: undeployment before architecture before the other models, as in the original toolset. */
export function modelFilesOf({ services, infrastructure, distribution, packages, architecture, undeploy }: ModelArguments): ModelFiles {
  if (undeploy === true) {
    if (infrastructure === undefined) throw usageError('--undeploy needs an infrastructure model (-i)')
    return { kind: 'undeploy', infrastructure }
  }
  if (architecture !== undefined) return { kind: 'architecture', architecture }
  if (infrastructure === undefined) throw usageError('no models: say -s, -i and -d, or -P and -i, or -A, or --undeploy and -i')
  const hasServices = services !== undefined || distribution !== undefined
  if (hasServices && (services === undefined || distribution === undefined)) {
    throw usageError('a services model (-s) and a distribution model (-d) need each other')
  }
  if (!hasServices && packages === undefined) throw usageError('an infrastructure model alone deploys nothing: add -s and -d, or -P')
  return {
    kind: 'models',
    infrastructure,
    ...(services === undefined || distribution === undefined ? {} : { services, distribution }),
    ...(packages === undefined ? {} : { packages }),
  }
}
