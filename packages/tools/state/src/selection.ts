import { DavitError, type Report } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { isSelected as isOnSelected, type Selection } from '@davit/selection'
import { isSelected, selectsAll, type StateSelection } from '@davit/state-runner'
import type { ShellTarget } from '@davit/target'
import { skippedMessage, type StatefulService, statefulServices } from '@davit/transition'

export interface SelectionArguments {
  readonly container: readonly string[]
  readonly component: readonly string[]
  readonly service: readonly string[]
}

export function selectionOf({ container, component, service }: SelectionArguments): StateSelection {
  return { containers: container, components: component, services: service }
}

/** Refuses a selection that fits nothing at all, which is misspelt. */
export function refuseUnknown(selection: StateSelection, manifests: readonly Manifest[]): void {
  if (selectsAll(selection)) return
  const all = manifests.flatMap(statefulServices)
  if (all.some((one) => isSelected(one, selection))) return
  const names = [
    ...new Set(
      all.map(({ service, mapping, component }) => `'${service.name}' (-c ${mapping.container} -C ${component})`),
    ),
  ]
  throw new DavitError('nothing-selected', 'no service with state matches the selection', {
    hint: names.length === 0 ? NO_STATE : `there is state of ${names.slice(0, MAX_NAMES).join(', ')}`,
  })
}

const NO_STATE = "no service of the manifest has 'deployState'"
const MAX_NAMES = 5

interface Breadth extends SelectionArguments {
  readonly on: readonly string[]
  readonly oldManifest: string | undefined
  readonly dryRun: boolean
}

/** Whether nothing says which state is meant, so that the state of all services would be replaced or deleted. */
export function isBroad({ on, oldManifest, dryRun, ...args }: Breadth): boolean {
  return on.length === 0 && oldManifest === undefined && !dryRun && selectsAll(selectionOf(args))
}

/** Names the services with state, as somebody selects them. */
export function selectable(services: readonly StatefulService[]): string {
  const names = [...new Set(services.map(({ service }) => service.name))].map((name) => `-S ${name}`)
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} others` : shown
}

/** Leaves out services that `--on` does not select, or on targets that were removed from the infrastructure, which is said, or skipped. */
export function onReached(
  services: readonly StatefulService[],
  { infrastructure }: Manifest,
  { targets, selection, report }: Reached,
): readonly StatefulService[] {
  const names = new Set(targets.map(({ name }) => name))
  return services.filter((one) => {
    const { target } = one.mapping
    if (!isOn(one, selection)) return false
    if (!infrastructure.has(target)) report(skippedMessage(one))
    return names.has(target)
  })
}

/** Whether `--on` selects a service. */
export function isOn({ service, mapping }: StatefulService, selection: Selection | undefined): boolean {
  return selection === undefined || isOnSelected(selection, { service: service.name, target: mapping.target })
}

interface Reached {
  readonly targets: readonly ShellTarget[]
  readonly selection: Selection | undefined
  readonly report: Report
}

/** The old manifest, with targets as they are now: addresses, and properties of containers that are still there. */
export function withTargetsOf(next: Manifest, old: Manifest): Manifest {
  const infrastructure = new Map(
    [...old.infrastructure].map(([name, before]) => {
      const now = next.infrastructure.get(name)
      return [
        name,
        now === undefined ? before : { ...now, containers: new Map([...before.containers, ...now.containers]) },
      ]
    }),
  )
  return { ...old, infrastructure }
}
