import { connectionEnvironment, interfaceOptions, outputOptions, type ToolDescription } from '@davit/tool'

export const description = {
  name: 'davit-capture-infrastructure',
  summary: 'Write an infrastructure model of what machines are',
  description: [
    'Asks machines what they are, and prints an infrastructure model that can be used at once: system, number of cores, memory, disk, and a container for each type of services that davit has a module for and whose programs are installed. Properties and containers that Dysnomia has there (in /etc/dysnomia) are part of it. Nothing is changed anywhere.',
    'A host is written as for ssh, and its target is called after it; NAME=HOST calls the target otherwise.',
    'With --infrastructure, the targets of a model are completed: what the model says stays, and what it does not say is added. Targets that are reached through client executables stay as they are.',
    'With --from-ssh-config, the targets are the hosts that the configuration of ssh names, without patterns. No host is asked.',
    'Passwords cannot be captured: add the properties that modules need to log in.',
    'Machines that cannot be asked are named, and the status tells why; the others are printed. Those of a model stay in it as they are.',
  ],
  examples: [
    { command: 'davit-capture-infrastructure web1 deploy@db1:2222', describe: 'a model of two machines' },
    {
      command: 'davit-capture-infrastructure --from-ssh-config --output infrastructure.yaml',
      describe: 'begin a model with the hosts that ssh knows',
    },
    {
      command: 'davit-capture-infrastructure -i infrastructure.yaml --output infrastructure.yaml',
      describe: 'complete it',
    },
    {
      command: 'davit-capture-infrastructure --interface local --format typescript here=localhost',
      describe: 'a typed model of this machine',
    },
  ],
  operands: {
    host: {
      kind: 'list',
      describe:
        'HOST or NAME=HOST: machines to ask; with --from-ssh-config: the configuration file, by default that of ssh',
    },
  },
  options: {
    infrastructure: { type: 'string', short: 'i', value: 'FILE', describe: 'infrastructure model to complete' },
    'from-ssh-config': { type: 'boolean', describe: 'begin a model with the hosts of an ssh configuration' },
    ...interfaceOptions,
    format: {
      type: 'choice',
      choices: ['yaml', 'json', 'typescript', 'nix', 'xml'],
      default: 'yaml',
      group: 'Output options',
      describe: 'language of the infrastructure model',
    },
    ...outputOptions,
  },
  environment: connectionEnvironment,
  exitStatus: { 69: 'some machines cannot be asked; the others are printed, if there are any' },
  seeAlso: ['davit-place(1)', 'davit-normalize(1)', 'davit-convert(1)', 'ssh_config(5)'],
  interrupted: {
    once: 'nothing was changed; run the same command again',
    twice: 'nothing was changed; run the same command again',
  },
} as const satisfies ToolDescription
