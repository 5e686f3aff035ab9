/**
 * Stands in the place of `@davit/connection` in tools that are made for these tests (see build.ts): counts what goes over
 * connections, and at one point runs a command that interrupts.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { basename } from 'node:path'
import {
  type Channel,
  type Connection,
  type ConnectionPool,
  connectionPool as realPool,
  type SshOptions,
} from '@davit/connection'

export * from '@davit/connection'

export function connectionPool(options: SshOptions): ConnectionPool {
  const pool = realPool(options)
  const faulty = new WeakMap<Connection, Connection>()
  return {
    async connect(request) {
      pass('connect', '', 'address' in request ? request.address : '')
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
      pass('before', 'script', real.address)
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
    pass('before', operation, address)
    const isTaken = write(...args)
    // After a piece of data comes another, or a request.
    if (operation !== 'data') pass('after', operation, address)
    return isTaken
  }
}

/** The end of an activity, before the tool knows of it. */
function watchActivities({ stderr }: Channel, address: string): void {
  const push = stderr.push.bind(stderr)
  stderr.push = (chunk: Buffer | null, ...rest) => {
    if (chunk !== null && /^done /m.test(chunk.toString())) pass('done', '', address)
    return push(chunk, ...rest)
  }
}

/** Requests are `ID OPERATION FIELD…`; all else is data. */
function operationOf(chunk: unknown): string {
  return (typeof chunk === 'string' ? /^\d+ ([a-z_]+)/.exec(chunk)?.[1] : undefined) ?? 'data'
}

let number = 0
const tool = basename(process.argv[1] ?? '', '.cjs')

function pass(moment: string, operation: string, address: string): void {
  const { DAVIT_FAULT_LOG: log, DAVIT_FAULT_POINT: point, DAVIT_FAULT_COMMAND: command = '' } = process.env
  if (log === undefined) return
  number += 1
  const isPoint = point === `${tool}:${number}`
  appendFileSync(log, `${tool}:${number} ${moment} ${operation || '-'} ${address}${isPoint ? ' struck' : ''}\n`)
  if (!isPoint) return
  const { status, stderr } = spawnSync('sh', ['-c', command, 'sh', String(process.pid), address], { encoding: 'utf8' })
  if (status !== 0) appendFileSync(log, `failed ${stderr}\n`)
}
