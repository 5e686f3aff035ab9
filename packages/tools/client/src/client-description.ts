import { connectionEnvironment, type ToolDescription } from '@davit/tool'

import { commonDescription, operationOptions, settingOptions } from './options.ts'

export const description = {
  name: 'davit-client',
  summary: 'Carry out one operation on a machine for the tools of Disnix',
  description: [
    'A client interface for the tools of Disnix: they reach machines through the connections of davit if --interface davit-client is passed to them. Nothing of Disnix or Dysnomia needs to be on the machine. Operations on packages need Nix there.',
    'A type names a module: one of --modules, else one that Dysnomia has on the machine, else one of davit, which is sent along. Whatever is passed as arguments travels on the standard input of a script, and is no part of a command line there. On this machine it is.',
  ],
  usage: ['--target=HOST OPERATION [OPTION]... [PATH]...'],
  examples: [
    {
      command: 'davit-client --target web1 --activate --type process --arguments port=80 /nix/store/…-web',
      describe: 'activate a component',
    },
    {
      command: 'disnix-env -s services.nix -i infrastructure.nix -d distribution.nix --interface davit-client',
      describe: 'have Disnix deploy over connections of davit',
    },
  ],
  ...commonDescription,
  options: {
    target: {
      type: 'string',
      value: 'HOST',
      required: true,
      describe: 'address of the machine, as for ssh, or host:port',
    },
    ...operationOptions,
    ...settingOptions,
  },
  environment: {
    ...connectionEnvironment,
    TMPDIR: 'directory for what is exported (default: /tmp); on the machine, that of the lock file',
  },
  seeAlso: ['davit-run-activity(1)', 'davit-connect(1)', 'disnix-ssh-client(1)'],
} as const satisfies ToolDescription
