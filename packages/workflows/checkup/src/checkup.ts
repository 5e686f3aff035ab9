export { type Check, isWrong, SEVERITIES, type Severity, TOPICS } from './check.ts'
export { checkUp } from './check-up.ts'
export { type Checkup, isSound, type Subject } from './subject.ts'
export type { CheckupTerms } from './terms.ts'
