import { createHash } from 'node:crypto'

import type { ClientExecutable } from '@davit/connection'

/** Name of the place of a target in the state directory of this machine. */
export function clientPlace({ executable, address }: ClientExecutable): string {
  const hash = createHash('sha256').update(`${executable}\n${address}`).digest('hex').slice(0, 16)
  return `${address.replaceAll(/[^A-Za-z0-9_+-]/g, '_').slice(0, 60)}-${hash}`
}
