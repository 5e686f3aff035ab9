import { interfaceOptions, outputOptions, type ToolDescription } from '@davit/tool'

/** The languages that documents and models are written in. */
export const LANGUAGES = ['xml', 'json', 'yaml', 'typescript', 'nix'] as const

/** What `--kind` may say that a text contains. */
export const KIND_NAMES = [
  'manifest',
  'profile-manifest',
  'infrastructure',
  'build-model',
  'architecture',
  'architecture-model',
  'services',
  'distribution',
  'packages',
] as const

export const description = {
  name: 'davit-convert',
  summary: 'Write a document or a model in another language',
  description: [
    'Reads XML, JSON, YAML, TypeScript, JavaScript or the Nix language, and writes the same value in the language of --to. The same value always gives the same bytes: XML that davit wrote is the same again after any conversions.',
    'If the result would not contain everything that was read, the places are named, and nothing is printed unless --lossy is given. Comments and the order of tables are not part of a value.',
    'The result of a model keeps relative paths as they are: put it into the same directory.',
    'A manifest of version 1, which older toolsets made, becomes one of version 2. It names targets by their addresses, so the infrastructure model is needed (-i). Warnings say what version 1 does not tell.',
  ],
  examples: [
    { command: 'davit-convert --to json manifest.xml', describe: 'a manifest as JSON' },
    {
      command: 'davit-convert --to typescript --output infrastructure.ts infrastructure.nix',
      describe: 'an infrastructure model as a typed program',
    },
    {
      command: 'davit-convert -i infrastructure.yaml --to xml old-manifest.xml > manifest.xml',
      describe: 'a manifest of version 1 as one of version 2',
    },
  ],
  operands: { document: 'document or model' },
  options: {
    to: { type: 'choice', choices: LANGUAGES, describe: 'language of the result' },
    kind: {
      type: 'choice',
      choices: KIND_NAMES,
      describe: 'what the text contains, if that cannot be told from its content',
    },
    lossy: { type: 'boolean', describe: 'leave out what the result cannot contain, with a warning for each' },
    'store-paths': {
      type: 'boolean',
      describe:
        'with --to nix, write paths of the Nix store as builtins.storePath, which the original toolset needs; they must be in the store where the result is evaluated',
    },
    infrastructure: {
      type: 'string',
      short: 'i',
      value: 'FILE',
      group: 'Options for a manifest of version 1',
      describe: 'infrastructure model with the targets of the manifest',
    },
    ...interfaceOptions,
    ...outputOptions,
  },
  exitStatus: { 1: 'the result would not contain everything, and --lossy was not given' },
  seeAlso: ['davit-manifest(1)', 'davit-normalize(1)'],
  interrupted: {
    once: 'nothing was written; run the same command again',
    twice: 'nothing was written; run the same command again',
  },
} as const satisfies ToolDescription
