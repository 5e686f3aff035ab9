import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ReportEvent } from '@davit/diagnostics'
import { encodeProcessReference, processReference } from '@davit/process'
import { sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { until } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectionPool, type Holder, holdConnections, HOLDER_VARIABLE } from '../src/connection.ts'
import { PROTOCOL } from '../src/held/protocol.ts'
import { readLines } from '../src/held/read-lines.ts'

let directory: string
let holder: Holder | undefined
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'davit-holder-'))
})
afterEach(async () => {
  await holder?.close()
  holder = undefined
  rmSync(directory, { recursive: true, force: true })
})

const hold = async (parent = directory): Promise<Holder> => {
  holder = await holdConnections({ environment: { TMPDIR: parent } })
  return holder
}

describe('the place of a socket', () => {
  test('is a directory that only this user can enter, and goes with the holder', async () => {
    const { socket, close } = await hold()
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700)
    expect(dirname(dirname(socket))).toBe(directory)
    await close()
    expect(readdirSync(directory)).toEqual([])
  })

  test('is in /tmp where the path would be too long for a socket, or there is no such directory', async () => {
    const long = join(directory, 'x'.repeat(100))
    mkdirSync(long)
    for (const parent of [long, join(directory, 'missing')]) {
      const { socket, close } = await hold(parent)
      expect(dirname(dirname(socket))).toBe('/tmp')
      await close()
    }
  })

  test('is removed by the next holder when a killed one has left it; nothing else is', async () => {
    const { pid } = spawnSync('true')
    const here = processReference()
    const names = [
      `davit-connect.${encodeProcessReference({ ...here, pid })}.abcdef`,
      `davit-connect.${encodeProcessReference({ ...here, startTime: here.startTime - 1 })}.abcdef`,
      `davit-connect.${encodeProcessReference(here)}.abcdef`,
      `davit-connect.${encodeProcessReference({ ...here, pid, namespace: '1' })}.abcdef`,
      `davit-connect.${encodeProcessReference({ ...here, pid })}.others`,
      'davit-connect.mine',
    ]
    for (const name of names) mkdirSync(join(directory, name), { mode: name.endsWith('others') ? 0o755 : 0o700 })
    const { close } = await hold()
    await close()
    expect(readdirSync(directory).toSorted()).toEqual(names.slice(2).toSorted())
  })
})

const missing = sshdMissing()
if (missing !== undefined) console.warn(`SKIPPED: tests with a real sshd: ${missing}`)

