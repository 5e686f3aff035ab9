import type { Store } from '@davit/store'

/** The part of the coordinator's store that is used while targets build. */
export type CoordinatorStore = Pick<Store, 'kind' | 'closure' | 'protect'>
