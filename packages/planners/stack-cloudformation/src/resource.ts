import { type BoundValue, type Instance, isCapability, placeOf, placeOfValue, stackOf } from '@davit/stack'
import { suggestionFor, type Place } from '@davit/diagnostics'
import type { Template } from './emitter.ts'
import { idOf, templateValue } from './template-value.ts'

type Table = ReadonlyMap<string, BoundValue>

/** Makes the resource that an instance of aws/x/cf describes. */
export function emitResource(leaf: Instance, template: Template): ReadonlyMap<string, unknown> {
  const properties = new Map<string, unknown>()
  for (const [name, value] of mergedProperties(leaf, template)) {
    properties.set(name, templateValue(value, { template, place: placeOfProperty(leaf, name) }))
  }
  const dependsOn = dependenciesOf(leaf, template)
  return new Map<string, unknown>([
    ['Type', leaf.properties.get('resource')],
    ...(properties.size === 0 ? [] : [['Properties', properties] as const]),
    ...(dependsOn.length === 0 ? [] : [['DependsOn', dependsOn] as const]),
  ])
}

function mergedProperties(leaf: Instance, template: Template): Table {
  const merged = new Map(enclosingProperties(leaf, template))
  for (const [name, extra] of tableOf(leaf, 'extraProperties')) {
    const value = mergeExtra(merged.get(name), extra)
    if (value !== undefined) merged.set(name, value)
    else template.report('MU10002', [name], { place: placeOfValue(leaf, 'extraProperties', name) })
  }
  return merged
}

/** Copies properties of the enclosing stack; those without value are left out. */
function enclosingProperties(leaf: Instance, template: Template): Table {
  const { parent } = leaf
  const found = new Map<string, BoundValue>()
  if (parent === undefined) return found
  const declared = stackOf(parent).properties
  for (const [name, source] of tableOf(leaf, 'properties')) {
    const property = typeof source === 'string' ? source : ''
    const value = parent.properties.get(property)
    if (value !== undefined) found.set(name, value)
    if (declared.has(property)) continue
    const place = placeOfValue(leaf, 'properties', name)
    template.report('MU10001', [property], { place, hint: suggestionFor(property, declared.keys()) })
  }
  return found
}

/** Adds to a table what it does not have, or to a list; undefined if that is impossible. */
function mergeExtra(value: BoundValue | undefined, extra: BoundValue): BoundValue | undefined {
  if (value === undefined) return extra
  if (isList(value)) return isList(extra) ? [...value, ...extra] : undefined
  if (!isTable(value) || !isTable(extra)) return undefined
  return [...extra.keys()].some((key) => value.has(key)) ? undefined : new Map([...value, ...extra])
}

function isList(value: BoundValue): value is readonly BoundValue[] {
  return Array.isArray(value)
}

function isTable(value: BoundValue | undefined): value is Table {
  return value instanceof Map
}

function dependenciesOf(leaf: Instance, template: Template): readonly string[] {
  const services = leaf.properties.get('dependsOn') ?? []
  const capabilities = typeof services === 'object' && isList(services) ? services.filter(isCapability) : []
  const ids = capabilities.map((capability) => idOf(capability, { template, place: placeOf(capability.spot) }))
  return [...new Set(ids.filter((id) => id !== undefined))]
}

function tableOf(leaf: Instance, property: string): Table {
  const value = leaf.properties.get(property)
  return isTable(value) ? value : new Map()
}

function placeOfProperty(leaf: Instance, name: string): Place {
  const isMapped = tableOf(leaf, 'properties').has(name)
  return placeOfValue(leaf, isMapped ? 'properties' : 'extraProperties', name)
}
