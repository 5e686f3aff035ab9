import { currentGeneration, type DeploymentPlace, readLeftBehind } from '@davit/coordinator-state'
import { carryOut, type FirstTerms, onFirst, outcomeError, planFor, refuseStrange, renderPlan } from '@davit/deployment'
import { Manifest } from '@davit/documents'
import {
  activityOptions,
  connectionEnvironment,
  defineTool,
  deploymentOf,
  lockOptions,
  profileOptions,
  skipOptions,
  stateEnvironment,
  type ToolContext,
  withDeployment,
  withTargets,
} from '@davit/tool'
import type { TransitionOutcome } from '@davit/transition-runner'

import { giveUp } from './give-up.ts'

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
    'Another deployment that has the same package in the same container of a target is refused before anything is done. So is a first deployment from this coordinator that would remove all that runs under its name and share nothing with it: -p may have been forgotten. --take-over does it nevertheless.',
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
        'restart only services that died, were interrupted, or ran before a reboot, and start what they depend on',
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
    abandon: {
      type: 'list',
      value: 'SERVICE',
      describe:
        'do nothing else than give up a service that cannot be stopped, by its name or key, also as SERVICE@TARGET: its records are put aside, its module is not called, and what runs of it goes on; without a manifest, on the targets of the one that was deployed last',
    },
    rollback: { type: 'boolean', default: true, describe: 'undo everything when a service fails' },
    'take-over': {
      type: 'boolean',
      describe:
        'replace what another coordinator has deployed under this name, although the manifest has nothing of it; without it, that is refused where this coordinator has no generation',
    },
    undeploy: {
      type: 'boolean',
      describe:
        'the manifest takes everything away: refused where neither this coordinator nor the targets know a deployment of this name',
    },
    check: {
      type: 'boolean',
      describe:
        'only refuse what --take-over and --undeploy are about, as far as targets can be reached, and stop: nothing is changed, and nothing printed',
    },
    'dry-run': { type: 'boolean', describe: 'print the steps with their reasons, and stop' },
  },
  exitStatus: {
    0: 'the transition succeeded',
    1: 'the transition failed: it was rolled back, or left as it is with --no-rollback or when the lock was lost; or it was refused, since another deployment is in its way, what runs was not deployed from this coordinator, or there is nothing to undeploy',
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
    const { args, print, readDocument } = context
    if (args.abandon.length > 0) return giveUp(context)
    const { profile, place } = deploymentOf(context)
    const { value: next, text } = await readDocument(Manifest, args.manifest)
    const old = await readOld(context)
    const { takeOver, undeploy } = args
    // Who says what is active knows it.
    const claim = old === undefined ? await onFirst({ profile, place, takeOver, undeploy }) : undefined
    if (args.check) return check(next, claim, context)
    const known = await knownHere(place, old)
    const terms = { ...context, ...known, profile, place, claim, undeploy, ...transitionOptionsOf(args) }
    // Where there may be nothing to undeploy, nothing is written before that is known.
    const isInDoubt = undeploy && claim !== undefined
    const purpose = args.dryRun || isInDoubt ? undefined : 'change'

    return withDeployment(context, { manifest: next, text, purpose }, async ({ targets, lockUse }) => {
      await refuseStrange(next, targets, claim)
      if (args.dryRun) return print(renderPlan(await planFor(next, targets, { ...terms, running: 'tell' })))
      if (isInDoubt) context.journal({ profile, manifest: text }, 'change')
      const outcome = await carryOut(next, targets, { ...terms, lockUse, running: 'wait' })
      if (outcome.kind !== 'completed') throw outcomeError(outcome, EXIT_STATUS[outcome.kind])
      return print(text)
    })
  },
})

async function readOld({ args, readDocument }: ToolContext<{ readonly oldManifest: string | undefined }>) {
  return args.oldManifest === undefined ? undefined : (await readDocument(Manifest, args.oldManifest)).value
}

/** What this coordinator knows of the deployment; `old` stands for its last generation. */
async function knownHere(place: DeploymentPlace, old: Manifest | undefined) {
  const previous = old ?? (await currentGeneration(place))?.manifest
  return { old, previous, leftBehind: await readLeftBehind(place) }
}

/** As far as targets can be reached: what becomes of the others is the business of who changes them. */
async function check(next: Manifest, claim: FirstTerms | undefined, context: ToolContext<unknown>): Promise<void> {
  if (claim === undefined) return
  await withTargets(next.infrastructure, { ...context, role: 'deploy' }, async ({ targets, unreachable }) => {
    const undeploy = claim.undeploy && unreachable.size === 0
    await refuseStrange(next, [...targets.values()], { ...claim, undeploy })
  })
}

interface TransitionArguments {
  readonly repair: boolean
  readonly upgrade: boolean
  readonly restartChanged: boolean
  readonly rollback: boolean
  readonly activityTimeout: number | undefined
}

function transitionOptionsOf({ repair, upgrade, restartChanged, rollback, activityTimeout }: TransitionArguments) {
  return {
    upgrade: repair ? 'repair' : upgrade ? 'upgrade' : 'activate-only',
    changed: restartChanged ? 'restart' : 'keep',
    rollback: rollback ? 'rollback' : 'keep',
    timeoutSeconds: activityTimeout,
  } as const
}
