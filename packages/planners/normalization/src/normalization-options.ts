import type { StoreReference, System } from '@davit/documents'

/** Defaults for what models leave out, and the store for packages. */
export interface NormalizationOptions {
  readonly clientInterface: string
  readonly targetProperty: string
  readonly deployState: boolean
  /** The coordinator's system. */
  readonly system: System
  readonly store: StoreReference
}
