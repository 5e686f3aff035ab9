import { once } from 'node:events'
import { chmodSync, chownSync, lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { holdConnections } from '../src/connection.ts'
import { pairs } from '../src/held/pairs.ts'
import { makePlace, whyForeign } from '../src/held/place.ts'
import { readFirstLine, readLines } from '../src/held/read-lines.ts'

afterEach(() => void vi.useRealTimers())

const socket = (): Socket => new PassThrough() as unknown as Socket
const MEGABYTE = Buffer.alloc(1024 * 1024, 'x')

/** Writes more and more of a line until its reader has had enough; returns how many megabytes that were. */
async function fill(stream: Socket): Promise<number> {
  let written = 0
  for (; written < 40 && !stream.destroyed; written += 1) {
    stream.write(MEGABYTE)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return written
}

describe('the first line of a visitor', () => {
  test('is read, and the rest is left', async () => {
    const visitor = socket()
    visitor.write('one\ntwo')
    expect(await readFirstLine(visitor, 1000)).toBe('one')
    expect(String(visitor.read())).toBe('two')
  })

  test('has to come in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const visitor = socket()
    const line = readFirstLine(visitor, 10_000)
    visitor.write('not yet')
    vi.advanceTimersByTime(9_999)
    expect(visitor.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(await line).toBeUndefined()
    expect(visitor.destroyed).toBe(true)
  })

  test('has at most 16 MB', async () => {
    const visitor = socket()
    const line = readFirstLine(visitor, 60_000)
    expect(await fill(visitor)).toBe(17)
    expect(await line).toBeUndefined()
  })
})

test('lines that follow have at most 16 MB', async () => {
  const visitor = socket()
  const lines: string[] = []
  readLines(visitor, (line) => {
    lines.push(line)
    return 'go-on'
  })
  visitor.write('one\n')
  expect(await fill(visitor)).toBe(17)
  expect(lines).toEqual(['one'])
})

test('no line is read after a bad one', () => {
  const visitor = socket()
  const lines: string[] = []
  readLines(visitor, (line) => {
    lines.push(line)
    return line === 'bad' ? 'bad' : 'go-on'
  })
  visitor.emit('data', Buffer.from('one\nbad\ntwo\n'))
  expect(lines).toEqual(['one', 'bad'])
  expect(visitor.destroyed).toBe(true)
})

test('a visitor that says nothing is sent away', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const directory = mkdtempSync(join(tmpdir(), 'davit-held-'))
  const holder = await holdConnections({ environment: { TMPDIR: directory } })
  const visitor = connect(holder.socket)
  visitor.on('error', () => {}).resume()
  const closed = once(visitor, 'close')
  while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve))
  vi.advanceTimersByTime(10_000)
  await closed
  await holder.close()
  rmSync(directory, { recursive: true })
})

