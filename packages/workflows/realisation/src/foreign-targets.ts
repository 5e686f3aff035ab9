import { DavitError, type Diagnostic } from '@davit/diagnostics'
import type { Architecture, StorePath, System } from '@davit/documents'
import type { Store } from '@davit/store'

import { packagesByTarget } from './profile/packages-by-target.ts'

export interface ForeignTerms {
  readonly store: Store
  /** System of this machine. */
  readonly system: System
}

/** Adds to a `wrong-system` error which targets need the packages that cannot be built here; returns other errors unchanged. */
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
    const message = `target '${name}' (${target.system}) needs ${names.map((one) => `'${one}'`).join(', ')}`
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
