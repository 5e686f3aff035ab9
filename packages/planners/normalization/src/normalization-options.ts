import type { StoreReference, System } from '@davit/documents'

/** What a model may leave out, and where packages will be. */
export interface NormalizationOptions {
  readonly clientInterface: string
  readonly targetProperty: string
  readonly deployState: boolean
  /** The coordinator's platform. */
  readonly system: System
  readonly store: StoreReference
}
