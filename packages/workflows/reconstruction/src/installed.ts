import { mappingIdOf, type ProfileName } from '@davit/documents'
import type { RecordedService, TargetAccount } from '@davit/recovery'
import { isTakenOver, type Machine } from '@davit/target'

/**
 * Adds the services that only a client executable reports: the records of its target are those of this coordinator, which has perhaps not
 * deployed them.
 */
export function withInstalled(
  account: TargetAccount,
  machine: Machine,
  { profile }: { readonly profile: ProfileName },
): TargetAccount {
  const installed = account.profile?.manifest
  if (installed === undefined || isTakenOver(machine, profile)) return account
  const known = new Set(account.records.map(({ mapping }) => mappingIdOf(mapping)))
  const components = new Map(installed.snapshotMappings.map((mapping) => [mappingIdOf(mapping), mapping.component]))
  const others = installed.serviceMappings.flatMap((placed): RecordedService[] => {
    const service = installed.services.get(placed.service)
    const id = mappingIdOf(placed)
    if (service === undefined || known.has(id)) return []
    const { position: _, ...mapping } = placed
    return [{ mapping, service, component: components.get(id) }]
  })
  return { ...account, records: [...account.records, ...others] }
}
