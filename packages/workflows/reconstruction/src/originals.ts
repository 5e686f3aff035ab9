import { DavitError } from '@davit/diagnostics'
import { componentIn, mappingIdOf, type ProfileManifest, type TargetName } from '@davit/documents'
import type { RecordedService, TargetAccount } from '@davit/recovery'
import { type OriginalDeployment, originalProfile } from '@davit/target'

/** Returns the target of a machine that a deployment of Disnix is: profiles have the names of their targets. */
export function targetOf({ path, profile }: OriginalDeployment, names: readonly TargetName[]): TargetName {
  const name = componentIn(path)
  const target = names.find((one) => one === name) ?? (names.length === 1 ? names[0] : undefined)
  if (target !== undefined) return target
  const known = names.map((one) => `'${one}'`).join(', ')
  throw new DavitError('original-of-no-target', `the deployment '${profile}' of Disnix is that of a target '${name}'`, {
    hint: `the machine has the targets ${known}: name one of them '${name}' in the infrastructure model`,
  })
}

/** What a target tells of a deployment of Disnix: that all of its services are active. Records of davit are told as they are. */
export function originalAccount(
  original: OriginalDeployment,
  target: TargetName,
  recorded: readonly RecordedService[],
): TargetAccount {
  const { manifest, problem } = originalProfile(original, target)
  if (manifest === undefined) throw problem
  const known = new Set(recorded.map(({ mapping }) => mappingIdOf(mapping)))
  const others = servicesIn(manifest).filter(({ mapping }) => !known.has(mappingIdOf(mapping)))
  return { target, profile: { path: original.path, manifest }, records: [...recorded, ...others] }
}

function servicesIn({ services, serviceMappings, snapshotMappings }: ProfileManifest): readonly RecordedService[] {
  const components = new Map(snapshotMappings.map((one) => [mappingIdOf(one), one.component]))
  return serviceMappings.flatMap((placed) => {
    const { position: _, ...mapping } = placed
    const service = services.get(mapping.service)
    return service === undefined ? [] : [{ mapping, service, component: components.get(mappingIdOf(mapping)) }]
  })
}
