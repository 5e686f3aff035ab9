import type { Manifest } from '@davit/documents'
import { tagsIn } from '@davit/placement'

import { instancesOf } from './instances.ts'
import type { Term } from './terms.ts'

/** Names of one kind that terms can have. */
export function namesFor(kind: Term['what']['kind'], manifests: readonly Manifest[]): ReadonlySet<string> {
  const targets = manifests.flatMap(({ infrastructure }) => [...infrastructure])
  switch (kind) {
    case 'target':
      return new Set(targets.map(([name]) => name))
    case 'tag':
      return new Set(targets.flatMap(([, { properties }]) => tagsIn(properties.get('tags'))))
    case 'service':
      return new Set([...instancesOf(manifests).values()].map(({ service }) => service))
  }
}

/** All terms that are a name, without patterns: targets, then tags, then services. */
export function simpleTerms(manifests: readonly Manifest[]): readonly string[] {
  const sorted = (kind: Term['what']['kind']) => [...namesFor(kind, manifests)].toSorted()
  return [
    ...sorted('target'),
    ...sorted('tag').map((name) => `@${name}`),
    ...sorted('service').map((name) => `service:${name}`),
  ]
}
