import { PassThrough, type Readable, pipeline } from 'node:stream'
import type { Command, RunningCommand } from './command.ts'
import { execaOptions } from './execa-options.ts'
import { startError } from './start-error.ts'
import { exitCodeOf, supervise } from './supervise.ts'

/** Starts a program in a process group of its own. Abort and timeout end the group, and `exit` reports the signal. */
export async function startCommand(command: Command): Promise<RunningCommand> {
  const { execa } = await import('execa')
  command.signal?.throwIfAborted()
  const [program, ...programArguments] = command.argv
  const child = execa(program, programArguments, { ...execaOptions(command), buffer: false, stdin: 'pipe' })
  const { pid } = child
  if (pid === undefined) throw startError(command, await child)
  const exit = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(exitCodeOf(code, signal)))
  })
  const { signal } = supervise(child, pid, command)
  if (command.stdin !== undefined) child.stdin.end(command.stdin)
  return {
    pid,
    stdin: child.stdin,
    stdout: held(child.stdout),
    stderr: held(child.stderr),
    exit,
    kill: (name = 'SIGTERM') => signal(name),
  }
}

/** Holds output until it is read: execa discards output that has no listener in the first tick. */
function held(output: Readable): Readable {
  // An error reaches the reader through the stream itself.
  return pipeline(output, new PassThrough(), () => {})
}
