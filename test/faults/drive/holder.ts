import { once } from 'node:events'
import { eventually } from '@davit/testing/wait'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Started } from '../../harness/coordinator.ts'
import type { System } from './system.ts'

/** A davit-connect that holds connections for the runs of a round. */
export interface Holder {
  readonly pid: number
  readonly socket: string
  /** Ends the command of davit-connect, and returns what is left of davit-connect. */
  end(): Promise<HolderEnd>
}

export interface HolderEnd {
  readonly hasOutlived: boolean
  /** Directory of the socket, if it is still there. The one of a davit-connect that was killed may stay until the next one begins. */
  readonly leftDirectory: string | undefined
}

/** The command of davit-connect: it says where davit-connect is, and waits. */
const COMMAND = 'echo "$PPID $$ $DAVIT_CONNECT"; exec sleep 1000000'

export async function holdConnections({ user, environment }: System): Promise<Holder> {
  const started = user.start(['davit-connect', '--', 'sh', '-c', COMMAND], { environment })
  const [pid, command, socket = ''] = (await firstWords(started)).split(' ')
  let isOver = false
  void started.outcome.then(() => (isOver = true))
  return {
    pid: Number(pid),
    socket,
    async end() {
      const wasKilled = started.process.signalCode === 'SIGKILL'
      signal(Number(command), 'SIGTERM')
      const hasEnded = await eventually('the end of davit-connect', () => isOver).catch(() => false)
      if (!hasEnded) signal(Number(pid), 'SIGKILL')
      await started.outcome
      if (wasKilled) await user.run(['davit-connect', '--', 'true'], { environment })
      const directory = dirname(socket)
      return { hasOutlived: !hasEnded, leftDirectory: existsSync(directory) ? directory : undefined }
    },
  }
}

async function firstWords({ process: { stdout }, outcome }: Started): Promise<string> {
  const failed = outcome.then(({ stderr }): never => {
    throw new Error(`davit-connect did not begin: ${stderr}`)
  })
  const words = stdout === null ? failed : once(stdout, 'data').then(String)
  return (await Promise.race([words, failed])).trim()
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has already ended.
  }
}
