/** Replaces `@davit/connection` in the tools of these tests: everything that goes over a connection is a point. */
import {
  type Channel,
  type Connection,
  type ConnectionPool,
  connectionPool as realPool,
  requestText,
  type SshOptions,
} from '@davit/connection'
import { pass } from './pass.ts'

export * from '@davit/connection'

/** Few attempts, since an sshd that is gone does not come back before the run has ended. */
const ATTEMPTS = 2

export function connectionPool(options: SshOptions): ConnectionPool {
  const pool = realPool({ attempts: ATTEMPTS, ...options })
  const faulty = new WeakMap<Connection, Connection>()
  return {
    async connect(request) {
      pass('connect', requestText(request))
      const real = await pool.connect(request)
      const connection = faulty.get(real) ?? wrapped(real)
      faulty.set(real, connection)
      return connection
    },
    close: () => pool.close(),
  }
}

function wrapped(real: Connection): Connection {
  return {
    address: real.address,
    lost: real.lost,
    close: () => real.close(),
    async run(script) {
      pass('before-script', real.address)
      const channel = await real.run(script)
      watchFrames(channel, real.address)
      watchActivities(channel, real.address)
      return channel
    },
  }
}

function watchFrames({ stdin }: Channel, address: string): void {
  const write = stdin.write.bind(stdin) as (...args: readonly unknown[]) => boolean
  stdin.write = (...args: readonly unknown[]) => {
    const operation = operationOf(args[0])
    pass(`before-${operation}`, address)
    const isTaken = write(...args)
    // No point is needed after a piece of data: another piece or a request follows.
    if (operation !== 'data') pass(`after-${operation}`, address)
    return isTaken
  }
}

/** Makes the end of an activity a point, before the tool knows of it. */
function watchActivities({ stderr }: Channel, address: string): void {
  const push = stderr.push.bind(stderr)
  stderr.push = (chunk: Buffer | null, ...rest) => {
    const status = chunk === null ? undefined : /^done \S+ (\d+)/m.exec(chunk.toString())?.[1]
    if (status !== undefined) pass(status === '0' ? 'done' : 'failed', address)
    return push(chunk, ...rest)
  }
}

/** Returns the operation of a request `ID OPERATION FIELD…`, or `data` for anything else. */
function operationOf(chunk: unknown): string {
  return (typeof chunk === 'string' ? /^(?:define \d+ )?\d+ ([a-z_]+)/.exec(chunk)?.[1] : undefined) ?? 'data'
}
