import { setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import { DavitError, type Diagnostic } from '@davit/diagnostics'
import type { InstantiatedPackage, StorePath } from '@davit/documents'
import { runGraph } from '@davit/service-graph'
import { cannotBuild } from '../cannot-build.ts'
import type { RealiseOptions } from '../store-interface.ts'
import { say } from '../messages.ts'
import { needPaths } from './needed.ts'
import { buildOutput, type BuildOutcome } from './build-output.ts'
import { refuseFetched } from './fetched-builds.ts'
import { checkSystems, type PlannedBuild, planBuilds } from './plan-builds.ts'
import type { StoreContext } from './store-context.ts'

/** Builds packages that are not valid, inputs first; a failure stops only the builds that need it. */
export async function realise(
  context: StoreContext,
  packages: readonly InstantiatedPackage[],
  options: RealiseOptions,
): Promise<void> {
  options.signal.throwIfAborted()
  const plan = planBuilds(context, packages)
  if (plan.size === 0) return
  checkSystems(context, plan)
  await context.prepare()
  const wanted = packages.flatMap(({ outPath, derivation }) =>
    derivation === undefined ? [outPath] : [outPath, derivation],
  )
  await context.undisturbed(async () => needPaths(context, wanted))
  const builds = [...plan.values()].map(({ derivation: { name }, derivationPath }) => ({
    name,
    derivation: derivationPath,
  }))
  refuseFetched(context, await context.isolation(), builds)
  await reportIsolation(context, options)
  // Each build adds a listener; Node warns of a leak at eleven.
  setMaxListeners(0, options.signal)
  const failures: Diagnostic[] = []
  await runGraph(plan, {
    limit: Math.max(1, options.maxJobs ?? availableParallelism()),
    signal: options.signal,
    async run(build) {
      const outcome = await buildReported(context, build, options)
      if (outcome.kind === 'failed') failures.push(failureOf(build, outcome))
      return outcome.kind === 'built'
    },
  })
  options.signal.throwIfAborted()
  if (failures.length > 0) throw buildFailed(plan, failures)
}

async function reportIsolation(context: StoreContext, { report }: RealiseOptions): Promise<void> {
  const { kind } = await context.isolation()
  if (kind !== 'bubblewrap') report(say(kind === 'none' ? 'builds-not-isolated' : 'builds-half-isolated'))
}

async function buildReported(
  context: StoreContext,
  build: PlannedBuild,
  options: RealiseOptions,
): Promise<BuildOutcome> {
  const { report } = options
  const step = { id: build.output as string, step: `build ${build.derivation.name}` }
  report({ kind: 'started', ...step })
  try {
    const outcome = await buildOutput(context, build, options)
    if (outcome.kind === 'built') report({ kind: 'finished', ...step })
    else report({ kind: 'failed', ...step, message: outcome.reason, log: outcome.logEnd })
    return outcome
  } catch (error) {
    report({ kind: 'failed', ...step, message: error instanceof Error ? error.message : String(error) })
    throw error
  }
}

function failureOf({ derivation }: PlannedBuild, outcome: BuildOutcome & { kind: 'failed' }): Diagnostic {
  const log = outcome.logEnd === '' ? '' : `\n${outcome.logEnd.replaceAll(/^/gm, '  | ')}`
  return {
    severity: 'error',
    message: `the build of '${derivation.name}' ${outcome.reason}${log}`,
    hint: `the whole log is in '${outcome.logFile}'`,
  }
}

function buildFailed(plan: ReadonlyMap<StorePath, PlannedBuild>, failures: readonly Diagnostic[]): DavitError {
  const diagnostics = failures.toSorted((left, right) => (left.message < right.message ? -1 : 1))
  return new DavitError('build-failed', cannotBuild(failures.length, plan.size), { diagnostics })
}
