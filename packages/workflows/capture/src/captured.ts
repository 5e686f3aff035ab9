import type { Settings } from '@davit/client-interface'
import type { System } from '@davit/documents'

/** What a machine tells about itself. */
export interface Captured {
  readonly system: System
  /** Its own name. */
  readonly name: string
  readonly numOfCores: number | undefined
  /** In millions of bytes. */
  readonly memoryMB: number | undefined
  /** Size of the disk with the state of davit, in millions of bytes. */
  readonly diskMB: number | undefined
  /** Types of services that it can have, with the properties that their modules need there. */
  readonly types: ReadonlyMap<string, Settings>
  /** Settings for Dysnomia: properties of the machine, and containers. */
  readonly properties: Settings
  readonly containers: ReadonlyMap<string, Settings>
  /** Why the settings for Dysnomia end early. */
  readonly unreadable: string | undefined
}
