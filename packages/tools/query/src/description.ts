import {
  askOnOptions,
  connectionEnvironment,
  interfaceOptions,
  profileOptions,
  secretEnvironment,
  stateEnvironment,
  type ToolDescription,
  trustOptions,
} from '@davit/tool'

export const FORMATS = ['services', 'containers', 'table', 'json', 'xml', 'nix'] as const

export const description = {
  name: 'davit-query',
  summary: 'List the services that are active on targets, and tell whether all is as it should be',
  description: [
    'Reads what each target has recorded, and prints it. Targets on which nothing is deployed are listed as well. Nothing is changed anywhere.',
    'With --status, also asks the module of each service whether it runs, and compares what is there with the manifest: the one that is given, or that of the current generation of this coordinator. Given an infrastructure model, it compares it with what was deployed last according to the profile of each target. Whatever differs is shown with its reason: a service that does not run, that was not restarted with its machine, that is missing or should not be there, whose activation was cut off, whose package is gone, or whose container properties are other ones than when it was activated; a profile that was changed by hand.',
    'Formats: services lists the packages for each target, containers the services in each container, table everything in one table, and json all that is known. xml and nix print the profile manifests of the targets, with the formats of Disnix.',
  ],
  examples: [
    { command: 'davit-query', describe: 'list what is active of what was deployed last' },
    { command: 'davit-query --status', describe: 'tell whether all of it runs as it should' },
    { command: 'davit-query -f table infrastructure.yaml', describe: 'list what is active on the targets of a model' },
    { command: 'davit-query --status --watch', describe: 'look again every two seconds, until Ctrl-C' },
    {
      command: "davit-query --status -f json | jq '.targets[].services[] | select(.drift != [])'",
      describe: 'list the services that are not as they should be',
    },
  ],
  operands: {
    source: {
      kind: 'optional',
      describe:
        'infrastructure model, or manifest, with the targets; by default, they are those of what was deployed last',
    },
  },
  options: {
    ...profileOptions,
    ...askOnOptions,
    deployed: { type: 'boolean', describe: 'use what was deployed last; so does a tool without an operand' },
    status: {
      type: 'boolean',
      describe: 'ask whether the services run, and show what is not as it should be, with status 2',
    },
    watch: {
      type: 'boolean',
      describe: 'show the result again every two seconds in place, over the same connections, until it is interrupted',
    },
    format: {
      type: 'choice',
      short: 'f',
      choices: FORMATS,
      group: 'Output options',
      describe: 'format of the result: services, or table with --status or --watch, unless it says otherwise',
    },
    ...interfaceOptions,
    ...trustOptions,
  },
  exitStatus: {
    1: 'nothing is deployed under this name',
    2: 'with --status: something is not as it should be',
    69: 'some targets cannot be asked; the others were listed',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-compare(1)', 'davit-reconstruct(1)', 'davit-journal(1)', 'davit-env(1)'],
  endless: 'watch',
  interrupted: {
    announcement: 'stopping',
    once: 'nothing was changed; run the same command again',
    twice: 'nothing was changed; run the same command again',
  },
} as const satisfies ToolDescription
