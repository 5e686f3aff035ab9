import type { Infrastructure, StoreReference } from '@davit/documents'
import { normalizeModel } from '@davit/normalization'

import { loadArchitecture, type LoadOptions } from './load-architecture.ts'

export interface InfrastructureOptions extends LoadOptions {
  /** Client interface of targets that name none. */
  readonly clientInterface: string
  readonly targetProperty: string
}

/** Loads an infrastructure model on its own, with all defaults filled in. */
export async function loadInfrastructure(file: string, options: InfrastructureOptions): Promise<Infrastructure> {
  const model = await loadArchitecture({ infrastructure: file }, options)
  const { architecture } = normalizeModel(model, { ...options, deployState: false, store: ANY_STORE })
  return architecture.infrastructure
}

/** Nothing is installed. */
const ANY_STORE: StoreReference = { kind: 'native', directory: '/none' }
