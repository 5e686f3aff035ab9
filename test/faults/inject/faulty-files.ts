/** Stands in the place of `node:fs` in what writes stores, in tools that are made for these tests: every change is a point. */
import * as real from 'node:fs'
import { pass } from './pass.ts'

export * from 'node:fs'

export const renameSync = passing('rename', real.renameSync)
export const writeFileSync = passing('write', real.writeFileSync)
export const mkdirSync = passing('mkdir', real.mkdirSync)
export const symlinkSync = passing('link', real.symlinkSync)
export const rmSync = passing('remove', real.rmSync)

/** One process at a time writes, so that what comes after one change is the point before the next. */
function passing<Result extends (...args: never[]) => unknown>(moment: string, change: Result): Result {
  const passed = (...args: never[]): unknown => {
    pass(moment)
    return change(...args)
  }
  return passed as Result
}
