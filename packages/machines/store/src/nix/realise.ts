import { DavitError, type Report } from '@davit/diagnostics'
import type { InstantiatedPackage, StorePath } from '@davit/documents'
import { type BuildEvent, realiseDerivations, type RealisationOutcome, saidByNix, type ServeClient } from '@davit/nix'
import type { RealiseOptions } from '../store-interface.ts'
import { buildFailed, nameOf } from './build-failed.ts'
import { checkSystems } from './check-systems.ts'
import type { NixContext } from './nix-context.ts'
import { type BuildPlan, planBuilds } from './plan-builds.ts'
import { protect } from './roots.ts'

/** Builds or fetches packages that are not valid, with the user's own settings of Nix. */
export async function realise(
  context: NixContext,
  packages: readonly InstantiatedPackage[],
  options: RealiseOptions,
): Promise<void> {
  options.signal.throwIfAborted()
  await context.withServe(async (client) => {
    const plan = await planBuilds(context, client, packages)
    if (plan.wanted.length === 0) return
    await checkSystems(context.environment, plan.builds)
    const { failures, problems } = await run(context, { ...plan, client }, options)
    if (failures.length + problems.length > 0) throw buildFailed(plan.builds, { failures, problems })
    const made = [...new Set(packages.map(({ outPath }) => outPath))]
    const valid = await client.validPaths(made)
    const missing = made.find((path) => !valid.has(path))
    if (missing !== undefined) throw notMade(missing)
    await protect(context, made)
  })
}

function run(
  { environment }: NixContext,
  { wanted, builds, client }: BuildPlan & { readonly client: ServeClient },
  { maxJobs, report, signal }: RealiseOptions,
): Promise<RealisationOutcome> {
  const outputsOf = (derivation: StorePath): readonly StorePath[] => [
    ...(builds.get(derivation)?.outputs.values() ?? []),
  ]
  return realiseDerivations(wanted, {
    environment,
    signal,
    onEvent: (event) => reportEvent(event, report),
    async isBuilt(derivations) {
      const valid = await client.validPaths(derivations.flatMap(outputsOf))
      return new Set(derivations.filter((derivation) => outputsOf(derivation).every((path) => valid.has(path))))
    },
    ...(maxJobs === undefined ? {} : { maxJobs }),
  })
}

function reportEvent(event: BuildEvent, report: Report): void {
  switch (event.kind) {
    case 'started':
    case 'finished':
      return report({ kind: event.kind, ...buildStep(event.derivation) })
    case 'failed':
      return report({ kind: 'failed', ...buildStep(event.derivation), message: event.reason, log: event.logEnd })
    case 'fetching':
      return report({ kind: 'started', ...fetchStep(event.path) })
    case 'fetched':
      return report({ kind: 'finished', ...fetchStep(event.path) })
    case 'said':
      return report(saidByNix(event))
  }
}

function buildStep(derivation: StorePath) {
  return { id: derivation, step: `build ${nameOf(derivation)}` }
}

function fetchStep(path: StorePath) {
  return { id: path, step: `fetch ${nameOf(path)}` }
}

function notMade(path: StorePath): DavitError {
  return new DavitError('build-failed', `'${path}' is still not in the store, though Nix reported that it was built`)
}
