import {
  connectionEnvironment,
  copyOptions,
  infrastructureOptions,
  profileOptions,
  stateEnvironment,
  type ToolDescription,
} from '@davit/tool'

export const description = {
  name: 'davit-copy-closure',
  summary: 'Copy packages with all that they need to a target or from it',
  description: [
    'Copies store paths and their closures as far as they are missing on the other side. Nothing becomes active. What was copied is kept there for a day.',
    'With --from, this machine compares everything that arrives with its hash before it adds anything. The name of a source, a module or a profile stands for its content. That of a build does not, so that the target is believed: name only targets that may decide what runs on the others.',
    'The directory of the paths determines the store: /nix/store is that of Nix.',
  ],
  examples: [
    {
      command: 'davit-copy-closure --to -t test1 -i infrastructure.yaml /var/lib/davit/store/…-web',
      describe: 'send a package and all that it needs',
    },
    {
      command: 'davit-copy-closure --from -t test1 /var/lib/davit/store/…-test1',
      describe: 'fetch the profile of a target of the deployment',
    },
  ],
  operands: { path: { kind: 'list', describe: 'store paths' } },
  options: {
    ...copyOptions,
    ...infrastructureOptions,
    ...profileOptions,
  },
  exitStatus: { 66: 'a path is not valid on the side that has to send it' },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-distribute(1)', 'davit-copy-snapshots(1)', 'nix-copy-closure(1)'],
  interrupted: {
    once: 'what had not arrived completely was not added; the same command copies what is missing',
    twice: 'what had not arrived completely was not added; the same command copies what is missing',
  },
} as const satisfies ToolDescription
