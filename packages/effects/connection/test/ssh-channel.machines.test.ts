import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Connection,
  connectionPool,
  type Holder,
  holdConnections,
  HOLDER_VARIABLE,
  openLocal,
} from '../src/connection.ts'
import { openSsh } from '../src/open-ssh.ts'

const missing = sshdMissing()
if (missing !== undefined) console.warn(`SKIPPED: tests with a real sshd: ${missing}`)

const MEBIBYTE = 1024 * 1024

describe.each<'local' | 'ssh' | 'held'>(['local', 'ssh', 'held'])('a %s channel', (kind) => {
  const skip = kind !== 'local' && missing !== undefined
  let sshd: TestSshd | undefined
  let holder: Holder | undefined
  let connection: Connection

  beforeAll(async () => {
    if (skip) return
    if (kind !== 'local') sshd = await startSshd()
    if (kind === 'held') holder = await holdConnections({ environment: {} })
    connection = await open()
  })
  afterAll(async () => {
    if (skip) return
    await connection.close()
    await holder?.close()
    await sshd?.stop()
  })

  async function open(): Promise<Connection> {
    if (sshd === undefined) return openLocal({ environment: { PATH: '/usr/bin:/bin', MINE: 'here' } })
    const { address, environment } = sshd
    if (holder === undefined) return openSsh(address, { environment })
    const pool = connectionPool({ environment: { ...environment, [HOLDER_VARIABLE]: holder.socket } })
    return { ...(await pool.connect([{ kind: 'ssh', address }])), close: () => pool.close() }
  }

  test.skipIf(skip)('runs a script and leaves the rest of standard input to it', async () => {
    const { stdin, stdout, stderr, exit } = await connection.run(
      'printf "%s\\n" "ü\\\\ $(printenv LC_ALL)"\ncat\necho no >&2\nexit 7',
    )
    stdin.end('after\n\\the script')
    expect(await Promise.all([text(stdout), text(stderr), exit])).toEqual(['ü\\ C\nafter\n\\the script', 'no\n', 7])
  })

  test.skipIf(skip)('carries a script with any character', async () => {
    const content = `'"\`$x\\0101\\c%s\t\u0001\u0081\u00ff🚢\r ~*?!#`
    const { stdout } = await connection.run(`cat <<'END'\n${content}\nEND\n`)
    expect(await text(stdout)).toBe(`${content}\n`)
  })

  test.skipIf(skip)('tells the signal that ended a script', async () => {
    const { exit } = await connection.run('kill -TERM $$')
    expect(await exit).toBe(143)
  })

  test.skipIf(skip)('runs several scripts at a time', async () => {
    const first = await connection.run('read x; echo "first $x"')
    const second = await connection.run('echo second')
    expect(await text(second.stdout)).toBe('second\n')
    first.stdin.end('one\n')
    expect(await text(first.stdout)).toBe('first one\n')
  })

  test.skipIf(skip)('carries 50 MB there and 50 MB back', async () => {
    const hash = createHash('sha256')
    const chunks = function* (): Generator<Buffer> {
      for (let index = 0; index < 50; index += 1) {
        const chunk = Buffer.alloc(MEBIBYTE, index)
        hash.update(chunk)
        yield chunk
      }
    }
    const { stdin, stdout, exit } = await connection.run('cat')
    const back = createHash('sha256')
    await Promise.all([pipeline(Readable.from(chunks()), stdin), pipeline(stdout, back)])
    expect(await exit).toBe(0)
    expect(back.read()).toEqual(hash.digest())
  })

  test.skipIf(skip)('does not buffer what the script does not read', async () => {
    const { stdin, close } = await connection.run('sleep 60')
    let taken = 0
    const chunk = Buffer.alloc(MEBIBYTE)
    const takes = (): Promise<boolean> =>
      Promise.race([new Promise<boolean>((resolve) => stdin.write(chunk, () => resolve(true))), delay(300, false)])
    while (taken < 20 && (await takes())) taken += 1
    expect(taken).toBeLessThan(20)
    close()
  })

  test.skipIf(skip)('does not read ahead of its reader', async () => {
    const { stdout, close } = await connection.run('yes')
    await until(() => stdout.readableLength > 0)
    await delay(100)
    expect(stdout.readableLength).toBeLessThan(MEBIBYTE)
    close()
  })

  test.skipIf(skip)('writing to a script that has ended fails instead of hanging', async () => {
    const { stdin, exit } = await connection.run('exit 3')
    const source = Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(MEBIBYTE)))
    await expect(pipeline(source, stdin)).rejects.toMatchObject({ code: expect.stringMatching(/EPIPE|ECONNRESET/) })
    expect(await exit).toBe(3)
  })

  test.skipIf(skip)('a reader that stops early does not stop the script', async () => {
    const { stdout, exit } = await connection.run('head -c 5000000 /dev/zero 2>/dev/null; exit 4')
    stdout.destroy()
    expect([4, 141]).toContain(await exit)
  })

  test.skipIf(skip)('close() ends the input of the script and forgets it', async () => {
    const channel = await connection.run('cat >/dev/null')
    channel.close()
    await expect(channel.exit).rejects.toMatchObject({ code: 'channel-closed' })
    const next = await connection.run('echo on')
    expect(await text(next.stdout)).toBe('on\n')
  })
})

test('a local script finds the programs of the user after those of the system', async () => {
  const connection = openLocal({ environment: { PATH: '/home/me/bin', MINE: 'here' } })
  const { stdout } = await connection.run('echo "$MINE $PATH"')
  expect(await text(stdout)).toMatch(/^here \/usr\/local\/sbin:.*:\/home\/me\/bin\n$/)
})

test('a local script does not belong to the trace of the run', async () => {
  const connection = openLocal({ environment: { PATH: '/usr/bin:/bin', DAVIT_TRACE: '/trace.json' } })
  const { stdout } = await connection.run('echo "[${DAVIT_TRACE-}]"')
  expect(await text(stdout)).toBe('[]\n')
})

test('a closed local connection runs nothing, nor goes on with what was being started', async () => {
  const connection = openLocal({ environment: { PATH: '/usr/bin:/bin' } })
  const starting = connection.run('cat')
  await connection.close()
  await expect((await starting).exit).rejects.toMatchObject({ code: 'channel-closed' })
  await expect(connection.run('cat')).rejects.toMatchObject({ code: 'interrupted' })
})
