import { currentGeneration, deploymentPlace } from '@davit/coordinator-state'
import { withLock } from '@davit/deployment-lock'
import { Manifest, parseProfileName } from '@davit/documents'
import { targetsToUse } from '@davit/target'
import {
  activityOptions,
  connectionEnvironment,
  defineTool,
  lockOptions,
  profileOptions,
  skipOptions,
  stateDirectory,
  stateEnvironment,
  withTargets,
} from '@davit/tool'
import type { TransitionOutcome } from '@davit/transition-runner'
import { applyManifest } from './apply-manifest.ts'
import { outcomeError } from './outcome-error.ts'
import { planFor, renderPlan } from './plan-for.ts'

const EXIT_STATUS = {
  completed: 0,
  'rolled-back': 1,
  failed: 1,
  'lock-lost': 1,
  'old-services-lost': 2,
  'new-services-left': 3,
} satisfies Record<TransitionOutcome['kind'], number>

export const tool = defineTool({
  name: 'davit-activate',
  summary: 'Activate the services of a manifest in dependency order',
  description: [
    'Compares the manifest with what the records of the targets say is active, deactivates what should no longer be, and activates what is not yet: dependencies first, everything else in parallel, as many at a time on a target as its numOfCores. If something fails, all is undone in reverse order.',
    'What is active and wanted is left alone, unless it does not run any more: modules that can be asked for the status are asked, each for at most 30 seconds. What was activated before its machine was restarted, and whose module cannot be asked, is deactivated and activated again.',
    'A target that cannot be reached is refused before anything is done. With --skip-unreachable its services are left as they are, and it is said what then is not as the manifest says.',
    'Another deployment that has the same package in the same container of a target is refused before anything is done.',
    'Prints the manifest as it was read.',
  ],
  examples: [
    { command: 'davit-activate --dry-run manifest.xml', describe: 'show what would be done, and why' },
    { command: 'davit-activate manifest.xml', describe: 'do it' },
    { command: 'davit-activate --repair manifest.xml', describe: 'start again what has died' },
  ],
  operands: { manifest: 'manifest of the new configuration' },
  options: {
    ...profileOptions,
    ...lockOptions,
    ...skipOptions,
    'old-manifest': {
      type: 'string',
      short: 'o',
      value: 'FILE',
      describe: 'manifest of what is active, in place of what the targets say',
    },
    upgrade: { type: 'boolean', default: true, describe: 'deactivate what the manifest does not contain' },
    repair: {
      type: 'boolean',
      describe:
        'only restart what the manifest and the records contain and what died, was cut off, or was active before a restart of its machine; start besides only what that depends on',
    },
    'restart-changed': {
      type: 'boolean',
      describe:
        'restart what is active with other container properties, connectsTo or module than the manifest says; without it the plan only tells',
    },
    'activity-timeout': {
      ...activityOptions['activity-timeout'],
      describe:
        'end an activity that takes longer, with TERM and five seconds later KILL: it has failed then; also in a rollback, and also what an earlier run has left running; without it, activities take as long as they want',
    },
    rollback: { type: 'boolean', default: true, describe: 'undo everything when a service fails' },
    'dry-run': { type: 'boolean', describe: 'print the steps with their reasons, and stop' },
  },
  exitStatus: {
    0: 'the transition succeeded',
    1: 'the transition failed: it was rolled back, or left as it is with --no-rollback or when the lock was lost; or it was refused, since another deployment is in its way',
    2: 'the transition failed and the old services could not all be activated again, or nobody knows whether they are active',
    3: 'the transition failed and the new services could not all be deactivated, or nobody knows whether they are gone',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-distribute(1)', 'davit-lock(1)', 'davit-set(1)'],
  interrupted: {
    once: 'nothing was begun on the targets: the same command begins again',
    twice:
      'what was begun on the targets ends there by itself; the same command waits for what still runs, undoes what was cut off, and goes on',
  },
  async run(context) {
    const { args, print, readDocument, report } = context
    const profile = parseProfileName(args.profile)
    const { value: next, text } = await readDocument(Manifest, args.manifest)
    const old = args.oldManifest === undefined ? undefined : (await readDocument(Manifest, args.oldManifest)).value
    const place = deploymentPlace(stateDirectory(context), profile)
    const previous = old ?? (await currentGeneration(place))?.manifest
    const changed = args.restartChanged ? 'restart' : 'keep'
    const timeoutSeconds = args.activityTimeout
    if (!args.dryRun) context.journal({ profile, manifest: text }, 'change')

    return withTargets(next.infrastructure, context, async (reached) => {
      const targets = targetsToUse(reached, { unreachable: args.skipUnreachable ? 'skip' : 'refuse', report })
      const terms = { ...context, profile, old, previous, upgrade: upgradeOf(args), changed, timeoutSeconds } as const
      if (args.dryRun) return print(renderPlan(await planFor(next, targets, { ...terms, running: 'tell' })))
      const plan = () => planFor(next, targets, { ...terms, running: 'wait' })
      const rollback = args.rollback ? 'rollback' : 'keep'
      const locking = args.lock ? 'join-or-take' : 'none'
      const use = { profile, leaseSeconds: args.lockLease, place, locking } as const
      const outcome = await withLock(targets, use, async (lock) => {
        const first = await plan()
        const { renamed } = first.deployed
        return lock.extend(renamed, async (all) =>
          // What was seen there before it was locked may have changed.
          applyManifest(next, renamed.length === 0 ? first : await plan(), { ...terms, ...all, rollback }),
        )
      })
      if (outcome.kind !== 'completed') throw outcomeError(outcome, EXIT_STATUS[outcome.kind])
      return print(text)
    })
  },
})

function upgradeOf({ repair, upgrade }: { readonly repair: boolean; readonly upgrade: boolean }) {
  if (repair) return 'repair'
  return upgrade ? 'upgrade' : 'activate-only'
}
