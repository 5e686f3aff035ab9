export { buildModelOf } from './build-model-of.ts'
export { delegate, type DelegateOptions, delegationPlan } from './delegate.ts'
export { type DelegationOrder, orderOfArchitecture, orderOfBuildModel, type WantedPackage } from './delegation-order.ts'
export { type Builder, type DelegatedBuild, type DelegationPlan } from './plan-delegation.ts'
