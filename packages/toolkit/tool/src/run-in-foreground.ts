import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Interruption } from './interruption.ts'
import type { ForegroundCommand } from './tool-context.ts'

export interface ForegroundHost {
  readonly interruption: Interruption
  /** Whether a terminal delivers Ctrl-C to the command by itself. */
  readonly terminal: boolean
}

/** Runs a command with our standard streams, and passes signals to it. Returns its exit status, as a shell would report it. */
export async function runInForeground(command: ForegroundCommand, host: ForegroundHost): Promise<number> {
  const [program, ...programArguments] = command.argv
  host.interruption.signal.throwIfAborted()
  command.signal?.throwIfAborted()
  // Without execa, whose hundred milliseconds would delay every `davit TOOL`.
  const child = spawn(program, programArguments, { stdio: 'inherit', env: command.environment })
  const restore = host.interruption.divert((name) => {
    if (name !== 'SIGINT' || !host.terminal) child.kill(name)
  })
  const terminate = (): boolean => child.kill('SIGTERM')
  command.signal?.addEventListener('abort', terminate, { once: true })
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (cause) => reject(cannotRun(program, cause)))
      child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
    })
  } finally {
    restore()
    command.signal?.removeEventListener('abort', terminate)
  }
}

function cannotRun(program: string, cause: NodeJS.ErrnoException): DavitError {
  const missing = cause.code === 'ENOENT'
  return new DavitError('program-not-found', `cannot run '${program}'${missing ? ': no such program' : ''}`, {
    exitStatus: missing ? ExitStatus.unreachable : ExitStatus.permission,
    hint: missing ? 'check the name and PATH' : 'check that it is executable',
    cause,
  })
}
