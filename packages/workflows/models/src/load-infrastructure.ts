import { DavitError } from '@davit/diagnostics'
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
  const model = await loadArchitecture({ infrastructure: file }, options).catch((error: unknown) => {
    throw withoutOptions(error)
  })
  const { architecture } = normalizeModel(model, { ...options, deployState: false, store: ANY_STORE })
  return architecture.infrastructure
}

/** Replaces hints that name options for other models: tools that read nothing but targets have none of them. */
export function withoutOptions(error: unknown): unknown {
  if (!(error instanceof DavitError) || error.code !== 'wrong-model') return error
  const { code, message, exitStatus, cause } = error
  const hint = 'pass the infrastructure model'
  const diagnostics = error.diagnostics.map((one) => (one.hint?.startsWith('was it') ? { ...one, hint } : one))
  return new DavitError(code, message, { exitStatus, diagnostics, cause })
}

/** Nothing is installed. */
const ANY_STORE: StoreReference = { kind: 'native', directory: '/none' }
