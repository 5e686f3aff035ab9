/** Stands in the place of `@davit/connection` in tools that are made for these tests: all that goes over connections is a point. */
import {
  type Channel,
  type Connection,
  type ConnectionPool,
  connectionPool as realPool,
  type SshOptions,
} from '@davit/connection'
import { pass } from './pass.ts'

export * from '@davit/connection'

/** An sshd that is gone is found out soon: it does not come back before the run has ended. */
const ATTEMPTS = 2

export function connectionPool(options: SshOptions): ConnectionPool {
  const pool = realPool({ attempts: ATTEMPTS, ...options })
  const faulty = new WeakMap<Connection, Connection>()
  return {
    async connect(request) {
      pass('connect', 'address' in request ? request.address : '')
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
    kind: real.kind,
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
    // After a piece of data comes another, or a request.
    if (operation !== 'data') pass(`after-${operation}`, address)
    return isTaken
  }
}

/** The end of an activity, before the tool knows of it. */
function watchActivities({ stderr }: Channel, address: string): void {
  const push = stderr.push.bind(stderr)
  stderr.push = (chunk: Buffer | null, ...rest) => {
    const status = chunk === null ? undefined : /^done \S+ (\d+)/m.exec(chunk.toString())?.[1]
    if (status !== undefined) pass(status === '0' ? 'done' : 'failed', address)
    return push(chunk, ...rest)
  }
}

/** Requests are `ID OPERATION FIELD…`; all else is data. */
function operationOf(chunk: unknown): string {
  return (typeof chunk === 'string' ? /^\d+ ([a-z_]+)/.exec(chunk)?.[1] : undefined) ?? 'data'
}
