import {
  type ToolDescription,
  activityOptions,
  connectionEnvironment,
  lockOptions,
  profileOptions,
  skipOptions,
  secretEnvironment,
  stateEnvironment,
} from '@davit/tool'

const { 'lock-lease': lease } = lockOptions

export const description = {
  name: 'davit-lock',
  summary: 'Lock a deployment on all targets of a manifest',
  description: [
    'With a command, holds the lock while the command runs, as flock(1) does. Without one, keeps the lock until davit-unlock for the following steps of the same pipe or shell, which find it in the state of the coordinator.',
    'Every active service is asked whether it can be changed now; if one refuses, the deployment is not locked.',
    'A lock ends with the process that holds it, or when its lease is over; somebody else can then take it.',
  ],
  examples: [
    { command: 'davit-lock manifest.xml -- ./deploy.sh manifest.xml', describe: 'hold the lock while a script runs' },
    {
      command: 'davit-lock manifest.xml | davit-activate | davit-set | davit-unlock',
      describe: 'lock the steps of a pipe',
    },
  ],
  operands: {
    manifest: 'manifest whose targets are locked',
    command: { kind: 'command', describe: 'command to run under the lock' },
  },
  options: { ...profileOptions, ...skipOptions, ...activityOptions, 'lock-lease': lease },
  exitStatus: { 1: 'a service cannot be changed now, or did not answer in time', 75: 'somebody else holds the lock' },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-unlock(1)', 'davit-activate(1)', 'flock(1)'],
  interrupted: {
    once: 'no lock was left; the same command takes one',
    twice:
      'locks may be left; a tool that they refuse prints the holder and the token, and davit-unlock --id releases them',
  },
} as const satisfies ToolDescription
