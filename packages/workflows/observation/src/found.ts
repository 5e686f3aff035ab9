import type { ProfileName, ServiceKey } from '@davit/documents'
import { machinesOf, observeMachine, type ShellTarget } from '@davit/target'

export interface FoundService {
  readonly target: string
  readonly key: ServiceKey
  /** Its key, where its record does not say it any more. */
  readonly name: string
}

/** What targets know of a deployment, whether or not anything of it runs. */
export interface Found {
  readonly services: readonly FoundService[]
  /** All deployments that were ever made there, this one and others. */
  readonly profiles: ReadonlySet<ProfileName>
}

/** Only looks: waits for nothing, and asks no service. */
export async function findDeployed(targets: readonly ShellTarget[], profile: ProfileName): Promise<Found> {
  const observations = await Promise.all(machinesOf(targets).map((machine) => observeMachine(machine, profile)))
  const services = observations.flatMap(({ records, damaged }) => [
    ...records.map(({ mapping, service }) => ({ target: mapping.target, key: mapping.service, name: service.name })),
    ...damaged.map(({ target, key, fields }) => ({ target, key, name: fields.service?.name ?? key })),
  ])
  const names = observations.flatMap(({ profiles, foreign }) => [...profiles, ...foreign.map((one) => one.profile)])
  return { services, profiles: new Set([...names, ...(services.length === 0 ? [] : [profile])]) }
}
