/** Replaces `@davit/process` where packages are built, in the tools of these tests: every program is a point. */
import { runCommand as realRun, startCommand as realStart } from '@davit/process'
import { pass } from './pass.ts'

export * from '@davit/process'

/** Starts a build. The second point is while it runs. */
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
