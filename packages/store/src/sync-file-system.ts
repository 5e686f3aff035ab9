import { type Environment, runCommand } from '@davit/process'
import { DavitError } from '@davit/diagnostics'

/**
 * Makes everything written to the file system of a directory survive a loss of power. One call for a whole batch of
 * trees costs less than one for each of their files; Node itself only has the latter.
 */
export async function syncFileSystem(directory: string, environment: Environment): Promise<void> {
  const { exitCode, stderr } = await runCommand({ argv: ['sync', '-f', directory], env: environment })
  if (exitCode === 0) return
  const everything = await runCommand({ argv: ['sync'], env: environment })
  if (everything.exitCode !== 0) throw new DavitError('cannot-sync', `cannot sync '${directory}': ${stderr.trim()}`)
}
