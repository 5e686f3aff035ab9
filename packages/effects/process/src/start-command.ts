import { type ChildProcess, spawn } from 'node:child_process'
import { PassThrough, type Readable, pipeline } from 'node:stream'
import type { Command, RunningCommand } from './command.ts'
import { extraStreams, spawnOptions } from './spawn-options.ts'
import { startError } from './start-error.ts'
import { exitCodeOf, supervise } from './supervise.ts'

/** Starts a program in a process group of its own. Abort and timeout end the group, and `exit` reports the signal. */
export async function startCommand(command: Command): Promise<RunningCommand> {
  command.signal?.throwIfAborted()
  const child = begin(command)
  const { pid, stdin, stdout, stderr } = child
  if (pid === undefined || stdin === null || stdout === null || stderr === null)
    throw startError(command, await errorOf(child))
  const exit = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(exitCodeOf(code, signal)))
  })
  const { signal } = supervise(child, pid, command)
  // A program may end before it has read everything; its exit status says how.
  stdin.on('error', () => {})
  if (command.stdin !== undefined) stdin.end(command.stdin)
  return { pid, stdin, stdout: held(stdout), stderr: held(stderr), exit, kill: (name = 'SIGTERM') => signal(name) }
}

/** Starts it without execa, which takes seconds for a table of a thousand descriptors. */
function begin(command: Command): ChildProcess {
  const [program, ...programArguments] = command.argv
  const stdio = ['pipe' as const, 'pipe' as const, 'pipe' as const, ...extraStreams(command, Infinity)]
  try {
    return spawn(program, programArguments, { ...spawnOptions(command), stdio })
  } catch (cause) {
    throw startError(command, cause)
  }
}

function errorOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('error', resolve))
}

/** Holds output until it is read, and what a program has left when it has ended. */
function held(output: Readable): Readable {
  // An error reaches the reader through the stream itself.
  return pipeline(output, new PassThrough(), () => {})
}
