import {
  directOptions,
  type ToolDescription,
  activityOptions,
  confirmOptions,
  connectionEnvironment,
  lockOptions,
  originalOptions,
  originOptions,
  planOptions,
  profileOptions,
  onOptions,
  skipOptions,
  secretEnvironment,
  stateEnvironment,
  trustOptions,
} from '@davit/tool'

export const description = {
  name: 'davit-activate',
  summary: 'Activate the services of a manifest in dependency order',
  description: [
    'Compares the manifest with the records of the targets, deactivates services that should no longer be active, and activates those that are not active yet: dependencies first, everything else in parallel, on each target as many at a time as its numOfCores. If something fails, everything is undone in reverse order.',
    'Services that are active and wanted are left alone, unless they no longer run: modules that can report a status are asked for it, each for at most 30 seconds. A service that was activated before its machine was restarted, and whose module cannot report a status, is deactivated and activated again.',
    'The state of a service moves with it, if the models say so (deployState): what depends on the service is stopped first, then the service itself; a snapshot of its state is taken, brought to its new place by way of this machine, which keeps it, and restored there before anybody is served. The state of a removed service is kept on this machine. If anything fails, the old services are activated again, with their own state.',
    'If a target cannot be reached, the tool stops before anything is done. With --skip-unreachable it leaves the services of such targets alone, and reports what then differs from the manifest.',
    'The tool also stops before anything is done if another deployment has the same package in the same container of a target, or if it would remove everything that runs under its name, since -p may have been forgotten. --take-over permits the latter.',
    'Prints the manifest unchanged.',
  ],
  examples: [
    { command: 'davit-activate --dry-run manifest.xml', describe: 'show what would be done, and why' },
    { command: 'davit-activate manifest.xml', describe: 'carry it out' },
    {
      command: 'davit-activate --confirm 60 manifest.xml',
      describe: 'go back unless every target can be reached afterwards',
    },
    { command: 'davit-activate --plan plan.json', describe: 'carry out a plan that davit-plan has saved' },
    { command: 'davit-activate --repair manifest.xml', describe: 'restart services that died' },
  ],
  operands: { manifest: 'manifest of the new configuration' },
  options: {
    ...profileOptions,
    ...lockOptions,
    ...onOptions,
    ...skipOptions,
    ...trustOptions,
    'old-manifest': {
      type: 'string',
      short: 'o',
      value: 'FILE',
      describe: 'manifest of what is active, instead of what the targets report',
    },
    ...planOptions,
    plan: {
      type: 'string',
      value: 'FILE',
      excludes: ['old-manifest', 'abandon'],
      describe:
        'carry out exactly this plan of davit-plan, with the options that it was made with, and refuse if what is active has changed meanwhile, so that something else would be done; without a manifest, that of the plan is used',
    },
    'activity-timeout': {
      ...activityOptions['activity-timeout'],
      describe:
        'end an activity that takes longer, with TERM and five seconds later KILL, and treat it as failed; this includes rollbacks and activities that an earlier run left running; without this option there is no limit',
    },
    abandon: {
      type: 'list',
      value: 'SERVICE',
      describe:
        'only give up a service that cannot be stopped, by name, key or SERVICE@TARGET: its records are put aside, its module is not called, and its processes, if any, keep running; without a manifest, on the targets of the last deployment',
    },
    rollback: { type: 'boolean', default: true, describe: 'undo everything when a service fails' },
    confirm: {
      ...confirmOptions.confirm,
      describe:
        'have each target go back by itself to exactly what it ran before, unless it can be reached over a new connection within SECONDS after everything is active; it also goes back when it has heard nothing of this run for SECONDS, and when it is restarted; refused if state would move',
    },
    ...directOptions,
    'original-profile': {
      ...originalOptions['original-profile'],
      describe:
        'refuse packages that are not in the store of Nix, since davit-set will also set the profiles of Disnix; with --check, print changed',
    },
    undeploy: {
      type: 'boolean',
      describe:
        'the manifest undeploys everything: refuse it if neither this coordinator nor the targets know a deployment of this name',
    },
    check: {
      type: 'boolean',
      describe:
        'only make the checks that --take-over and --undeploy are about, on the targets that can be reached; then look whether a run of davit-env would change anything, print unchanged or changed instead of the manifest, and stop; change nothing',
    },
    'target-profiles': {
      type: 'boolean',
      default: true,
      describe:
        'with --check, also compare the profiles of the targets, which davit-set sets; otherwise tell the targets that they are wanted',
    },
    'coordinator-profile': {
      type: 'boolean',
      default: true,
      describe: 'with --check, also compare the generation of the coordinator, which davit-set adds',
    },
    'dry-run': { type: 'boolean', describe: 'print the steps with their reasons, and stop' },
    ...originOptions,
  },
  exitStatus: {
    0: 'the transition succeeded',
    1: 'the transition failed, or was not confirmed, and was rolled back, or left as it is because of --no-rollback or a lost lock; or it was refused, because of a conflict with another deployment, because what runs was not deployed from this coordinator, or because there is nothing to undeploy',
    2: 'the transition failed, or was not confirmed, and not all old services could be activated again, or it is unknown whether they are active',
    3: 'the transition failed, and not all new services could be deactivated, or it is unknown whether they are gone',
    4: 'with --plan: something else than the plan would have to be done, and nothing was done',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-distribute(1)', 'davit-lock(1)', 'davit-set(1)'],
  interrupted: {
    once: 'nothing was begun on the targets; the same command begins again',
    twice:
      'what was begun on the targets ends there by itself; the same command waits for what still runs, undoes what was cut off, and continues',
  },
} as const satisfies ToolDescription
