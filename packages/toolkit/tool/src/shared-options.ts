import type { OptionTable } from './option.ts'

/** Which deployment is meant. */
export const profileOptions = {
  profile: {
    type: 'string',
    short: 'p',
    value: 'NAME',
    default: 'default',
    env: ['DAVIT_PROFILE', 'DISNIX_PROFILE'],
    describe: 'name of the deployment',
  },
} as const satisfies OptionTable

/** For tools that print a document; `print` obeys `output`. */
export const outputOptions = {
  output: {
    type: 'string',
    value: 'FILE',
    group: 'Output options',
    describe: 'write the result to a file, in one step, instead of standard output',
  },
} as const satisfies OptionTable

/** For tools that make a document which has both spellings. */
export const formatOptions = {
  format: {
    type: 'choice',
    choices: ['xml', 'json'],
    default: 'xml',
    group: 'Output options',
    describe: 'how the result is written',
  },
} as const satisfies OptionTable

/** How targets are reached, for tools that read models. */
export const interfaceOptions = {
  interface: {
    type: 'string',
    value: 'INTERFACE',
    default: 'ssh',
    env: ['DAVIT_CLIENT_INTERFACE', 'DISNIX_CLIENT_INTERFACE'],
    group: 'Connection options',
    describe: 'how targets that do not say it are reached: ssh, local or the path of a client',
  },
  'target-property': {
    type: 'string',
    value: 'PROPERTY',
    default: 'hostname',
    env: ['DAVIT_TARGET_PROPERTY', 'DISNIX_TARGET_PROPERTY'],
    group: 'Connection options',
    describe: 'property that holds the address of a target that does not say it',
  },
} as const satisfies OptionTable

/** For tools that have to know which types of services there are. */
export const moduleOptions = {
  modules: {
    type: 'list',
    value: 'DIRECTORY',
    describe: 'directory with lifecycle modules of your own, preferred to those of davit',
  },
} as const satisfies OptionTable

/** For tools that can do their work on some targets without the others. */
export const skipOptions = {
  'skip-unreachable': {
    type: 'boolean',
    env: ['DAVIT_SKIP_UNREACHABLE'],
    group: 'Connection options',
    describe: 'go on without targets that cannot be reached, and leave what is there as it is',
  },
} as const satisfies OptionTable

/** For tools that move closures. */
export const transferOptions = {
  'max-concurrent-transfers': {
    type: 'integer',
    short: 'm',
    value: 'N',
    minimum: 1,
    default: 4,
    env: ['DAVIT_MAX_CONCURRENT_TRANSFERS'],
    group: 'Connection options',
    describe: 'how many targets are sent to at a time',
  },
} as const satisfies OptionTable
