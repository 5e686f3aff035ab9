import { spawnSync } from 'node:child_process'
import { AS_NOBODY } from './nobody.ts'

export type HidePid = '1' | '2' | '4'

/** Returns a command that runs `argv` as another user, with `/proc` mounted so that it shows only that user's processes. */
export function withHiddenProc(hidePid: HidePid, argv: readonly string[]): readonly [string, ...string[]] {
  const script = 'mount -t proc -o "hidepid=$1" proc /proc && shift && exec "$@"'
  return ['unshare', '-m', 'sh', '-c', script, 'sh', hidePid, ...AS_NOBODY, ...argv]
}

/** Values of `hidepid` that work on this machine. */
export const HIDE_PID: readonly HidePid[] = (['1', '2', '4'] as const).filter((hidePid) => {
  const [program, ...rest] = withHiddenProc(hidePid, ['sh', '-c', '[ -r /proc/self/stat ] && ! [ -r /proc/1/stat ]'])
  return spawnSync(program, rest).status === 0
})
