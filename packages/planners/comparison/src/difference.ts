import type { PropertyValue, StorePath, StoreReference } from '@davit/documents'

/** How a manifest differs from another one, in order of names. Services are named, since their keys mean nothing to people. */
export interface ManifestDifference {
  readonly services: readonly ServiceDifference[]
  readonly targets: readonly TargetDifference[]
  readonly profiles: readonly ProfileDifference[]
  readonly snapshots: readonly SnapshotDifference[]
  /** Absent if both are for the same store. */
  readonly store?: { readonly from: StoreReference; readonly to: StoreReference }
}

export interface Place {
  readonly target: string
  readonly container: string
}

/** An instance of a service. */
export interface NamedPlace extends Place {
  readonly service: string
}

export type ServiceDifference =
  | { readonly kind: 'added' | 'removed'; readonly service: string; readonly places: readonly Place[] }
  | { readonly kind: 'changed'; readonly service: string; readonly changes: readonly ServiceChange[] }

export type ServiceChange =
  | { readonly kind: 'package'; readonly from: StorePath; readonly to: StorePath }
  | { readonly kind: 'type'; readonly from: string; readonly to: string }
  | { readonly kind: 'moved'; readonly from: Place; readonly to: Place }
  | { readonly kind: 'place-added' | 'place-removed'; readonly place: Place }
  /** Another service, or none, provides the container. */
  | { readonly kind: 'provider'; readonly place: Place; readonly from?: string; readonly to?: string }
  | {
      readonly kind: 'depends-on' | 'connects-to'
      readonly added: readonly NamedPlace[]
      readonly removed: readonly NamedPlace[]
    }
  /** The same instances of these services, in other versions. */
  | { readonly kind: 'depends-on-changed' | 'connects-to-changed'; readonly services: readonly string[] }
  /** Containers that the service provides, and their properties. */
  | { readonly kind: 'provides'; readonly fields: readonly FieldChange[] }
  /** The key differs for a reason that the manifests do not show. */
  | { readonly kind: 'key'; readonly from: string; readonly to: string }

/** A value at a path in nested tables; without `from` it is new, without `to` it is gone. */
export interface FieldChange {
  readonly path: readonly string[]
  readonly from?: PropertyValue
  readonly to?: PropertyValue
}

export type TargetDifference =
  | { readonly kind: 'added' | 'removed'; readonly target: string }
  | { readonly kind: 'changed'; readonly target: string; readonly fields: readonly FieldChange[] }

/** Without `from` the target has its first profile, without `to` its last one. */
export interface ProfileDifference {
  readonly target: string
  readonly from?: StorePath
  readonly to?: StorePath
}

/** State of a service that moves with it from now on, or no longer. */
export interface SnapshotDifference extends NamedPlace {
  readonly kind: 'added' | 'removed'
  readonly component: string
}

/** Whether two manifests differ in anything but the order of their lists. */
export function hasDifferences({ services, targets, profiles, snapshots, store }: ManifestDifference): boolean {
  return [services, targets, profiles, snapshots].some(({ length }) => length > 0) || store !== undefined
}
