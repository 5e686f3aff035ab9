import type { ManifestService, ProfileManifest, ServiceMapping, StorePath, TargetName } from '@davit/documents'

/** What one target tells of a deployment. */
export interface TargetAccount {
  readonly target: TargetName
  /** Undefined if no profile was ever set there. */
  readonly profile: TargetProfile | undefined
  /** Services that are active according to their records. */
  readonly records: readonly RecordedService[]
}

export interface TargetProfile {
  readonly path: StorePath
  /** Undefined if it cannot be read. */
  readonly manifest: ProfileManifest | undefined
}

export interface RecordedService {
  readonly mapping: ServiceMapping
  readonly service: ManifestService
  /** Component whose state moves; undefined if the service has none. */
  readonly component: string | undefined
}
