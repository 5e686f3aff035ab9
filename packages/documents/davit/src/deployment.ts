import type { Attributes } from './data.ts'
import type { ClientInterface, Target } from './infrastructure.ts'

/** A manifest that a person or a program writes: what has already been built, and where it goes. */
export interface DeploymentModel {
  /** Target name → store path of the profile. */
  readonly profiles?: { readonly [target: string]: string }
  /** Service key → service. */
  readonly services?: { readonly [key: string]: DeployedService }
  readonly infrastructure?: { readonly [target: string]: Partial<Target> }
  /** The mappings that are to be active, in order. */
  readonly serviceMappings?: readonly ServiceMapping[]
  /** The mappings whose state is to be moved. */
  readonly snapshotMappings?: readonly SnapshotMapping[]
  /** The store of the packages; that of the first one when absent. */
  readonly store?: { readonly kind: 'native' | 'nix'; readonly directory: string }
}

export interface DeployedService {
  readonly name: string
  /** Store path of the package. */
  readonly pkg: string
  readonly type: string
  readonly dependsOn?: readonly Mapping[]
  readonly connectsTo?: readonly Mapping[]
  readonly providesContainers?: { readonly [container: string]: Attributes }
}

export interface Mapping {
  /** Service key. */
  readonly service: string
  readonly target: string
  readonly container: string
}

export interface ServiceMapping extends Mapping {
  /** Key of the service that provides the container. */
  readonly containerProvidedByService?: string
}

export interface SnapshotMapping extends ServiceMapping {
  /** File name of the package without its hash. */
  readonly component: string
}

/** Derivations, and the machines that build them. */
export interface BuildModel {
  readonly derivationMappings: readonly {
    /** Store path of the derivation. */
    readonly derivation: string
    readonly interface: string
  }[]
  readonly interfaces: {
    readonly [name: string]: { readonly targetAddress: string; readonly clientInterface: ClientInterface }
  }
}
