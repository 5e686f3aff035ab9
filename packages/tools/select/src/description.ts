import {
  onOptions,
  outputOptions,
  profileOptions,
  stateEnvironment,
  storeEnvironment,
  type ToolDescription,
} from '@davit/tool'

export const description = {
  name: 'davit-select',
  summary: 'Print the part of a manifest that is selected, with the rest as it is deployed',
  description: [
    'Compares a manifest with the current generation, and prints the manifest that has what is selected as the first one describes it, and everything else as it is. Whoever deploys that changes nothing else. For targets on which only some services are selected, makes profiles in the store.',
    'Refuses a part if something that is left out would not work with it, or would be lost, and names what has to be selected as well.',
    'A target is selected by its name, a pattern with * and ?, or @TAG for what its property "tags" contains: as a whole, with everything on it. service:NAME selects a service on all of its targets, service:NAME@TARGET on some, and service:...NAME with all that depends on it or is connected to it. What begins with ! is left out. What matches nothing is refused.',
  ],
  examples: [
    { command: 'davit-select --on web1 manifest.xml > part.xml', describe: 'one target; the rest as it is' },
    {
      command: "davit-select --on 'web-*,!web-9' manifest.xml | davit-compare",
      describe: 'tell what deploying a part would change',
    },
    { command: 'davit-select --on service:...api --list manifest.xml', describe: 'list a service and its dependants' },
  ],
  operands: { manifest: 'manifest to reach' },
  options: {
    ...onOptions,
    ...profileOptions,
    'old-manifest': {
      type: 'string',
      short: 'o',
      value: 'FILE',
      describe: 'manifest of what is deployed, instead of the current generation',
    },
    list: {
      type: 'boolean',
      group: 'Output options',
      describe: 'only print what is selected, a target or service on each line, in words that --on takes',
    },
    'list-names': {
      type: 'choice',
      choices: ['selections', 'services', 'targets'],
      group: 'Output options',
      describe: 'print names of the current generation that --on or other options take, a line each, and stop',
    },
    format: {
      type: 'choice',
      choices: ['xml', 'json'],
      group: 'Output options',
      describe: 'format of the result; by default, that of the manifest',
    },
    ...outputOptions,
  },
  exitStatus: { 1: 'the part was refused, for the reasons that are printed' },
  environment: { ...stateEnvironment, ...storeEnvironment },
  seeAlso: ['davit-env(1)', 'davit-compare(1)', 'davit-activate(1)'],
  interrupted: {
    once: 'no target was touched; run the same command again',
    twice: 'no target was touched; run the same command again',
  },
} as const satisfies ToolDescription
