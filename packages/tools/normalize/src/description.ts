import {
  type ToolDescription,
  interfaceOptions,
  moduleOptions,
  originOptions,
  outputOptions,
  sizeEnvironment,
  storeEnvironment,
} from '@davit/tool'
import { modelOptions } from './model-options.ts'

export const description = {
  name: 'davit-normalize',
  summary: 'Evaluate models and print the normalized architecture',
  description: [
    'Fills in every default, resolves targets, containers and inter-dependencies, and puts sources and derivations of the packages into the store. Builds nothing.',
    'With --infrastructure-only, evaluates nothing but the infrastructure model, and prints it with every default filled in; the store is not used.',
    'Models are written in TypeScript, JavaScript, YAML, JSON or the Nix language, and may be mixed. In place of a file, - is a model in JSON on standard input, where relative paths start from the working directory.',
  ],
  examples: [
    {
      command: 'davit-normalize -s services.yaml -i infrastructure.yaml -d distribution.yaml',
      describe: 'from three models',
    },
    {
      command: 'davit-normalize --undeploy -i infrastructure.ts | davit-manifest',
      describe: 'a manifest without services',
    },
    {
      command: 'davit-compile-stack shop -c test | davit-normalize -A - | davit-manifest',
      describe: 'a manifest of a stack file',
    },
    {
      command: 'davit-normalize --infrastructure-only -i infrastructure.ts',
      describe: 'which targets there are, and how davit reaches them',
    },
  ],
  options: {
    ...modelOptions,
    ...interfaceOptions,
    ...moduleOptions,
    ...outputOptions,
    ...originOptions,
    store: {
      type: 'choice',
      choices: ['native', 'nix'],
      env: ['DAVIT_STORE'],
      describe: 'store for packages; without it, nix if they are in the Nix language, otherwise native',
    },
    'show-trace': { type: 'boolean', describe: 'show everything that Nix prints about an error in a model' },
    'deploy-state': {
      type: 'boolean',
      env: ['DAVIT_DEPLOY_STATE', 'DISNIX_DEPLOY_STATE'],
      describe: "move the state of services that do not set 'deployState'",
    },
  },
  environment: { ...storeEnvironment, ...sizeEnvironment },
  seeAlso: ['davit-manifest(1)', 'davit-env(1)', 'davit-compile-stack(1)'],
  holdsMuch: true,
  interrupted: {
    once: 'no target was touched; run the same command again',
    twice: 'no target was touched; run the same command again',
  },
} as const satisfies ToolDescription
