export { buildModelOf } from './build-model-of.ts'
export { delegate, delegationPlan } from './delegate.ts'
export { type DelegationOrder, orderOfArchitecture, orderOfBuildModel } from './delegation-order.ts'
