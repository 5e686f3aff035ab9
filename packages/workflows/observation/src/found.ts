import type { ProfileName, ServiceKey } from '@davit/documents'
import { machinesOf, observeMachine, type ShellTarget } from '@davit/target'

export interface FoundService {
  readonly target: string
  readonly key: ServiceKey
  /** Name of the service; its key if the record no longer contains the name. */
  readonly name: string
}

/** What the targets know of a deployment, whether or not any of its services run. */
export interface Found {
  readonly services: readonly FoundService[]
  /** All deployments that were ever made there, including this one. */
  readonly profiles: ReadonlySet<ProfileName>
}

/** Only reads the records: does not wait for activities, and asks no services. */
export async function findDeployed(targets: readonly ShellTarget[], profile: ProfileName): Promise<Found> {
  const observations = await Promise.all(machinesOf(targets).map((machine) => observeMachine(machine, profile)))
  const services = observations.flatMap(({ records, damaged }) => [
    ...records.map(({ mapping, service }) => ({ target: mapping.target, key: mapping.service, name: service.name })),
    ...damaged.map(({ target, key, fields }) => ({ target, key, name: fields.service?.name ?? key })),
  ])
  const names = observations.flatMap(({ profiles, foreign }) => [...profiles, ...foreign.map((one) => one.profile)])
  return { services, profiles: new Set([...names, ...(services.length === 0 ? [] : [profile])]) }
}
