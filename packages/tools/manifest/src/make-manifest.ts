import { traced } from '@davit/diagnostics'
import type { Architecture, Manifest } from '@davit/documents'
import { loadDeploymentModel } from '@davit/models'
import { modulesOf } from '@davit/modules'
import { completeDeployment, completeProfiles, realise } from '@davit/realisation'
import { currentSystem, openStore } from '@davit/store'
import type { ArgumentsOf, Run } from '@davit/tool'

import type { description } from './description.ts'

export type ManifestOptions = Omit<
  ArgumentsOf<typeof description.options, Record<never, never>>,
  'output' | 'format' | 'deployment'
>

/** Builds what an architecture names and the store lacks, and makes its manifest. */
export async function manifestOfArchitecture(
  architecture: Architecture,
  options: ManifestOptions,
  run: Run,
): Promise<Manifest> {
  const { maxJobs, trustBuilds: trustsBuilds } = options
  const modules = await modulesOf(options.modules)
  const store = await openStore(architecture.store, { ...run, trustsBuilds })
  const system = currentSystem(run.environment)
  const terms = { ...run, store, system, modules, ...(maxJobs === undefined ? {} : { maxJobs }) }
  return traced(run.trace, { kind: 'work', name: 'realise' }, () => realise(architecture, terms))
}

/** Makes the manifest of a deployment model, which may be a manifest. */
export async function manifestOfDeployment(file: string, options: ManifestOptions, run: Run): Promise<Manifest> {
  const { interface: clientInterface, targetProperty } = options
  const model = await loadDeploymentModel(file, run)
  const system = currentSystem(run.environment)
  const manifest = completeDeployment(model, { file, system, clientInterface, targetProperty })
  const modules = await modulesOf(options.modules)
  return completeProfiles(manifest, { ...run, modules, openStore: () => openStore(manifest.store, run) })
}
