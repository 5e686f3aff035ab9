import type { Architecture, NormalizedDependency, NormalizedService, Placement, ServiceName } from '@davit/documents'
import { parameterDependenciesOf } from './dependencies.ts'
import { tableGuard } from './guards.ts'
import { lazyObject, type Member, memoized } from './lazy-object.ts'
import { ParameterError } from './parameter-error.ts'
import { type FloatForm, memberValue, plainList } from './plain-data.ts'
import { type TargetView, targetViews } from './target-view.ts'

/** Returns the inter-dependency parameters of a service: an object with a lazy member for each parameter. */
export type ParametersOf = (service: ServiceName) => object

/**
 * Makes the parameters of all services, lazily. All dependants share one object for a service (and one more for each
 * choice of its targets), so that the cost is linear whatever the depth, and cycles do no harm.
 */
export function interDependencyParameters(
  { services, infrastructure }: Pick<Architecture, 'services' | 'infrastructure'>,
  floatForm: FloatForm,
): ParametersOf {
  const targetView = targetViews({ services, infrastructure }, floatForm)
  const variants = new Map<NormalizedService, Map<string, object>>()
  const dependencyObject = (dependency: NormalizedDependency): object => {
    const service = services.get(dependency.service)
    if (service === undefined) throw new Error(`service '${dependency.service}' does not exist`)
    const variant = variantOf(dependency, service)
    const known = variants.get(service) ?? new Map<string, object>()
    const guard = () => tableGuard(`service '${service.name}'`)
    const made = known.get(variant) ?? lazyObject(dependencyMembers(service, dependency.targets), guard())
    variants.set(service, known.set(variant, made))
    return made
  }
  const dependencyMembers = (service: NormalizedService, places: readonly Placement[]): Member[] => [
    ...ownMembers(service, floatForm),
    targetsMember(service, places, targetView),
    targetMember(service, places, targetView),
    {
      name: 'connectsTo',
      compute: () => parametersOf(service.name),
      hidden: parameterDependenciesOf(service).size === 0,
    },
  ]
  const parametersOf = memoized((name: ServiceName) => {
    const service = services.get(name)
    const dependencies = service === undefined ? [] : parameterDependenciesOf(service)
    return lazyObject(
      Array.from(dependencies, ([name, dependency]) => ({ name, compute: () => dependencyObject(dependency) })),
      tableGuard(`'connectsTo' of service '${name}'`),
    )
  })
  return parametersOf
}

function variantOf({ targets }: NormalizedDependency, service: NormalizedService): string {
  if (targets === service.targets) return ''
  return targets.map(({ target, container }) => `${target} ${container}`).join('\n')
}

function ownMembers(service: NormalizedService, floatForm: FloatForm): Member[] {
  const { name, type, deployState, attributes, providesContainers } = service
  const options = { floatForm, what: `service '${name}'` }
  const containers = () => memberValue('providesContainers', providesContainers, options)
  const computed = new Set(['name', 'type', 'deployState', 'providesContainers', 'targets', 'target', 'connectsTo'])
  return [
    ...[...attributes]
      .filter(([attribute]) => !computed.has(attribute))
      .map(([attribute, value]) => ({ name: attribute, compute: () => memberValue(attribute, value, options) })),
    { name: 'name', compute: () => name },
    { name: 'type', compute: () => type },
    { name: 'deployState', compute: () => deployState },
    { name: 'providesContainers', compute: containers, hidden: providesContainers.size === 0 },
  ]
}

function targetsMember({ name }: NormalizedService, places: readonly Placement[], targetView: TargetView): Member {
  const views = () => places.map((place) => targetView(place, name))
  return { name: 'targets', compute: () => plainList(views(), `'targets' of service '${name}'`) }
}

function targetMember({ name }: NormalizedService, [first]: readonly Placement[], targetView: TargetView): Member {
  if (first !== undefined) return { name: 'target', compute: () => targetView(first, name) }
  const fail = () => {
    const hint = `add '${name}' to the distribution`
    throw new ParameterError({
      used: { member: 'target', dependency: name },
      reason: `service '${name}' is not placed on any target`,
      hint,
    })
  }
  return { name: 'target', compute: fail, hidden: true }
}
