import { DavitError, ExitStatus, parseBytes, renderBytes } from '@davit/diagnostics'
import type { Environment } from '@davit/process'

export interface SizeLimit {
  readonly bytes: number
  /** Why a build failed that wrote more. */
  readonly reason: string
}

const VARIABLE = 'DAVIT_SIZE_LIMIT'
const DEFAULT_BYTES = 4e9
export const HOW_TO_ALLOW_MORE = `'sizeLimit' in its package, or ${VARIABLE}, allows more`

/** Limit in bytes for a source, or for what a build writes: that of its package, or else of the environment. */
export function sizeLimitIn(environment: Environment, own: number | undefined): number {
  const text = environment[VARIABLE] || undefined
  const bytes = text === undefined ? DEFAULT_BYTES : parseBytes(text)
  if (bytes !== undefined) return own ?? bytes
  throw new DavitError('usage', `variable '${VARIABLE}' cannot be '${text}'`, {
    exitStatus: ExitStatus.usage,
    hint: "write a number of bytes, or one with a unit, such as '20 GB'",
  })
}

export function buildSizeLimit(environment: Environment, own: number | undefined): SizeLimit {
  const bytes = sizeLimitIn(environment, own)
  return { bytes, reason: `wrote more than ${renderBytes(bytes)} and was stopped: ${HOW_TO_ALLOW_MORE}` }
}
