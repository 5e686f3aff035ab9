export { type Instance, instanceOf } from './instances.ts'
export { namesFor, simpleTerms } from './names.ts'
export { differsOutside } from './outside.ts'
export { partOf, type PartOutcome } from './part-of.ts'
export { describeObstacle, emptyError, partError, unmatchedError } from './refusals.ts'
export {
  isEmptySelection,
  isSelected,
  selectedTargets,
  type Selection,
  selectIn,
  selectionOfTerms,
  termsOf,
  unmatchedIn,
} from './select.ts'
export { stackOfPart } from './stack-of-part.ts'
export { parseTerms, type Term } from './terms.ts'
