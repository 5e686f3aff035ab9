export { type AdoptedService, type AdoptedTarget, adoptTargets } from './adopt-targets.ts'
export { givenBackTo, refuseOtherStore } from './give-back.ts'
export { type Adoption, readAdoption } from './read-adoption.ts'
export { preparedAdoption } from './prepare.ts'
