import { DavitError } from '@davit/diagnostics'
import type { Manifest, ProfileName } from '@davit/documents'
import { type Deployed, type DeployedMapping, type ObservationTerms, observeDeployment } from '@davit/observation'
import { isTakenOver, noteTakenOver, takeOverInstalled, type ShellTarget } from '@davit/target'

export interface InstalledTerms {
  readonly profile: ProfileName
  readonly token: string
}

/**
 * Makes the records of what client executables say is active, before anything changes: so what has no record later is not active. Nothing is
 * called on the targets.
 */
export async function recordInstalled(
  { observed, places, asked }: Pick<Deployed, 'asked' | 'observed' | 'places'>,
  terms: InstalledTerms,
): Promise<void> {
  const installed = observed.filter(({ isInstalled }) => isInstalled === true)
  for (const one of installed) {
    const place = places.get(one.mapping.target)
    // One after the other, since it takes no time and nothing may be left out.
    // oxlint-disable-next-line no-await-in-loop
    if (place !== undefined) await recordOne(place, one, terms)
  }
  await Promise.all(asked.map(({ machine }) => noteTakenOver(machine, terms.profile)))
}

/**
 * Makes the records of all that client executables say is active, which a deployment would make before it changes anything. The manifest
 * describes what is there.
 */
export async function adoptInstalled(
  manifest: Manifest,
  targets: readonly ShellTarget[],
  terms: InstalledTerms & Pick<ObservationTerms, 'report' | 'signal'>,
): Promise<void> {
  const behind = targets.filter(({ machine }) => !isTakenOver(machine, terms.profile))
  if (behind.length === 0) return
  const deployed = await observeDeployment(behind, manifest, { ...terms, previous: undefined, running: 'wait' })
  for (const warning of deployed.warnings) terms.report(warning)
  await recordInstalled(deployed, terms)
}

async function recordOne(
  { machine }: ShellTarget,
  { mapping, definition, service }: DeployedMapping,
  terms: InstalledTerms,
): Promise<void> {
  if (definition === undefined) return
  const result = await takeOverInstalled(machine, { ...terms, mapping, definition })
  if (result.kind === 'succeeded') return
  throw new DavitError(
    'cannot-create',
    `the record of '${service.name}' on '${mapping.target}' cannot be made: ${result.message}`,
  )
}
