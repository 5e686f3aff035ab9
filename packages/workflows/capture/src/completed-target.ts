import {
  containerName,
  type ContainerName,
  type Properties,
  type PropertyValue,
  system as systemName,
  type System,
} from '@davit/documents'
import { byName, type Data } from '@davit/languages'
import type { GivenTarget } from '@davit/models'
import { problemsOfContainer, problemsOfProperties } from '@davit/normalization'

import type { Captured } from './captured.ts'
import { isName } from './is-name.ts'

/** A target as it is written into a model; with the attributes that davit does not read. */
export interface CompletedTarget extends Omit<GivenTarget, 'attributes'> {
  readonly [attribute: string]: unknown
}

/** What a machine tells that a model cannot contain, with the reason. */
export interface LeftOut {
  readonly what: string
  readonly why: string
}

/** Returns a target as its model has it. */
export function givenTarget({ attributes, ...target }: GivenTarget): CompletedTarget {
  return {
    ...(Object.fromEntries(attributes) as Readonly<Record<string, Data>>),
    ...target,
    properties: sorted(target.properties),
    containers: sorted(target.containers),
  }
}

/** Completes a target by what its machine tells. What the model says counts. */
export function completedTarget(
  given: GivenTarget,
  captured: Captured,
): { readonly target: CompletedTarget; readonly leftOut: readonly LeftOut[] } {
  const leftOut: LeftOut[] = []
  const properties = fitProperties(captured, leftOut)
  const containers = fitContainers(new Map([...captured.types, ...captured.containers]), leftOut)
  const target = givenTarget({
    ...(captured.numOfCores === undefined ? {} : { numOfCores: captured.numOfCores }),
    system: systemOf(captured),
    ...given,
    properties: new Map([...properties, ...given.properties]),
    containers: new Map([...containers, ...given.containers]),
  })
  return { target, leftOut }
}

/** Dysnomia may have been told another one than that of the kernel. */
function systemOf({ properties, system }: Captured): System {
  const told = properties.get('system')
  return typeof told === 'string' && isName(systemName, told) ? told : system
}

function fitProperties({ name, memoryMB, diskMB, properties }: Captured, leftOut: LeftOut[]): Properties {
  const measured = Object.entries({ hostname: name || undefined, memoryMB, diskMB })
  const found = new Map<string, PropertyValue>(properties)
  for (const [property, value] of measured) if (value !== undefined && !found.has(property)) found.set(property, value)
  return fit(found, { check: problemsOfProperties, of: '' }, leftOut)
}

function fitContainers(containers: Captured['containers'], leftOut: LeftOut[]): ReadonlyMap<ContainerName, Properties> {
  const found = new Map<ContainerName, Properties>()
  for (const [name, settings] of containers) {
    if (isName(containerName, name)) {
      found.set(name, fit(settings, { check: problemsOfContainer, of: ` of container '${name}'` }, leftOut))
    } else {
      leftOut.push({ what: `container '${name}'`, why: 'this cannot be the name of a container' })
    }
  }
  return found
}

interface Check {
  check(properties: Properties): readonly string[]
  /** Whose properties they are, for messages. */
  readonly of: string
}

/** Returns the properties that models can have, and adds the others to those left out. */
function fit(settings: Properties, { check, of }: Check, leftOut: LeftOut[]): Properties {
  const found = [...settings].filter(([name, value]) => {
    const [why] = check(new Map([[name, value]]))
    if (why !== undefined) leftOut.push({ what: `property '${name}'${of}`, why })
    return why === undefined
  })
  return new Map(found)
}

function sorted<Key extends string, Value>(table: ReadonlyMap<Key, Value>): ReadonlyMap<Key, Value> {
  return new Map([...table].toSorted(byName))
}
