import type { StatefulService } from '@davit/transition'
import type { Component } from '@davit/target'

/** Which state to act on; an empty list selects everything. */
export interface StateSelection {
  readonly containers: readonly string[]
  readonly components: readonly string[]
  /** Names of services. */
  readonly services: readonly string[]
}

export function isSelected({ mapping, component, service }: StatefulService, selection: StateSelection): boolean {
  return (
    isComponentSelected({ container: mapping.container, component }, selection) &&
    matches(selection.services, service.name)
  )
}

/** Whether a component is selected, of which the service may be unknown. */
export function isComponentSelected({ container, component }: Component, selection: StateSelection): boolean {
  return matches(selection.containers, container) && matches(selection.components, component)
}

export function selectsAll({ containers, components, services }: StateSelection): boolean {
  return containers.length + components.length + services.length === 0
}

function matches(wanted: readonly string[], name: string): boolean {
  return wanted.length === 0 || wanted.includes(name)
}
