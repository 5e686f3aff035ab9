import {
  type ToolDescription,
  connectionEnvironment,
  infrastructureOptions,
  onOptions,
  profileOptions,
  stateEnvironment,
  storeEnvironment,
  trustOptions,
} from '@davit/tool'

const { infrastructure, deployed: _, ...interfaceOptions } = infrastructureOptions

export const description = {
  name: 'davit-collect-garbage',
  summary: 'Remove packages that no generation needs from the stores',
  description: [
    'Collects garbage on the coordinator and, with a manifest, an infrastructure model or --deployed, on its targets. Packages that a generation, an active service, a build or a transfer needs are kept. Packages that a deployment has made or sent are kept for a day; the tool reports how many these are, and until when. --now removes them as well, unless they are less than five minutes old or a deployment holds a lock there.',
    'Logs of activities are removed when their service no longer has a record and they have not been written to for a day; records that --abandon has put aside are removed after thirty days.',
    'With --delete-old, first deletes all generations of the deployment except the current one: those of the coordinator, and on the targets those whose profile is in no remaining generation of the coordinator.',
    'With the Nix store, runs nix-collect-garbage, which also keeps these packages for a day; --now does not change that.',
  ],
  examples: [
    { command: 'davit-collect-garbage --dry-run', describe: 'show what would be removed here, with sizes' },
    {
      command: 'davit-collect-garbage --deployed',
      describe: 'collect on the coordinator and on the targets of the deployment',
    },
    {
      command: 'davit-collect-garbage -i infrastructure.yaml',
      describe: 'collect on the coordinator and on all machines of a model, whatever is deployed there',
    },
    {
      command: 'davit-collect-garbage -d --deployed',
      describe: 'the same, after deleting all old generations',
    },
    {
      command: 'davit-collect-garbage --now --dry-run',
      describe: 'show what would be removed, including packages kept for a day',
    },
  ],
  operands: { manifest: "manifest on whose targets to collect as well, '-' for standard input" },
  options: {
    ...profileOptions,
    deployed: { type: 'boolean', describe: 'use the manifest that was deployed last' },
    infrastructure: { ...infrastructure, describe: 'infrastructure model with the targets, instead of a manifest' },
    on: {
      ...onOptions.on,
      describe:
        'of the targets, only collect on those on which something of this is: targets by name or pattern, @TAG, or service:NAME; several are separated by commas, and ! excludes',
    },
    'delete-old': { type: 'boolean', short: 'd', describe: 'first delete all generations except the current ones' },
    now: { type: 'boolean', describe: 'also remove what is kept for a day, unless a running deployment needs it' },
    'dry-run': { type: 'boolean', describe: 'print what would be removed, and stop' },
    store: {
      type: 'choice',
      choices: ['native', 'nix'],
      describe: 'kind of store on the coordinator, if no manifest determines it',
    },
    ...interfaceOptions,
    ...trustOptions,
  },
  exitStatus: { 1: 'some stores could not be collected', 75: 'a store is being changed; try again later' },
  environment: { ...stateEnvironment, ...storeEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-generations(1)', 'davit-env(1)', 'nix-collect-garbage(1)'],
  interrupted: {
    once: 'everything that is needed is still there; the same command continues',
    twice: 'everything that is needed is still there; the same command continues, and completes what was half removed',
  },
} as const satisfies ToolDescription
