import type { OptionTable } from './option.ts'
import { usageError } from './usage-error.ts'

/** Options of tools that copy between this machine and one target. */
export const copyOptions = {
  to: { type: 'boolean', describe: 'copy from this machine to the target' },
  from: { type: 'boolean', describe: 'copy from the target to this machine' },
  target: { type: 'string', short: 't', value: 'TARGET', required: true, describe: 'name of the target' },
} as const satisfies OptionTable

/** Returns the direction in which `what` is copied; exactly one of the two options must be given. */
export function directionOf({ to, from }: { readonly to: boolean; readonly from: boolean }, what: string) {
  if (to !== from) return to ? 'to' : 'from'
  throw usageError(
    to ? '--to and --from cannot be combined' : 'neither --to nor --from is given',
    `write --to to send ${what} to the target, or --from to fetch them from it`,
  )
}
