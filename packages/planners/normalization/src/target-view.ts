import { quoted } from '@davit/diagnostics'
import type { Architecture, Placement, Properties, ServiceName, TargetName } from '@davit/documents'
import { tableGuard } from './guards.ts'
import { lazyObject, type Member, memoized } from './lazy-object.ts'
import { ParameterError } from './parameter-error.ts'
import { type FloatForm, plainTable } from './plain-data.ts'

type Where = Pick<Architecture, 'services' | 'infrastructure'>

/** Returns a placement of a service as dependants see it: the target, with the properties of the service's container. */
export type TargetView = (place: Placement, service: ServiceName) => object

/** All dependants share the view of a placement. */
export function targetViews({ services, infrastructure }: Where, floatForm: FloatForm): TargetView {
  const propertiesOf = memoized((name: TargetName) => {
    const properties = infrastructure.get(name)?.properties ?? new Map<never, never>()
    return plainTable(properties, { floatForm, what: `'properties' of target '${name}'` })
  })
  const views = new Map<Placement, object>()
  const makeView = (place: Placement, service: ServiceName) => {
    const target = infrastructure.get(place.target)
    if (target === undefined) throw new Error(`target '${place.target}' does not exist`)
    const { system, numOfCores, clientInterface, targetProperty } = target
    const container = containerAt(place, { services, infrastructure })
    const what = `target '${place.target}'`
    const members: Member[] = [
      ...Object.entries({ name: place.target, system, numOfCores, clientInterface, targetProperty }).map(
        ([name, value]) => ({ name, compute: () => value }),
      ),
      { name: 'properties', compute: () => propertiesOf(place.target) },
      { name: 'selectedContainer', compute: () => place.container },
      container === undefined
        ? missingContainer(place, service)
        : { name: 'container', compute: () => plainTable(container, { floatForm, what: `'container' of ${what}` }) },
    ]
    return lazyObject(members, tableGuard(what))
  }
  return (place, service) => {
    const view = views.get(place) ?? makeView(place, service)
    views.set(place, view)
    return view
  }
}

function containerAt(place: Placement, { services, infrastructure }: Where): Properties | undefined {
  const provider = place.containerProvidedByService
  const containers =
    provider === undefined ? infrastructure.get(place.target)?.containers : services.get(provider)?.providesContainers
  return containers?.get(place.container)
}

function missingContainer({ target, container }: Placement, dependency: ServiceName): Member {
  const fail = () => {
    const reason = `container ${quoted(container)} is not described on target '${target}'`
    const hint = `add it to 'containers' of '${target}' in the infrastructure model`
    throw new ParameterError({ used: { member: 'target.container', dependency }, reason, hint })
  }
  return { name: 'container', compute: fail, hidden: true }
}
