import type { Infrastructure, Manifest, TargetName } from '@davit/documents'
import type { Selection } from '@davit/selection'
import type { Component } from '@davit/target'
import { manifestOfTargets, onSelected, selectionFor, type StepContext } from '@davit/tool'
import { statefulServices } from '@davit/transition'

import type { StoresToClean } from './read-infrastructure.ts'
import { isOn } from './selection.ts'

export type IsConcerned = (component: Component) => boolean

/** What `--on` leaves to be cleaned. */
export interface Chosen {
  readonly infrastructure: Infrastructure
  /** Tells which components of a target are selected. */
  readonly isOn: (target: string) => IsConcerned
}

interface Arguments {
  readonly profile: string
  readonly on: readonly string[]
  readonly where: 'targets' | 'coordinator' | 'both'
}

export async function chosenOf(
  { infrastructure, manifest }: StoresToClean,
  context: StepContext<Arguments>,
): Promise<Chosen> {
  const selection = await selectionFor(manifest ?? manifestOfTargets(infrastructure), context)
  const there = context.args.where === 'coordinator' ? new Map() : onSelected(infrastructure, selection)
  return { infrastructure: there, isOn: selectedBy(selection, manifest) }
}

/** Tells which components of a target `--on` selects; those of services are known from the manifest. */
function selectedBy(selection: Selection | undefined, manifest: Manifest | undefined): (target: string) => IsConcerned {
  if (selection === undefined) return () => () => true
  const services = manifest === undefined ? [] : statefulServices(manifest).filter((one) => isOn(one, selection))
  const own = new Set(services.map(({ mapping, component }) => `${mapping.target} ${mapping.container} ${component}`))
  return (target) =>
    ({ container, component }) =>
      selection.whole.has(target as TargetName) || own.has(`${target} ${container} ${component}`)
}
