import { outputOptions, profileOptions, stateEnvironment, type ToolDescription } from '@davit/tool'

export const description = {
  name: 'davit-compare',
  summary: 'Tell what differs between two manifests',
  description: [
    'Compares what two manifests say, in the terms of the people who wrote the models: services, targets, profiles and state that moves. The services of both are paired by their names. The order of lists does not count, nor does the format.',
    'With one manifest, compares what was deployed last with it.',
    'It looks at documents only. What is really there, and what davit-activate would do about it, is shown by davit-activate --dry-run.',
  ],
  examples: [
    { command: 'davit-compare old.xml new.xml', describe: 'tell what differs between two files' },
    { command: 'davit-manifest -D model.xml | davit-compare', describe: 'tell what differs from what is deployed' },
    {
      command: "davit-compare manifest.xml > /dev/null && echo 'nothing to review'",
      describe: 'only decide whether anything differs',
    },
  ],
  operands: {
    manifest: 'manifest to compare with what was deployed last, or the first of two',
    other: { kind: 'optional', describe: 'the second of two manifests; differences are told from the first to it' },
  },
  options: {
    ...profileOptions,
    format: {
      type: 'choice',
      choices: ['text', 'json'],
      default: 'text',
      group: 'Output options',
      describe: 'format of the differences',
    },
    ...outputOptions,
  },
  exitStatus: { 0: 'they do not differ', 1: 'they differ, or nothing is deployed' },
  environment: { ...stateEnvironment },
  seeAlso: ['davit-generations(1)', 'davit-activate(1)', 'davit-env(1)'],
} as const satisfies ToolDescription
