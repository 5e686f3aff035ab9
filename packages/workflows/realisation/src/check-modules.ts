import { DavitError, type Diagnostic, ExitStatus, suggestionFor } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'

import { requiredModules } from './profile/modules-by-target.ts'

/** Refuses services whose type has no module, before anything is built. */
export function checkModules(manifest: Manifest, modules: ReadonlyMap<string, LifecycleModule>): void {
  const missing = requiredModules(manifest).filter((type) => !modules.has(type))
  if (missing.length === 0) return
  throw new DavitError('no-module', 'some services cannot be activated', {
    exitStatus: ExitStatus.badDocument,
    diagnostics: missing.map((type) => missingModule(type, manifest, modules)),
    hint: `available modules: ${[...modules.keys()].sort().join(', ')}; add your own with --modules DIRECTORY, or with a service that provides the container`,
  })
}

function missingModule(type: string, manifest: Manifest, modules: ReadonlyMap<string, LifecycleModule>): Diagnostic {
  const services = [...manifest.services.values()]
    .filter((service) => service.type === type)
    .map(({ name }) => `'${name}'`)
  const hint = suggestionFor(type, modules.keys())
  const message = `there is no module for type '${type}', used by ${[...new Set(services)].join(', ')}`
  return { severity: 'error', message, ...(hint === undefined ? {} : { hint }) }
}
