import {
  type ToolDescription,
  formatOptions,
  interfaceOptions,
  moduleOptions,
  outputOptions,
  trustBuildOptions,
  buildEnvironment,
  storeEnvironment,
} from '@davit/tool'

export const description = {
  name: 'davit-manifest',
  summary: 'Build what an architecture needs and print the manifest',
  description: [
    'Builds the packages that the store lacks, in parallel, makes a profile for each target, and prints the manifest, which lists what is to be deployed.',
    'Types without a lifecycle module are found before anything is built.',
    'With --deployment, profiles that lack modules, as all of Disnix do, are made anew with the modules of davit, or with those that Dysnomia has on the target.',
  ],
  examples: [
    {
      command: 'davit-normalize -A architecture.yaml | davit-manifest > manifest.xml',
      describe: 'from an architecture',
    },
    { command: 'davit-manifest --format json architecture.json', describe: 'as JSON' },
    { command: 'davit-manifest -D deployment.yaml', describe: 'from a deployment model, whose packages exist already' },
    { command: 'davit-manifest -D disnix.xml > manifest.xml', describe: 'from a manifest of Disnix' },
  ],
  operands: { architecture: 'normalized architecture, as davit-normalize prints it' },
  options: {
    deployment: {
      type: 'string',
      short: 'D',
      value: 'FILE',
      describe: 'deployment model, instead of an architecture',
    },
    ...moduleOptions,
    'max-jobs': {
      type: 'integer',
      short: 'j',
      value: 'N',
      minimum: 1,
      describe: 'how many packages to build at a time; without it, one per processor, or the setting of Nix',
    },
    ...interfaceOptions,
    ...formatOptions,
    ...trustBuildOptions,
    ...outputOptions,
  },
  exitStatus: { 1: 'a package could not be built' },
  environment: { ...storeEnvironment, ...buildEnvironment },
  seeAlso: ['davit-normalize(1)', 'davit-distribute(1)'],
  holdsMuch: true,
  interrupted: {
    once: 'no target was touched; finished builds are kept, and the same command builds the rest',
    twice: 'no target was touched; finished builds are kept, and the same command builds the rest',
  },
} as const satisfies ToolDescription
