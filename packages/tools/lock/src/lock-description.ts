import {
  type ToolDescription,
  activityOptions,
  connectionEnvironment,
  interfaceOptions,
  lockOptions,
  onOptions,
  profileOptions,
  skipOptions,
  secretEnvironment,
  stateEnvironment,
  trustOptions,
} from '@davit/tool'

const { 'lock-lease': lease } = lockOptions

export const description = {
  name: 'davit-lock',
  summary: 'Lock a deployment on all targets of a manifest',
  description: [
    'With a command, holds the lock while the command runs, as flock(1) does. Without one, keeps the lock until davit-unlock for the following steps of the same pipe or shell, which find it in the state of the coordinator.',
    'Every active service is asked whether it can be changed now; if one refuses, the deployment is not locked. With --on, only the targets on which something is selected are locked, and only the selected services asked.',
    'A lock ends with the process that holds it, or when its lease is over; somebody else can then take it.',
    'With --status it only tells, for each target, who holds the lock, since when and until when, by the clock of the target, and whether that process is known to be alive. It takes no lock and changes nothing. Without a manifest, it asks the targets of the current generation, or those of the infrastructure model that --infrastructure names. Targets that cannot be reached are named, and the others are still listed.',
  ],
  examples: [
    { command: 'davit-lock manifest.xml -- ./deploy.sh manifest.xml', describe: 'hold the lock while a script runs' },
    {
      command: 'davit-lock manifest.xml | davit-activate | davit-set | davit-unlock',
      describe: 'lock the steps of a pipe',
    },
    {
      command: 'davit-lock --status -p shop',
      describe: 'show who holds the lock, on the targets of the last deployment',
    },
  ],
  operands: {
    manifest: 'manifest whose targets are locked',
    command: { kind: 'command', describe: 'command to run under the lock' },
  },
  options: {
    ...profileOptions,
    ...onOptions,
    ...skipOptions,
    ...activityOptions,
    'lock-lease': lease,
    'target-profiles': {
      type: 'boolean',
      default: true,
      describe:
        'tell the targets that the profiles of the manifest are wanted, so that a run that is cut off can be continued from another coordinator; forgotten when the lock is released, unless something was left undone',
    },
    status: { type: 'boolean', describe: 'only show who holds the lock on each target, since when and until when' },
    infrastructure: {
      type: 'string',
      short: 'i',
      value: 'FILE',
      describe: 'with --status: infrastructure model with the targets, instead of a manifest',
    },
    ...interfaceOptions,
    ...trustOptions,
    format: { type: 'choice', choices: ['text', 'json'], default: 'text', describe: 'format of --status' },
  },
  exitStatus: {
    1: 'a service cannot be changed now, or did not answer in time',
    69: 'a target cannot be reached; --status has listed the others',
    75: 'somebody else holds the lock',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-unlock(1)', 'davit-activate(1)', 'flock(1)'],
  interrupted: {
    once: 'no lock was left; the same command takes one',
    twice:
      'locks may be left; a tool that they refuse prints the holder and the token, and davit-unlock --id releases them',
  },
} as const satisfies ToolDescription
