import {
  type ToolDescription,
  connectionEnvironment,
  profileOptions,
  onOptions,
  skipOptions,
  stateEnvironment,
  transferOptions,
} from '@davit/tool'

export const description = {
  name: 'davit-distribute',
  summary: 'Send the packages of a manifest to its targets',
  description: [
    'Asks each target once which packages of its profile it lacks, and sends exactly those, as one stream. Nothing becomes active. A target that fails does not stop the others; with --skip-unreachable, a target that cannot be reached is not a failure.',
    'Prints the manifest unchanged.',
  ],
  examples: [
    { command: 'davit-distribute manifest.xml', describe: 'send what is missing' },
    { command: 'davit-distribute -m 10 < manifest.xml', describe: 'send to ten machines at a time' },
    { command: 'davit-distribute --use-substitutes manifest.xml', describe: 'send only what no cache has' },
  ],
  operands: { manifest: 'manifest whose profiles are sent' },
  options: {
    ...profileOptions,
    ...transferOptions,
    ...onOptions,
    ...skipOptions,
    'use-substitutes': {
      type: 'boolean',
      env: ['DAVIT_USE_SUBSTITUTES'],
      describe: 'let targets with Nix fetch packages from their own caches where possible',
    },
    'replace-altered': {
      type: 'boolean',
      describe: 'replace packages on targets into which something was written, as davit-env --repair does',
    },
    'list-altered': {
      type: 'boolean',
      describe: 'if packages of this machine were altered, print their paths instead of the manifest, and do not fail',
    },
  },
  exitStatus: { 1: 'some packages did not arrive' },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-manifest(1)', 'davit-lock(1)', 'davit-activate(1)'],
  interrupted: {
    once: 'nothing was activated; the same command sends what is missing',
    twice: 'nothing was activated; the same command sends what is missing, and removes what arrived only in part',
  },
} as const satisfies ToolDescription
