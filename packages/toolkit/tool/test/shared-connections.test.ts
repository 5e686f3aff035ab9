import { text } from 'node:stream/consumers'

import { type Connection, type ConnectionPool, connectionPool, type SshOptions } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'
import { expect, onTestFinished, test } from 'vitest'

import { sharedConnections } from '../src/shared-connections.ts'

const NEVER = new AbortController().signal

function connections() {
  const shared = sharedConnections({ connectionPool, now: () => 0 })
  onTestFinished(() => shared.close())
  return shared
}

const options = (signal = NEVER) => ({ environment: { PATH: process.env['PATH'] ?? '' }, report: () => {}, signal })

test('what a step has started ends with it, and not what others have', async () => {
  const { open } = connections()
  const [one, other] = [open(options()), open(options())]
  const [first, second] = await Promise.all(
    [one, other].map(async (pool) => (await pool.connect([{ kind: 'local' }])).run('exec cat')),
  )
  await one.close()
  expect(await first!.exit).toBe(0)
  second!.stdin.end('still here')
  expect(await text(second!.stdout)).toContain('still here')
})

test('a step gets the same connection for the same machine', async () => {
  const pool = connections().open(options())
  expect(await pool.connect([{ kind: 'local' }])).toBe(await pool.connect([{ kind: 'local' }]))
})

const request = [{ kind: 'ssh', address: 'far' }] as const

/** Connections to a machine that, after as many milliseconds, cannot be reached, except while `isUp`. */
function farAway(milliseconds: number) {
  const machine = { asked: 0, isUp: false }
  let clock = 0
  const connection: Connection = {
    address: 'far',
    run: () => Promise.reject(new Error('nothing runs there')),
    lost: new Promise(() => {}),
    close: async () => {},
  }
  const pool: ConnectionPool = {
    async connect() {
      machine.asked += 1
      clock += milliseconds
      if (machine.isUp) return connection
      throw new DavitError('unreachable', "cannot reach 'far'")
    },
    close: async () => {},
  }
  const { open } = sharedConnections({ connectionPool: () => pool, now: () => clock })
  return {
    machine,
    ask: () =>
      open(options())
        .connect(request)
        .catch((error: unknown) => error),
  }
}

test('a machine that did not answer the first step in time is not asked by the next one', async () => {
  const { machine, ask } = farAway(10_000)
  const failure = await ask()
  expect(failure).toMatchObject({ code: 'unreachable' })
  expect([await ask(), machine.asked]).toEqual([failure, 1])
})

test('a machine that refused at once is asked again, and so is one that was reached', async () => {
  const refusing = farAway(5)
  await refusing.ask()
  await refusing.ask()
  expect(refusing.machine.asked).toBe(2)
  const rebooting = farAway(10_000)
  rebooting.machine.isUp = true
  await rebooting.ask()
  rebooting.machine.isUp = false
  await rebooting.ask()
  rebooting.machine.isUp = true
  expect(await rebooting.ask()).toMatchObject({ address: 'far' })
})

function withResolvers() {
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<Connection>((_, no) => (reject = no))
  return { promise, reject: (error: unknown) => reject(error) }
}

test('an interruption ends the waiting of its step only', async () => {
  const arrival = withResolvers()
  const pool: ConnectionPool = { connect: () => arrival.promise, close: async () => {} }
  const { open } = sharedConnections({ connectionPool: () => pool, now: () => 0 })
  const interruption = new AbortController()
  const reason = new DavitError('interrupted', 'interrupted by SIGINT')
  const interrupted = open(options(interruption.signal)).connect(request)
  const other = open(options()).connect(request)
  interruption.abort(reason)
  await expect(interrupted).rejects.toBe(reason)
  arrival.reject(new DavitError('unreachable', 'no answer'))
  await expect(other).rejects.toMatchObject({ code: 'unreachable' })
})

test('what happens while connecting is told to the step that asked', async () => {
  const pools: SshOptions[] = []
  const connect = async () => {
    pools[0]!.report?.({ kind: 'started', id: 'connect', step: 'connect' })
    throw new DavitError('unreachable', 'no answer')
  }
  const connectionPool = (given: SshOptions) => {
    pools.push(given)
    return { connect, close: async () => {} }
  }
  const { open } = sharedConnections({ connectionPool, now: () => 0 })
  const told: string[] = []
  for (const step of ['check', 'lock']) {
    await open({ ...options(), report: () => told.push(step) })
      .connect(request)
      .catch(() => {})
  }
  expect([told, pools.length]).toEqual([['check', 'lock'], 1])
})
