import { currentGeneration, deploymentPlace } from '@davit/coordinator-state'
import { withLock } from '@davit/deployment-lock'
import { Manifest, parseProfileName } from '@davit/documents'
import { allTargets } from '@davit/target'
import {
  connectionEnvironment,
  defineTool,
  lockOptions,
  profileOptions,
  stateDirectory,
  stateEnvironment,
  withTargets,
} from '@davit/tool'
import { renderTransition } from '@davit/transition'
import type { TransitionOutcome } from '@davit/transition-runner'
import { applyManifest } from './apply-manifest.ts'
import { outcomeError } from './outcome-error.ts'
import { planFor } from './plan-for.ts'

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
    'Prints the manifest as it was read.',
  ],
  examples: [
    { command: 'davit-activate --dry-run manifest.xml', describe: 'show what would be done, and why' },
    { command: 'davit-activate manifest.xml', describe: 'do it' },
  ],
  operands: { manifest: 'manifest of the new configuration' },
  options: {
    ...profileOptions,
    ...lockOptions,
    'old-manifest': {
      type: 'string',
      short: 'o',
      value: 'FILE',
      describe: 'manifest of what is active, in place of what the targets say',
    },
    upgrade: { type: 'boolean', default: true, describe: 'deactivate what the manifest does not contain' },
    rollback: { type: 'boolean', default: true, describe: 'undo everything when a service fails' },
    'dry-run': { type: 'boolean', describe: 'print the steps with their reasons, and stop' },
  },
  exitStatus: {
    0: 'the transition succeeded',
    1: 'the transition failed: it was rolled back, or left as it is with --no-rollback or when the lock was lost',
    2: 'the transition failed and the old services could not be activated again',
    3: 'the transition failed and the new services could not be deactivated',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-distribute(1)', 'davit-lock(1)', 'davit-set(1)'],
  async run(context) {
    const { args, print, readDocument } = context
    const profile = parseProfileName(args.profile)
    const { value: next, text } = await readDocument(Manifest, args.manifest)
    const old = args.oldManifest === undefined ? undefined : (await readDocument(Manifest, args.oldManifest)).value
    const place = deploymentPlace(stateDirectory(context), profile)
    const previous = old ?? (await currentGeneration(place))?.manifest
    const upgrade = args.upgrade ? 'upgrade' : 'activate-only'

    return withTargets(next.infrastructure, context, async (reached) => {
      const targets = allTargets(reached)
      const terms = { ...context, profile, old, previous, upgrade } as const
      if (args.dryRun)
        return print(renderTransition((await planFor(next, targets, { ...terms, running: 'tell' })).transition))
      const plan = () => planFor(next, targets, { ...terms, running: 'wait' })
      const rollback = args.rollback ? 'rollback' : 'keep'
      const locking = args.lock ? 'join-or-take' : 'none'
      const use = { profile, leaseSeconds: args.lockLease, place, locking } as const
      const outcome = await withLock(targets, use, async (lock) => {
        const first = await plan()
        const { renamed } = first.deployed
        return lock.extend(renamed, async (all) =>
          // What was seen there before it was locked may have changed.
          applyManifest(next, renamed.length === 0 ? first : await plan(), { ...context, ...all, profile, rollback }),
        )
      })
      if (outcome.kind !== 'completed') throw outcomeError(outcome, EXIT_STATUS[outcome.kind])
      return print(text)
    })
  },
})
