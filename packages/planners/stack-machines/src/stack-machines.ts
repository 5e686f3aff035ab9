export { architectureOfStack, type Machines } from './architecture-of-stack.ts'
export { changesSince, type StackChanges } from './changes.ts'
