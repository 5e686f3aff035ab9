import { type EdgesOf, stronglyConnectedComponents } from './components.ts'
import { cyclesIn } from './cycles.ts'

export type DependencyOrder<Id> =
  | { readonly kind: 'ordered'; readonly nodes: readonly Id[] }
  | { readonly kind: 'cyclic'; readonly cycles: readonly (readonly Id[])[] }

/** Orders nodes so that dependencies come first; keeps the given order among equals. */
export function dependenciesFirst<Id>(nodes: Iterable<Id>, edgesOf: EdgesOf<Id>): DependencyOrder<Id> {
  const components = stronglyConnectedComponents(nodes, edgesOf)
  const cycles = cyclesIn(components, edgesOf)
  return cycles.length > 0 ? { kind: 'cyclic', cycles } : { kind: 'ordered', nodes: components.flat() }
}
