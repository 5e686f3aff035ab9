import { type EdgesOf, stronglyConnectedComponents } from './components.ts'
import { cyclesIn } from './cycles.ts'

export type DependencyOrder<Id> =
  | { readonly kind: 'ordered'; readonly nodes: readonly Id[] }
  | { readonly kind: 'cyclic'; readonly cycles: readonly (readonly Id[])[] }

/** Every node after all that it depends on; among equals in the order given. */
export function dependenciesFirst<Id>(nodes: Iterable<Id>, edgesOf: EdgesOf<Id>): DependencyOrder<Id> {
  const components = stronglyConnectedComponents(nodes, edgesOf)
  const cycles = cyclesIn(components, edgesOf)
  return cycles.length > 0 ? { kind: 'cyclic', cycles } : { kind: 'ordered', nodes: components.flat() }
}
