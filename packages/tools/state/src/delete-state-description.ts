import {
  activityOptions,
  connectionEnvironment,
  lockOptions,
  onOptions,
  profileOptions,
  skipOptions,
  secretEnvironment,
  stateEnvironment,
  type ToolDescription,
} from '@davit/tool'

import { deployedOptions, dryRunOptions, oldOptions, selectionOptions } from './options.ts'

export const description = {
  name: 'davit-delete-state',
  summary: 'Delete state that services have left behind',
  description: [
    'Deletes the state of the services of a manifest where no active service uses it: when a service is deactivated, its target marks the state as garbage, and removes the mark when the service is activated again. State that is in use is kept, which is said. Snapshots are not deleted; davit-clean-snapshots does that.',
    'With --old-manifest, deletes only state that the old manifest has elsewhere, or that belongs to services that were removed; and only if what took it over is active, was restored from the snapshot that was taken of it after it was used last, or from one that follows that snapshot, and does not report that it does not run. After --no-migration, nothing has taken it over.',
    'If the module of a service is no longer on its target, the module of the same type in the profile that is deployed now is used. Prints the manifest unchanged, if one is given.',
  ],
  examples: [
    { command: 'davit-delete-state -o old.xml manifest.xml --dry-run', describe: 'show what would be deleted' },
    { command: 'davit-delete-state -o old.xml', describe: 'delete what has moved since the old manifest' },
    { command: 'davit-delete-state old.xml', describe: 'delete everything of the old manifest that nobody uses' },
    {
      command: 'davit-delete-state -o old.xml -S accounts --discard',
      describe: 'delete what was left with --no-migration',
    },
  ],
  operands: { manifest: "manifest whose services have the state, '-' for standard input; by default the deployed one" },
  options: {
    ...profileOptions,
    ...deployedOptions,
    ...oldOptions,
    ...onOptions,
    ...selectionOptions,
    discard: {
      type: 'boolean',
      describe:
        'delete state even if the service that is in its place has never taken it over, so that this may be the only copy; select it with -S',
    },
    'activity-timeout': activityOptions['activity-timeout'],
    ...skipOptions,
    ...lockOptions,
    ...dryRunOptions,
    'once-deployed': {
      type: 'boolean',
      describe:
        'with --dry-run, show what could be deleted once the manifest is deployed, including state that is in use until then; so davit-env --delete-state --dry-run does',
    },
  },
  exitStatus: { 1: 'not all state was deleted' },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-migrate(1)', 'davit-clean-snapshots(1)', 'davit-env(1)'],
  interrupted: {
    once: 'deletions that were begun are complete; the same command deletes the rest',
    twice: 'deletions that were begun are completed on their targets; the same command deletes the rest',
  },
} as const satisfies ToolDescription
