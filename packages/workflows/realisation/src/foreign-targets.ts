import { DavitError, type Diagnostic } from '@davit/diagnostics'
import type { Architecture, StorePath, System } from '@davit/documents'
import type { Store } from '@davit/store'

import { packagesByTarget } from './profile/packages-by-target.ts'

export interface ForeignTerms {
  readonly store: Store
  /** Of this machine. */
  readonly system: System
}

/** The store knows what cannot be built here; the architecture knows which targets need it. Other errors stay as they are. */
export async function namingTargets(
  error: unknown,
  architecture: Architecture,
  { store, system }: ForeignTerms,
): Promise<unknown> {
  if (!(error instanceof DavitError) || error.code !== 'wrong-system') return error
  const foreign = [...architecture.infrastructure].filter(([, target]) => target.system !== system)
  const packages = packagesByTarget(architecture)
  const needed = foreign.map(([name]) => packages.get(name) ?? [])
  const missing = new Set(await store.invalidPaths([...new Set(needed.flat())]))
  const diagnostics = foreign.flatMap(([name, target], index): Diagnostic[] => {
    const names = (needed[index] ?? []).filter((path) => missing.has(path)).map(nameOf)
    if (names.length === 0) return []
    const message = `target '${name}' is ${target.system}, and needs ${names.map((one) => `'${one}'`).join(', ')}`
    return [{ severity: 'error', message }]
  })
  const { code, message, exitStatus, hint } = error
  return new DavitError(code, message, {
    exitStatus,
    ...(hint === undefined ? {} : { hint }),
    diagnostics: [...error.diagnostics, ...diagnostics],
    cause: error.cause,
  })
}

function nameOf(path: StorePath): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/^[^-]*-/, '')
}