describe.skipIf(missing !== undefined)('a socket', () => {
  let sshd: TestSshd
  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(() => sshd?.stop())

  async function greeting(report: (event: ReportEvent) => void = () => {}): Promise<string> {
    const pool = connectionPool({ environment: { ...sshd.environment, [HOLDER_VARIABLE]: holder!.socket }, report })
    try {
      const connection = await pool.connect([{ kind: 'ssh', address: sshd.address }])
      return await text((await connection.run('echo hello')).stdout)
    } finally {
      await pool.close()
    }
  }
  const logins = (): number => sshd.log().match(/Accepted publickey/g)?.length ?? 0

  test.each<[string, (place: string) => void]>([
    ['belongs to another user', (place) => chownSync(place, 65_534, 65_534)],
    ['can be entered by a group', (place) => chmodSync(place, 0o710)],
  ])('in a directory that %s is not used, and a warning says so', async (_, spoil) => {
    const { socket } = await hold()
    spoil(dirname(socket))
    const events: ReportEvent[] = []
    expect(await greeting((event) => events.push(event))).toBe('hello\n')
    expect(events).toEqual([expect.objectContaining({ kind: 'warning', code: 'holder-foreign' })])
    expect(await greeting()).toBe('hello\n')
  })

  const session = { kind: 'session', protocol: PROTOCOL, environment: {}, directory: '/' }
  test.each<[string, unknown]>([
    ['nothing', ''],
    ['no JSON', '\u0000\u00ff{'],
    ['no object', [1]],
    ['a kind that is none', { kind: 'toString' }],
    ['a newer protocol', { ...session, protocol: PROTOCOL + 1 }],
    ['an older protocol', { ...session, protocol: PROTOCOL - 1 }],
    ['an environment of numbers', { ...session, environment: { HOME: 1 } }],
    ['no script', { kind: 'run', channel: 'c', link: 1 }],
    ['a negative link', { kind: 'run', channel: 'c', link: -1, script: '' }],
  ])('of a holder is closed to a process that says %s', async (_, opening) => {
    const visitor = await visit((await hold()).socket)
    visitor.write(`${typeof opening === 'string' ? opening : JSON.stringify(opening)}\n`)
    await closed(visitor)
    expect(await greeting()).toBe('hello\n')
  })

  test('of a holder is closed to a process that sends rubbish in a session, or a line without end', async () => {
    const { socket } = await hold()
    const rude = await visit(socket)
    rude.write(`${JSON.stringify(session)}\n{"kind":"connect","id":"one"}\n`)
    await closed(rude)
    const endless = await visit(socket)
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const more = (): void => {
      while (!endless.destroyed && endless.write(chunk));
    }
    endless.on('drain', more)
    more()
    await closed(endless)
    expect(await greeting()).toBe('hello\n')
  })

  test('of a holder that is asked for a chain of hops has an error as answer, and stays', async () => {
    const visitor = await visit((await hold()).socket)
    const lines = answersTo(visitor)
    visitor.write(`${JSON.stringify(session)}\n`)
    const hops = [sshd.address, 'inner'].map((address) => ({ kind: 'ssh', address }))
    visitor.write(`${JSON.stringify({ kind: 'connect', id: 1, hops, isReturning: false })}\n{"kind":"ping"}\n`)
    await until(() => lines.length === 3)
    const message = `cannot connect to '${sshd.address} > inner': more than one hop is not supported, and it takes 2`
    const error = { code: 'unsupported-interface', exitStatus: 69, message }
    expect(lines.find(({ kind }) => kind === 'failed')).toEqual({ kind: 'failed', id: 1, error })
    expect(lines.map(({ kind }) => kind).toSorted()).toEqual(['failed', 'pong', 'welcome'])
    visitor.destroy()
  })

  test('of a holder names a link that is not there: the channel is lost', async () => {
    const { socket } = await hold()
    const control = await visit(socket)
    const data = await visit(socket)
    control.write('{"kind":"run","channel":"c","link":7,"script":"true"}\n')
    data.write('{"kind":"data","channel":"c"}\n')
    const [answer] = (await once(control, 'data')) as [Buffer]
    expect(JSON.parse(answer.toString())).toMatchObject({ kind: 'refused', error: { code: 'connection-lost' } })
  })

  test('of a holder that was stopped makes no tool wait for ever', async () => {
    const { socket } = await hold()
    const mute = createServer(() => {}).listen(`${socket}2`)
    await once(mute, 'listening')
    holder = { socket: `${socket}2`, close: async () => {} }
    const before = logins()
    expect(await greeting()).toBe('hello\n')
    expect(logins() - before).toBe(1)
    mute.close()
    rmSync(dirname(socket), { recursive: true })
  })

  test('that nobody reads makes no other channel wait, and fills no memory', async () => {
    const { socket } = await hold()
    const pool = connectionPool({ environment: { ...sshd.environment, [HOLDER_VARIABLE]: socket } })
    const connection = await pool.connect([{ kind: 'ssh', address: sshd.address }])
    const over = join(sshd.directory, 'over')
    const deaf = `until [ -e '${over}' ] || [ ! -e '${sshd.directory}' ]; do sleep 0.05; done`
    const idle = [await connection.run('yes'), await connection.run('yes >&2'), await connection.run(deaf)]
    const write = (): boolean => idle[2]!.stdin.write(Buffer.alloc(1024 * 1024))
    for (let written = 0; written < 20 && write(); written += 1);
    await until(() => idle[0]!.stdout.readableLength > 0 && idle[1]!.stderr.readableLength > 1024 * 1024)
    const before = process.memoryUsage().rss
    const { stdout, exit } = await connection.run('head -c 200000000 /dev/zero')
    let size = 0
    for await (const chunk of stdout) size += (chunk as Buffer).length
    expect([size, await exit]).toEqual([200_000_000, 0])
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
    expect(idle[0]!.stdout.readableLength).toBeLessThan(1024 * 1024)
    expect(idle[1]!.stderr.readableLength).toBeLessThan(4 * 1024 * 1024)
    writeFileSync(over, '')
    await pool.close()
  })

  test('leaves nothing in the holder when a tool is gone', async () => {
    const { socket } = await hold()
    const open = (): number => readdirSync('/proc/self/fd').length
    await greeting()
    await until(() => existsSync(socket))
    const before = open()
    for (let tool = 0; tool < 20; tool += 1) await greeting()
    await until(() => open() <= before)
  })
})

function closed(visitor: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (visitor.closed) resolve()
    else visitor.once('close', () => resolve())
  })
}

/** The answers of a holder, as they come. */
function answersTo(visitor: Socket): readonly { readonly kind: string }[] {
  const lines: { readonly kind: string }[] = []
  readLines(visitor, (line) => {
    lines.push(JSON.parse(line) as { readonly kind: string })
    return 'go-on'
  })
  return lines
}

async function visit(path: string): Promise<Socket> {
  const visitor = connect(path)
  visitor.on('error', () => {}).resume()
  await once(visitor, 'connect')
  return visitor
}
