import { entriesOf, isObject, memberOf } from './part.ts'

/** Finds the names of services to which a model refers by object. */
export interface ServiceNames {
  nameOf(service: unknown): string | undefined
  /** Whether the object is the service in the table itself: then it does not restrict targets. */
  isWhole(service: object): boolean
}

/** Key for the name of a service whose object does not exist yet; enumerable, so that it survives `{ ...service }`. */
const SERVICE_NAME = Symbol('davit service')

export function serviceNamesOf(services: unknown): ServiceNames {
  const whole = new Map<unknown, string>()
  const byPackage = new Map<unknown, string>()
  for (const [name, service] of entriesOf(services) ?? []) {
    if (typeof name !== 'string' || !isObject(service)) continue
    remember(whole, service, name)
    remember(byPackage, memberOf(service, 'pkg'), name)
  }
  return {
    isWhole: (service) => whole.has(service),
    nameOf(service) {
      if (typeof service === 'string') return service
      if (!isObject(service)) return undefined
      const marked: unknown = (service as { readonly [SERVICE_NAME]?: unknown })[SERVICE_NAME]
      const named = marked ?? (whole.get(service) || memberOf(service, 'name'))
      return typeof named === 'string' ? named : byPackage.get(memberOf(service, 'pkg')) || undefined
    },
  }
}

/** An object that two services share identifies neither: its name is empty. */
function remember(names: Map<unknown, string>, part: unknown, name: string): void {
  if (isObject(part) || typeof part === 'function') names.set(part, names.has(part) ? '' : name)
}

/** Makes a reference to a service; its attributes become readable once `find` finds the service. */
export function serviceReference(name: string, find: () => object): object {
  const mark = { [SERVICE_NAME]: name, name }
  return new Proxy(mark, {
    get: (_, key) => (Object.hasOwn(mark, key) ? Reflect.get(mark, key) : Reflect.get(find(), key)),
  })
}
