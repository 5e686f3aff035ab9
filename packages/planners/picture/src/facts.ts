import { isSecret, type ManifestService, type Properties, type PropertyValue, type Target } from '@davit/documents'
import { writeJson } from '@davit/languages'

import type { Fact } from './graph.ts'

export function serviceFacts({ pkg, type }: ManifestService): readonly Fact[] {
  return [
    ['type', type],
    ['package', pkg],
  ]
}

export function targetFacts({ properties, system, numOfCores, clientInterface, containers }: Target): readonly Fact[] {
  return [
    ['system', system],
    ['cores', String(numOfCores)],
    ['reached by', clientInterface],
    ...(containers.size === 0 ? [] : [['containers', [...containers.keys()].join(', ')] as const]),
    ...propertyFacts(properties),
  ]
}

/** Facts about properties. Pictures are shown around, so whatever may be secret is left out of them. */
export function propertyFacts(properties: Properties): readonly Fact[] {
  return [...properties].map(([name, value]) => [name, valueText(name, value)])
}

/** Matches names of properties whose values are likely to be secret although they stand in a model. */
const CONFIDENTIAL = /passw|passphrase|secret|token|credential|private|api.?key/i

const HIDDEN = '(hidden)'

function valueText(name: string, value: PropertyValue): string {
  if (hidesWithin(name, value)) return HIDDEN
  const text = typeof value === 'string' ? value : writeJson(value).replaceAll(/\n */g, ' ')
  return withoutCredentials(text)
}

function hidesWithin(name: string, value: PropertyValue): boolean {
  if (CONFIDENTIAL.test(name) || isSecret(value)) return true
  if (Array.isArray(value)) return value.some((member: PropertyValue) => hidesWithin('', member))
  return value instanceof Map && [...(value as Properties)].some(([inner, member]) => hidesWithin(inner, member))
}

/** Hides the password of an address such as `ftp://user:password@host`. */
function withoutCredentials(text: string): string {
  if (!text.includes('://')) return text
  return text.replaceAll(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${HIDDEN}@`)
}
