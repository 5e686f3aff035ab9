import type { Report } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import {
  type ActivityRequest,
  type ActivityResult,
  type Machine,
  performActivity,
  profileModuleOf,
  resolveModules,
} from '@davit/target'
import type { Deactivation } from '@davit/transition'

import { say } from './messages.ts'

interface FailedDeactivation {
  readonly request: ActivityRequest
  readonly next: Manifest
  readonly activity: Deactivation
  /** Failure of the recorded module. */
  readonly first: Extract<ActivityResult, { readonly kind: 'failed' }>
  readonly report: Report
}

/**
 * Tries to deactivate a service with the next manifest's module of the same type, since the recorded module may be the broken
 * part. Without such a module, or if it is the same one, returns the first failure.
 */
export async function deactivateInstead(machine: Machine, deactivation: FailedDeactivation): Promise<ActivityResult> {
  const { request, activity, first, report } = deactivation
  const instead = await otherModule(machine, deactivation)
  if (instead === undefined) return first
  const { target } = request.mapping
  report(say('other-module-tried', { target, service: activity.service.name }))
  const second = await performActivity(machine, { ...request, instead })
  if (second.kind === 'succeeded') return second
  const log = second.kind === 'failed' ? `${first.log.replace(/(?<=[^\n])$/, '\n')}${second.log}` : first.log
  return { ...first, message: `${first.message}; with the module of the manifest: ${second.message}`, log }
}

async function otherModule(
  machine: Machine,
  { request, next, activity }: FailedDeactivation,
): Promise<string | undefined> {
  const { mapping, definition } = request
  if (mapping.containerProvidedByService !== undefined) return undefined
  const reference = profileModuleOf(next, mapping.target, activity.service.type)
  if (reference === undefined) return undefined
  const modules = await resolveModules(machine, [reference]).catch(() => new Map<string, string>())
  const module = modules.get(reference)
  return module === definition?.module ? undefined : module
}
