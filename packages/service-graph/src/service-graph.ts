export { closureOf, memoizedClosure } from './closure.ts'
export { stronglyConnectedComponents, type EdgesOf } from './components.ts'
export { cyclesOf } from './cycles.ts'
export { dependenciesFirst, type DependencyOrder } from './order.ts'
