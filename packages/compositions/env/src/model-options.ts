import { type ArgumentsOf, interfaceOptions, moduleOptions, type OptionTable } from '@davit/tool'

const FILE = { type: 'string', value: 'FILE', group: 'Models' } as const
const MODELS = { group: 'Models' } as const

/** Options about models, and how to evaluate them. */
export const modelOptions = {
  services: { ...FILE, short: 's', describe: 'services model: what the services are' },
  infrastructure: { ...FILE, short: 'i', describe: 'infrastructure model: what the targets are' },
  distribution: { ...FILE, short: 'd', describe: 'distribution model: which service goes to which target' },
  packages: { ...FILE, short: 'P', describe: 'packages model: what else to install on targets' },
  architecture: {
    ...FILE,
    short: 'A',
    describe: "architecture model, instead of the models above; '-' is one in JSON on standard input",
  },
  deployment: { ...FILE, short: 'D', describe: 'deployment model or manifest, instead of the models above' },
  undeploy: { type: 'boolean', ...MODELS, describe: 'deactivate everything on the targets of the infrastructure' },
  'extra-params': {
    type: 'string',
    value: 'PARAMETERS',
    ...MODELS,
    describe: 'additional parameters for functions in models: a JSON object, or a set in Nix',
  },
  interface: { ...interfaceOptions.interface, ...MODELS },
  'target-property': { ...interfaceOptions['target-property'], ...MODELS },
  'deploy-state': {
    type: 'boolean',
    ...MODELS,
    describe: "move the state of services that do not set 'deployState'",
  },
  modules: { ...moduleOptions.modules, ...MODELS },
  'show-trace': {
    type: 'boolean',
    ...MODELS,
    describe: 'show everything that Nix prints about an error in a model',
  },
} as const satisfies OptionTable

/** The models that the user named, and how to evaluate them. */
export type ModelOrder = ArgumentsOf<typeof modelOptions, Record<never, never>>
