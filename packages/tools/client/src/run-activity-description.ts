import type { ToolDescription } from '@davit/tool'

import { commonDescription, operationOptions, settingOptions } from './options.ts'

export const description = {
  name: 'davit-run-activity',
  summary: 'Carry out one operation on this machine, as a deployment would',
  description: [
    'Does on this machine what davit-client does on others: use it to try a lifecycle module by hand, or as a client interface of the tools of Disnix whose only target is this machine.',
    'What a module leaves, its markers, snapshots and records, is in DYSNOMIA_STATEDIR, apart from that of deployments of davit.',
  ],
  usage: ['OPERATION [OPTION]... [PATH]...'],
  examples: [
    {
      command: 'davit-run-activity --activate --module ./my-module --arguments port=8080 ./component',
      describe: 'try a module of your own',
    },
    {
      command: 'davit-run-activity --operation status --type process ./component',
      describe: 'ask whether the component runs',
    },
  ],
  ...commonDescription,
  options: {
    target: { type: 'string', value: 'HOST', describe: 'ignored: the operation concerns this machine' },
    ...operationOptions,
    ...settingOptions,
    environment: {
      type: 'boolean',
      short: 'E',
      group: 'Settings of operations',
      describe: 'all variables of the environment are properties of the container as well',
    },
  },
  environment: {
    DYSNOMIA_STATEDIR: 'directory of markers and snapshots (default: /var/state/dysnomia for root, else ~/.dysnomia)',
    DYSNOMIA_MODULES_PATH: 'directories with modules of Dysnomia, separated by colons',
    DYSNOMIA_CONTAINERS_PATH: 'directories with files of containers (default: /etc/dysnomia/containers)',
    DYSNOMIA_PROPERTIES: 'file with properties of the machine (default: /etc/dysnomia/properties)',
    TMPDIR: 'directory for what is exported, and for lock files (default: /tmp)',
  },
  seeAlso: ['davit-client(1)', 'dysnomia(1)'],
} as const satisfies ToolDescription
