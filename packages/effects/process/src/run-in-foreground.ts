import type { Command } from './command.ts'
import { execaOptions } from './execa-options.ts'
import { startError } from './start-error.ts'
import { exitCodeOf } from './supervise.ts'

/**
 * Runs a program in place of this one: in its terminal, standard streams and process group, so that Ctrl-C reaches both.
 * An abort sends it SIGTERM and waits.
 */
export async function runInForeground(command: Omit<Command, 'stdin' | 'timeoutSeconds'>): Promise<number> {
  const { execa } = await import('execa')
  command.signal?.throwIfAborted()
  const [program, ...programArguments] = command.argv
  const child = execa(program, programArguments, { ...execaOptions(command), detached: false, stdio: 'inherit' })
  if (child.pid === undefined) throw startError(command, await child)
  const terminate = (): boolean => child.kill('SIGTERM')
  command.signal?.addEventListener('abort', terminate, { once: true })
  const result = await child
  command.signal?.removeEventListener('abort', terminate)
  return exitCodeOf(result.exitCode, result.signal)
}