describe('a socket of a channel that remains alone', () => {
  beforeEach(() => void vi.useFakeTimers())

  test('is closed after a while', () => {
    const [lone, taken] = [socket(), socket()]
    const { give, take } = pairs(1000)
    give('lone', lone)
    give('taken', taken)
    void take('taken')
    vi.advanceTimersByTime(999)
    expect(lone.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect([lone.destroyed, taken.destroyed]).toEqual([true, false])
  })

  test('is not closed for another one of the same name', () => {
    const [first, second] = [socket(), socket()]
    const { give, take } = pairs(1000)
    give('one', first)
    void take('one')
    vi.advanceTimersByTime(500)
    give('one', second)
    vi.advanceTimersByTime(500)
    expect([first.destroyed, second.destroyed]).toEqual([false, false])
    vi.advanceTimersByTime(500)
    expect([first.destroyed, second.destroyed]).toEqual([false, true])
  })

  test('is waited for only a while', async () => {
    const { take, give } = pairs(1000)
    const waited = take('one')
    vi.advanceTimersByTime(1000)
    expect(await waited).toBeUndefined()
    const late = socket()
    give('one', late)
    vi.advanceTimersByTime(1000)
    expect(late.destroyed).toBe(true)
  })
})

describe.skipIf(process.getuid?.() !== 0)('the socket that DAVIT_CONNECT names', () => {
  const NOBODY = 65_534
  let directory: string
  let server: Server
  const at = (name: string) => join(directory, name)
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-held-'))
    mkdirSync(at('above/own'), { recursive: true, mode: 0o700 })
    server = createServer().listen(at('above/own/socket'))
    await once(server, 'listening')
  })
  afterEach(() => {
    server.close()
    rmSync(directory, { recursive: true })
  })

  test('is used if only this user can change what it is', async () => {
    expect(await whyForeign(at('above/own/socket'))).toBeUndefined()
    expect(await whyForeign(at('above/own/gone'))).toBeUndefined()
    expect(await whyForeign(at('gone/socket'))).toBeUndefined()
    symlinkSync('above', at('link'))
    expect(await whyForeign(at('link/own/socket'))).toBeUndefined()
    chmodSync(at('above'), 0o1777)
    expect(await whyForeign(at('above/own/socket'))).toBeUndefined()
    chmodSync(at('above'), 0o775)
    expect(await whyForeign(at('above/own/socket'))).toBeUndefined()
  })

  const replaced = (step: string) => `others could lead '${at(step)}' elsewhere`
  test.each<[string, () => string, () => string]>([
    ['has no absolute path', () => 'above/own/socket', () => 'its path is not absolute'],
    [
      'is in a directory of another user',
      () => (chownSync(at('above/own'), NOBODY, NOBODY), at('above/own/socket')),
      () => `'${at('above/own')}' belongs to another user`,
    ],
    [
      'is in a directory that others may enter',
      () => (chmodSync(at('above/own'), 0o701), at('above/own/socket')),
      () => `others may enter '${at('above/own')}'`,
    ],
    [
      'is below a directory of another user',
      () => (chownSync(at('above'), NOBODY, NOBODY), at('above/own/socket')),
      () => replaced('above'),
    ],
    [
      'is below a sticky directory of another user',
      () => (chownSync(at('above'), NOBODY, NOBODY), chmodSync(at('above'), 0o1777), at('above/own/socket')),
      () => replaced('above'),
    ],
    [
      'is below a directory that all may write to',
      () => (chmodSync(at('above'), 0o777), at('above/own/socket')),
      () => replaced('above'),
    ],
    [
      'is below a directory that a group may write to',
      () => (chownSync(at('above'), 0, NOBODY), chmodSync(at('above'), 0o770), at('above/own/socket')),
      () => replaced('above'),
    ],
    [
      'is behind a link of another user',
      () => (symlinkSync('above', at('link')), lchownSync(at('link'), NOBODY, NOBODY), at('link/own/socket')),
      () => replaced('link'),
    ],
    [
      'is behind a link to a directory of another user',
      () => {
        mkdirSync(at('theirs/deep'), { recursive: true })
        chownSync(at('theirs'), NOBODY, NOBODY)
        symlinkSync('theirs/deep', at('link'))
        mkdirSync(at('theirs/deep/own'), { mode: 0o700 })
        return at('link/own/socket')
      },
      () => replaced('theirs'),
    ],
    ['is a file', () => (writeFileSync(at('above/own/file'), ''), at('above/own/file')), () => 'it is not a socket'],
    [
      'is a link',
      () => (symlinkSync('socket', at('above/own/link')), at('above/own/link')),
      () => 'it is not a socket',
    ],
  ])('is not used if it %s', async (_, spoil, reason) => {
    expect(await whyForeign(spoil())).toBe(reason())
  })

  test('is not made below a directory in which others may replace it', async () => {
    chmodSync(at('above'), 0o777)
    const place = await makePlace({ TMPDIR: at('above') })
    expect(place.directory.startsWith('/tmp/davit-connect.')).toBe(true)
    place.remove()
  })
})
