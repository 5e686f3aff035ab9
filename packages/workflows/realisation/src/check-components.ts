import type { Report } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'

import { say } from './messages.ts'

/** Warns of built components with settings that their modules will refuse or ignore, before anything is activated. */
export async function checkComponents(
  manifest: Manifest,
  { modules, report }: { readonly modules: ReadonlyMap<string, LifecycleModule>; readonly report: Report },
): Promise<void> {
  const components = new Map([...manifest.services.values()].map((service) => [service.pkg, service]))
  for (const { name, type, pkg } of components.values()) {
    for (const { message, place, hint } of (await modules.get(type)?.checkComponent?.(pkg)) ?? []) {
      report(say('component-doubtful', { service: name, problem: message, file: place?.file, line: place?.line, hint }))
    }
  }
}
