import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Command, CommandResult } from './command.ts'
import { extraStreams, spawnOptions } from './spawn-options.ts'
import { startError } from './start-error.ts'
import { exitCodeOf, supervise } from './supervise.ts'

/** In UTF-16 units, for each of standard output and standard error; `startCommand` streams more than that. */
const MAX_OUTPUT = 256 * 1024 * 1024

/** For higher ones, execa takes seconds. */
const HIGHEST_DESCRIPTOR = 255

/**
 * Runs a program to its end. Its exit status is part of the result, never an exception. Throws the signal's reason when
 * aborted, and a DavitError when the program is missing, cannot start, takes too long or prints too much.
 */
export async function runCommand(command: Command): Promise<CommandResult> {
  const { execa } = await import('execa')
  command.signal?.throwIfAborted()
  const [program, ...programArguments] = command.argv
  const child = execa(program, programArguments, {
    ...spawnOptions(command),
    // A plain spawn, which leaves the output as it is.
    reject: false,
    cleanup: false,
    forceKillAfterDelay: false,
    stripFinalNewline: false,
    extendEnv: command.env === undefined,
    maxBuffer: MAX_OUTPUT,
    stdio: [command.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...streamsOf(command)],
    ...(command.stdin === undefined ? {} : { input: command.stdin }),
  })
  if (child.pid === undefined) throw startError(command, await child)
  const supervision = supervise(child, child.pid, command)
  const result = await child
  if (supervision.stoppedBy() === 'abort') throw abortReason(command)
  if (supervision.stoppedBy() === 'timeout') throw timeoutError(command)
  if (result.isMaxBuffer) {
    supervision.signal('SIGKILL')
    throw new DavitError('output-too-large', `'${program}' wrote more than ${MAX_OUTPUT} characters`)
  }
  return { exitCode: exitCodeOf(result.exitCode, result.signal), stdout: result.stdout, stderr: result.stderr }
}

/** In the types of execa, numbers of descriptors are small. */
function streamsOf(command: Command): readonly ('ignore' | 3)[] {
  return extraStreams(command, HIGHEST_DESCRIPTOR) as readonly ('ignore' | 3)[]
}

function abortReason({ argv, signal }: Command): unknown {
  return (
    signal?.reason ??
    new DavitError('interrupted', `'${argv[0]}' was interrupted`, { exitStatus: ExitStatus.interrupted })
  )
}

function timeoutError({ argv, timeoutSeconds }: Command): DavitError {
  return new DavitError('command-timeout', `'${argv[0]}' took longer than ${timeoutSeconds} seconds`)
}
