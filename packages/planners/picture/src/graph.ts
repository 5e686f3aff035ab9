import type { MappingId, ServiceKey } from '@davit/documents'

/** What a picture shows: targets that contain containers that contain instances of services, and what leads from one instance to another. */
export interface Graph {
  /** What the picture is of. */
  readonly title: string
  readonly targets: readonly TargetNode[]
  readonly edges: readonly Edge[]
}

export interface TargetNode {
  readonly name: string
  /** How the target is reached, if no other one is reached in the same way; otherwise its name. */
  readonly address: string
  readonly facts: readonly Fact[]
  /** Those with services, in order of their names. */
  readonly containers: readonly ContainerNode[]
}

export interface ContainerNode {
  /** Empty if containers are not shown. */
  readonly name: string
  readonly facts: readonly Fact[]
  readonly instances: readonly InstanceNode[]
}

/** A service in a container on a target. */
export interface InstanceNode {
  readonly id: MappingId
  readonly key: ServiceKey
  readonly name: string
  /** Names of the containers that the service provides. */
  readonly provides: readonly string[]
  readonly facts: readonly Fact[]
  readonly change?: Change
  readonly status?: Status
}

/** A line of text about something. */
export type Fact = readonly [name: string, text: string]

/** What a plan does with an instance. A service that moves is gone from one place, and comes to another. */
export type ChangeKind = 'started' | 'replaced' | 'moved' | 'gone' | 'stopped'

export interface Change {
  readonly kind: ChangeKind
  /** Why, for people. */
  readonly reasons: readonly string[]
}

/** Whether an instance runs. Drifted: it does not do as the manifest says. */
export type StatusKind = 'active' | 'down' | 'drifted' | 'unknown'

export interface Status {
  readonly kind: StatusKind
  /** What was found, for people. */
  readonly text: string
}

export type EdgeKind = 'depends' | 'connects' | 'moves'

export interface Edge {
  readonly from: MappingId
  readonly to: MappingId
  readonly kind: EdgeKind
}
