import type { Store } from '@davit/store'

/** What is asked of the coordinator's half of the store while targets build. */
export type CoordinatorStore = Pick<Store, 'kind' | 'closure' | 'protect'>
