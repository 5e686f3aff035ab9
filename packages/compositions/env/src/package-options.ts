import { type OptionTable, trustBuildOptions } from '@davit/tool'

const PACKAGES = { group: 'Packages' } as const

/** Options about packages, and how to build them. */
export const packageOptions = {
  store: {
    type: 'choice',
    choices: ['native', 'nix'],
    ...PACKAGES,
    describe: 'store that builds and carries packages; by default as the models require',
  },
  'build-on-targets': {
    type: 'boolean',
    ...PACKAGES,
    describe:
      'build packages on the targets that need them, instead of on this machine; required for targets whose platform is not that of this machine',
  },
  'max-jobs': {
    type: 'integer',
    short: 'j',
    value: 'N',
    minimum: 1,
    ...PACKAGES,
    describe: 'how many packages to build on this machine at a time',
  },
  'trust-builds': { ...trustBuildOptions['trust-builds'], ...PACKAGES },
  'use-substitutes': {
    type: 'boolean',
    env: ['DAVIT_USE_SUBSTITUTES'],
    ...PACKAGES,
    describe: 'let targets with Nix fetch packages from their own caches where possible',
  },
} as const satisfies OptionTable
