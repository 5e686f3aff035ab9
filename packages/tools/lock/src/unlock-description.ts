import {
  type ToolDescription,
  activityOptions,
  connectionEnvironment,
  interfaceOptions,
  profileOptions,
  secretEnvironment,
  stateEnvironment,
} from '@davit/tool'

export const description = {
  name: 'davit-unlock',
  summary: 'Unlock a deployment that davit-lock has locked',
  description: [
    'Unlocks what davit-lock has locked, as recorded in the state of the coordinator. On empty input, because an earlier step of the pipe failed, it unlocks what davit-lock has locked in the same pipe, and still fails.',
    'A lock that davit-lock holds while a command runs ends with the command, and cannot be unlocked from elsewhere. With --id, releases the lock of anybody on the targets of the manifest, of what was deployed last (--deployed), or of an infrastructure model (-i), and prints the holder; this is meant for a lock that is no longer used. A deployment that still works under it ends at its next step.',
  ],
  examples: [
    { command: 'davit-unlock manifest.xml', describe: 'unlock the targets of a manifest' },
    { command: 'davit-lock manifest.xml | davit-activate | davit-unlock', describe: 'unlock at the end of a pipe' },
    { command: 'davit-unlock --id 5d7c… manifest.xml', describe: 'release a lock that somebody left behind' },
    {
      command: 'davit-unlock --id 5d7c… -i infrastructure.yaml',
      describe: 'the same, on the targets of an infrastructure model',
    },
  ],
  operands: { manifest: 'manifest whose targets are locked' },
  options: {
    ...profileOptions,
    ...activityOptions,
    id: {
      type: 'string',
      value: 'TOKEN',
      describe: 'release the lock with this token, whoever holds it; the tool that was refused prints the token',
    },
    infrastructure: {
      type: 'string',
      short: 'i',
      value: 'FILE',
      describe: 'with --id: infrastructure model with the targets, instead of a manifest',
    },
    deployed: {
      type: 'boolean',
      describe: 'with --id: use the targets of what was deployed last, instead of a manifest',
    },
    ...interfaceOptions,
  },
  exitStatus: {
    1: 'the deployment was not locked, or a service could not be unlocked or did not answer in time; the lock is free',
    75: 'davit-lock holds the lock while a command runs',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-lock(1)'],
  interrupted: {
    once: 'nothing was unlocked; the same command does it',
    twice: 'the same command unlocks what is still locked',
  },
} as const satisfies ToolDescription
