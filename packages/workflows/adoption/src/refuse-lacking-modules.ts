import { DavitError, ExitStatus, type Diagnostic, type Report } from '@davit/diagnostics'
import type { Manifest, TargetName } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import {
  lackingModules,
  type ReachedTargets,
  referenceToDysnomia,
  type ShellTarget,
  type WantedModule,
  wantedModules,
} from '@davit/target'

import { say } from './messages.ts'

export interface ModuleTerms {
  /** Targets whose deployment is to be adopted. */
  readonly originals: ReadonlyMap<TargetName, unknown>
  readonly modules: ReadonlyMap<string, LifecycleModule>
  readonly report: Report
}

/**
 * Refuses services whose module neither davit has nor Dysnomia on their target, and tells which are those of Dysnomia. Packages that
 * provide containers are not asked: their modules are found when records are written.
 */
export async function refuseLackingModules(
  manifest: Manifest,
  { targets }: ReachedTargets,
  { originals, modules, report }: ModuleTerms,
): Promise<void> {
  const ofDysnomia = wantedModules(manifest).filter(
    ({ target, type, provider }) => originals.has(target) && provider === undefined && !modules.has(type),
  )
  const asked = [...targets.values()].map(async (target) => lackingOn(target, ofDysnomia))
  const lacking = (await Promise.all(asked)).flat()
  if (lacking.length === 0) {
    if (ofDysnomia.length > 0) report(say('modules-of-dysnomia', { modules: typesOf(ofDysnomia) }))
    return
  }
  throw new DavitError('no-module', 'davit could not stop some of the services', {
    exitStatus: ExitStatus.failed,
    diagnostics: lacking.map(missingModule),
    hint: 'nothing was done; add modules with --modules DIRECTORY',
  })
}

async function lackingOn(
  { name, machine }: ShellTarget,
  wanted: readonly WantedModule[],
): Promise<readonly WantedModule[]> {
  const here = wanted.filter(({ target }) => target === name)
  const lacks = await lackingModules(
    machine,
    here.map(({ type }) => referenceToDysnomia(type)),
  )
  return here.filter(({ type }) => lacks.has(referenceToDysnomia(type)))
}

function missingModule({ target, type, services }: WantedModule): Diagnostic {
  const names = [...services].map((name) => `'${name}'`).join(', ')
  return {
    severity: 'error',
    message: `there is no module for type '${type}', used by ${names}, and Dysnomia has none on '${target}'`,
  }
}

function typesOf(wanted: readonly WantedModule[]): readonly string[] {
  return [...new Set(wanted.map(({ type }) => type))].toSorted()
}
