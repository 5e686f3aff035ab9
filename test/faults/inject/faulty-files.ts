/** Replaces `node:fs` where stores are written, in the tools of these tests: every change is a point. */
import * as real from 'node:fs'
import { pass } from './pass.ts'

export * from 'node:fs'

export const renameSync = passing('rename', real.renameSync)
export const writeFileSync = passing('write', real.writeFileSync)
export const mkdirSync = passing('mkdir', real.mkdirSync)
export const symlinkSync = passing('link', real.symlinkSync)
export const rmSync = passing('remove', real.rmSync)

/** Makes a change a point. A point before each change is enough, since only one process writes at a time. */
function passing<Result extends (...args: never[]) => unknown>(moment: string, change: Result): Result {
  const passed = (...args: never[]): unknown => {
    pass(moment)
    return change(...args)
  }
  return passed as Result
}
