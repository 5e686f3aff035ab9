import {
  type ToolDescription,
  connectionEnvironment,
  formatOptions,
  outputOptions,
  trustBuildOptions,
  buildEnvironment,
  transferOptions,
} from '@davit/tool'

export const description = {
  name: 'davit-delegate-build',
  summary: 'Build the packages of an architecture on its targets',
  description: [
    'Builds each package that the store of this machine lacks on one of the targets that need it, with as many builds at a time as the target has cores, and brings the results back, so that davit-manifest finds them. What a build needs is sent first. A build that fails does not stop those that do not need it.',
    'Targets whose platform is not that of this machine build for themselves.',
    'Prints the architecture, or the build model, unchanged.',
    'With --print, builds nothing, and prints a build model that lists which derivations each target is to build.',
  ],
  examples: [
    {
      command: 'davit-normalize -A architecture.yaml | davit-delegate-build | davit-manifest > manifest.xml',
      describe: 'build on the targets',
    },
    { command: 'davit-delegate-build --print architecture.json > build.xml', describe: 'see which target needs what' },
    { command: 'davit-delegate-build -B build.xml', describe: 'build what a build model lists' },
  ],
  operands: { architecture: 'normalized architecture, as davit-normalize prints it' },
  options: {
    build: {
      type: 'string',
      short: 'B',
      value: 'FILE',
      describe: 'build model, instead of an architecture',
    },
    print: { type: 'boolean', describe: 'print the build model, and build nothing' },
    ...transferOptions,
    'use-substitutes': {
      type: 'boolean',
      env: ['DAVIT_USE_SUBSTITUTES'],
      describe: 'let targets with Nix fetch inputs of builds from their own caches where possible',
    },
    format: { ...formatOptions.format, describe: 'format of the build model' },
    ...trustBuildOptions,
    ...outputOptions,
  },
  exitStatus: { 1: 'a package could not be built' },
  environment: { ...buildEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-normalize(1)', 'davit-manifest(1)', 'davit-env(1)'],
  interrupted: {
    once: 'builds on the targets were ended; the same command builds what is not complete yet',
    twice: 'builds on the targets end as soon as these notice; the same command builds what is not complete yet',
  },
} as const satisfies ToolDescription
