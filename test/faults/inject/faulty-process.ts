/** Stands in the place of `@davit/process` in what builds, in tools that are made for these tests: every program is a point. */
import { runCommand as realRun, startCommand as realStart } from '@davit/process'
import { pass } from './pass.ts'

export * from '@davit/process'

/** Builds are started so: the point is when one runs. */
export const startCommand: typeof realStart = async (command) => {
  pass('before-start')
  const running = await realStart(command)
  pass('started')
  return running
}

export const runCommand: typeof realRun = async (command) => {
  pass('before-run')
  return realRun(command)
}
