import type { ManifestService, ServiceMapping } from '@davit/documents'

/** What the record of a mapping on its target says. The target's name is the one under which the record lies. */
export interface ObservedMapping {
  readonly mapping: ServiceMapping
  readonly service: ManifestService
  /**
   * `activating` and `deactivating` were intended and never reported success; what is `running` still has a
   * runner at work, everything else was cut off or failed.
   */
  readonly state: 'active' | 'activating' | 'deactivating'
  readonly running: boolean
}
