import { spawnSync } from 'node:child_process'
import { AS_NOBODY } from './nobody.ts'

export type HidePid = '1' | '2' | '4'

/** `argv` as another user who is shown no processes but its own, as where `/proc` is mounted with `hidepid`. */
export function withHiddenProc(hidePid: HidePid, argv: readonly string[]): readonly [string, ...string[]] {
  const script = 'mount -t proc -o "hidepid=$1" proc /proc && shift && exec "$@"'
  return ['unshare', '-m', 'sh', '-c', script, 'sh', hidePid, ...AS_NOBODY, ...argv]
}

/** The ways of hiding that this machine has. */
export const HIDE_PID: readonly HidePid[] = (['1', '2', '4'] as const).filter((hidePid) => {
  const [program, ...rest] = withHiddenProc(hidePid, ['sh', '-c', '[ -r /proc/self/stat ] && ! [ -r /proc/1/stat ]'])
  return spawnSync(program, rest).status === 0
})
