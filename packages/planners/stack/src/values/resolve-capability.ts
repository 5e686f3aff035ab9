import type { Written } from '@davit/languages'
import type { Compilation } from '../compilation.ts'
import { type Instance, stackOf } from '../instances/instance.ts'
import { suggestName } from '../instances/instantiate.ts'
import { isNothing } from '../mufile/shapes.ts'
import { isName } from '../references/reference.ts'
import { typeOf } from '../types/resolve-type.ts'
import type { StackType, Type } from '../types/type.ts'
import { SERVICES } from './argument-hints.ts'
import type { NamedService } from './bound-value.ts'
import { chooseEndpoint, isRefusal, type Refusal } from './choose-endpoint.ts'

export type Resolution =
  | NamedService
  /** The property of the writer that is named has no value. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly hint?: string | undefined }
  /** The property of the writer that is named leads back to itself. */
  | { readonly kind: 'circular'; readonly name: string }
  /** The property of the writer that is named is wrong, which is reported where it is given. */
  | { readonly kind: 'wrong' }

/** Finds the service that a text names, among those of the stack in which it was written, and chooses an endpoint. */
export function resolveCapability(c: Compilation, text: string, { writer, stack }: From): Resolution {
  const end = text.lastIndexOf(':')
  const name = end === -1 ? text : text.slice(0, end)
  const selector = end === -1 ? undefined : text.slice(end + 1)
  const strange = isName(name) ? strangeSelector(selector) : name
  if (strange !== undefined) return refused({ code: 'MU514', subjects: [strange] })
  const named = lookUp(c, name, writer)
  if (named.kind === 'circular') return { kind: 'circular', name }
  if (named.kind !== 'capability') return named
  const { service, chosen, port } = named
  const choice = chooseEndpoint(chosen, { selector, stack }, port)
  return isRefusal(choice) ? refused(choice, choice.hint) : { kind: 'capability', service, ...choice }
}

interface From {
  readonly writer: Instance | undefined
  /** Undefined for the type `service`. */
  readonly stack: StackType | undefined
}

function strangeSelector(selector: string | undefined): string | undefined {
  if (selector === undefined || selector === '.' || /^\d+$/.test(selector)) return undefined
  return isName(selector) ? undefined : selector
}

function refused(refusal: Refusal, hint?: string): Resolution {
  return { kind: 'refused', refusal, hint }
}

/** Looks a name up among the services of the writer, then among its properties. */
function lookUp(c: Compilation, name: string, writer: Instance | undefined): Resolution {
  const service = writer?.children.get(name)
  if (service !== undefined) return { kind: 'capability', service, chosen: service, port: undefined }
  if (writer === undefined || capabilityType(c, writer, name) === undefined) {
    return refused({ code: 'MU509', subjects: [name] }, writer === undefined ? SERVICES : suggestName(name, writer))
  }
  return resolveProperty(c, writer, name)
}

/** Returns the type of a property if it is `service` or a stack. */
function capabilityType(c: Compilation, writer: Instance, name: string): Type | undefined {
  const effective = stackOf(writer)
  const declaration = effective.properties.get(name)
  if (declaration?.type === undefined) return undefined
  const type = typeOf(c, { effective, spot: declaration.typeSpot }, declaration.type)
  return type.kind === 'stack' || (type.kind === 'primitive' && type.name === 'service') ? type : undefined
}

const KNOWN = new WeakMap<Instance, Map<string, Resolution>>()

/** Whether another property names this one, of the type `service` or a stack; known once all are validated. */
export function isNamed(instance: Instance, property: string): boolean {
  return KNOWN.get(instance)?.has(property) === true
}

/** Resolves a property of an instance once. Defaults that name each other lead nowhere. */
function resolveProperty(c: Compilation, instance: Instance, name: string): Resolution {
  const known = KNOWN.get(instance) ?? new Map<string, Resolution>()
  KNOWN.set(instance, known)
  const before = known.get(name)
  if (before !== undefined) return before
  known.set(name, { kind: 'circular', name })
  const resolution = resolveBound(c, instance, name)
  known.set(name, resolution)
  return resolution
}

/** Resolves the argument of a property; its default, if that leads to a property without value. */
function resolveBound(c: Compilation, instance: Instance, name: string): Resolution {
  const type = capabilityType(c, instance, name)
  const stack = type?.kind === 'stack' ? type : undefined
  const given = resolveWritten(c, instance.args.get(name), { writer: instance.parent, stack })
  if (given.kind !== 'absent') return given
  return resolveWritten(c, stackOf(instance).properties.get(name)?.default, { writer: instance, stack })
}

function resolveWritten(c: Compilation, written: Written | undefined, from: From): Resolution {
  if (isNothing(written)) return { kind: 'absent' }
  if (written.kind !== 'scalar' || typeof written.value !== 'string') return { kind: 'wrong' }
  const resolution = resolveCapability(c, written.value, from)
  return resolution.kind === 'refused' ? { kind: 'wrong' } : resolution
}
