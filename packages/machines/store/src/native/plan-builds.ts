import { DavitError, type Diagnostic } from '@davit/diagnostics'
import type { InstantiatedPackage, StorePath } from '@davit/documents'
import { missingPackage, wrongOutput } from '../build-problems.ts'
import type { BuildJob } from './build-output.ts'
import { outputPathOf } from './derivation.ts'
import { readDerivation } from './derivation-writer.ts'
import type { StoreContext } from './store-context.ts'

export interface PlannedBuild extends BuildJob {
  /** Outputs that have to be built first. */
  readonly needs: readonly StorePath[]
}

/** Plans the builds of all packages, and of their inputs, that are not valid. */
export function planBuilds(
  context: StoreContext,
  packages: readonly InstantiatedPackage[],
): ReadonlyMap<StorePath, PlannedBuild> {
  const { registry, layout } = context
  const plan = new Map<StorePath, PlannedBuild>()
  const isMissing = ({ outPath }: InstantiatedPackage): boolean => registry.find(outPath) === undefined
  const pending = packages.filter(isMissing)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (plan.has(next.outPath)) continue
    if (next.derivation === undefined) throw missingPackage(next.outPath)
    const derivation = readDerivation(context, next.derivation)
    if (outputPathOf(layout.directory, derivation) !== next.outPath) throw wrongOutput(next.outPath, next.derivation)
    for (const source of derivation.sources.values()) registry.get(source)
    const inputs = [...derivation.inputs.values()].map(({ output, derivation: path }) => {
      return { outPath: output, ...(path === undefined ? {} : { derivation: path }) }
    })
    const missing = inputs.filter(isMissing)
    const needs = [...new Set(missing.map(({ outPath }) => outPath))]
    plan.set(next.outPath, { output: next.outPath, derivationPath: next.derivation, derivation, needs })
    pending.push(...missing)
  }
  return plan
}

/** Refuses builds for another platform than that of this machine. */
export function checkSystems({ system }: StoreContext, builds: ReadonlyMap<StorePath, PlannedBuild>): void {
  const foreign = [...builds.values()].filter(({ derivation }) => derivation.system !== system)
  if (foreign.length === 0) return
  const diagnostics = foreign.map(({ derivation }): Diagnostic => {
    const message = `'${derivation.name}' must be built on ${derivation.system}; this machine is ${system}`
    return { severity: 'error', message }
  })
  throw new DavitError('wrong-system', `cannot build for platforms other than ${system} on this machine`, {
    hint:
      'build on the targets (davit-env --build-on-targets, or davit-delegate-build between davit-normalize and ' +
      'davit-manifest), or correct the systems in the infrastructure model',
    diagnostics,
  })
}
