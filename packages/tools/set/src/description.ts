import {
  connectionEnvironment,
  lockOptions,
  originalOptions,
  originOptions,
  profileOptions,
  onOptions,
  skipOptions,
  secretEnvironment,
  stateEnvironment,
  type ToolDescription,
} from '@davit/tool'

export const description = {
  name: 'davit-set',
  summary: 'Record a manifest as what is deployed',
  description: [
    'Sets the profile of each target, then adds a generation on the coordinator. If nothing changed, no generation is added.',
    'With --generation no generation is added: the given one becomes current again, and so do the generations of the targets that have its profiles.',
    'Prints the manifest unchanged.',
  ],
  examples: [
    { command: 'davit-set manifest.xml', describe: 'record what davit-activate has activated' },
    { command: 'davit-set --generation 3 manifest.xml', describe: 'return to a generation, with its manifest' },
  ],
  operands: { manifest: 'manifest that was activated' },
  options: {
    ...profileOptions,
    ...lockOptions,
    ...onOptions,
    ...skipOptions,
    generation: {
      type: 'integer',
      value: 'N',
      minimum: 1,
      describe: 'return to this generation instead of adding one; the manifest must be that of the generation',
    },
    ...originOptions,
    'coordinator-profile': { type: 'boolean', default: true, describe: 'add a generation on the coordinator' },
    ...originalOptions,
    'target-profiles': { type: 'boolean', default: true, describe: 'set the profiles of the targets' },
  },
  exitStatus: {
    1: 'a profile could not be set, or the generation does not exist',
    65: 'the packages are not in the store of Nix, which --original-profile needs',
    75: 'somebody else holds the lock, or took it in the meantime; no generation was recorded',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-activate(1)', 'davit-generations(1)', 'davit-unlock(1)'],
  interrupted: {
    once: 'the same command sets what is still missing',
    twice: 'targets and coordinator may not agree yet on what is deployed; the same command sets what is missing',
  },
} as const satisfies ToolDescription
