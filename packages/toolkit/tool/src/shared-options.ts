import type { OptionTable } from './option.ts'

/** Option that names the deployment. */
export const profileOptions = {
  profile: {
    type: 'string',
    short: 'p',
    value: 'NAME',
    default: 'default',
    env: ['DAVIT_PROFILE', 'DISNIX_PROFILE'],
    describe: 'name of the deployment',
  },
  'coordinator-profile-path': {
    type: 'string',
    value: 'DIRECTORY',
    env: ['DAVIT_COORDINATOR_PROFILE_PATH'],
    describe:
      "directory for what this machine remembers of deployments, instead of 'coordinator' in the state directory: generations, the journal, locks and runs that were cut off; packages and snapshots stay where they are",
  },
} as const satisfies OptionTable

/** The same for tools that deploy stacks, which have a name of their own. */
export const stackProfileOptions = {
  ...profileOptions,
  profile: {
    type: 'string',
    short: 'p',
    value: 'NAME',
    env: ['DAVIT_PROFILE', 'DISNIX_PROFILE'],
    describe: 'name of the deployment (default: default; of a stack, its name and its cluster, such as shop-staging)',
  },
} as const satisfies OptionTable

/** Options of tools that print a document; `print` obeys `output`. */
export const outputOptions = {
  output: {
    type: 'string',
    value: 'FILE',
    group: 'Output options',
    describe: 'write the result to a file, atomically, instead of standard output',
  },
} as const satisfies OptionTable

/** Options of tools that make a document in XML or JSON. */
export const formatOptions = {
  format: {
    type: 'choice',
    choices: ['xml', 'json'],
    default: 'xml',
    group: 'Output options',
    describe: 'format of the result',
  },
} as const satisfies OptionTable

/** Options that say how to reach targets, for tools that read models. */
export const interfaceOptions = {
  interface: {
    type: 'string',
    value: 'INTERFACE',
    default: 'ssh',
    env: ['DAVIT_CLIENT_INTERFACE', 'DISNIX_CLIENT_INTERFACE'],
    group: 'Connection options',
    describe: 'client interface of targets that do not set one: ssh, local, or a client executable',
  },
  'target-property': {
    type: 'string',
    value: 'PROPERTY',
    default: 'hostname',
    env: ['DAVIT_TARGET_PROPERTY', 'DISNIX_TARGET_PROPERTY'],
    group: 'Connection options',
    describe: 'property with the address of a target, unless the target names another one',
  },
} as const satisfies OptionTable

/** Options of tools that need to know targets, but no services. */
export const infrastructureOptions = {
  infrastructure: {
    type: 'string',
    short: 'i',
    value: 'FILE',
    describe: 'infrastructure model with the targets; by default, they are those of what was deployed last',
  },
  deployed: { type: 'boolean', describe: 'use the targets of what was deployed last; so does a tool without a model' },
  ...interfaceOptions,
} as const satisfies OptionTable

/** Options of tools that build. */
export const trustBuildOptions = {
  'trust-builds': {
    type: 'boolean',
    env: ['DAVIT_TRUST_BUILDS'],
    describe:
      'run builds from fetched stacks also where bubblewrap is missing, so that they see all that this account may read',
  },
} as const satisfies OptionTable

/** Options of tools that need to know the types of services. */
export const moduleOptions = {
  modules: {
    type: 'list',
    value: 'DIRECTORY',
    describe: 'directory with your own lifecycle modules, which take precedence over those of davit',
  },
} as const satisfies OptionTable

/** Options of tools that can work on some targets without the others. */
export const skipOptions = {
  'skip-unreachable': {
    type: 'boolean',
    env: ['DAVIT_SKIP_UNREACHABLE'],
    group: 'Connection options',
    describe: 'continue without targets that cannot be reached, and leave their services alone',
  },
} as const satisfies OptionTable

/** Option of tools that can act on a part of a deployment. */
export const onOptions = {
  on: {
    type: 'list',
    value: 'SELECTION',
    env: ['DAVIT_ON'],
    group: 'Selection',
    describe:
      'only act on these, and leave everything else as it is: targets by name or pattern, @TAG, service:NAME, service:NAME@TARGET, or service:...NAME for a service with its dependants; several are separated by commas, and ! excludes',
  },
} as const satisfies OptionTable

/** The same option of tools that only look at targets. */
export const askOnOptions = {
  on: {
    ...onOptions.on,
    describe:
      'only ask the targets on which something of this is: targets by name or pattern, @TAG, or service:NAME; several are separated by commas, and ! excludes',
  },
} as const satisfies OptionTable

/** Option of the tools that deploy for Disnix too. */
export const originalOptions = {
  'original-profile': {
    type: 'boolean',
    env: ['DAVIT_ORIGINAL_PROFILE'],
    describe:
      'also set the profiles of Disnix on the targets, with the markers and snapshots of Dysnomia, so that its tools find this deployment; needs the store of Nix',
  },
} as const satisfies OptionTable

/** Options of tools that transfer closures. */
export const transferOptions = {
  'max-concurrent-transfers': {
    type: 'integer',
    short: 'm',
    value: 'N',
    minimum: 1,
    default: 4,
    env: ['DAVIT_MAX_CONCURRENT_TRANSFERS'],
    group: 'Connection options',
    describe: 'how many targets to send to at a time',
  },
} as const satisfies OptionTable

/** Option of the tools that know what a generation is made from. */
export const originOptions = {
  origin: {
    type: 'string',
    value: 'FILE',
    env: ['DAVIT_ORIGIN'],
    describe:
      'file in which the tools of a deployment hand on what its generation is made from: davit-compile-stack adds the compiled stack to it, davit-normalize the models, davit-activate the plan that it has carried out, and davit-set keeps all of it with the generation',
  },
} as const satisfies OptionTable
