import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { isAlive } from '@davit/testing/processes'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import { digestOf, isDigestOf, openSecrets } from '../src/secrets.ts'

const directory = mkdtempSync(join(tmpdir(), 'davit-secrets-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const PATH = process.env['PATH'] ?? ''

function secretsWith(environment: Record<string, string> = {}) {
  const secrets = openSecrets({ environment: { PATH, ...environment }, workingDirectory: directory })
  return {
    ...secrets,
    resolve(reference: Parameters<typeof secrets.resolve>[0]) {
      secrets.trust([reference])
      return secrets.resolve(reference)
    },
  }
}

function fileWith(content: string | Buffer, name = 'secret'): string {
  const file = join(directory, name)
  writeFileSync(file, content)
  return file
}

function namedPipe(): string {
  const path = join(directory, 'pipe')
  expect(spawnSync('mkfifo', [path]).status).toBe(0)
  return path
}

describe('resolve()', () => {
  test.each([
    ['a line', 'hunter2\n', 'hunter2'],
    ['no line break', 'hunter2', 'hunter2'],
    ['a line of another system', 'hunter2\r\n', 'hunter2'],
    ['only the last line break', 'one\ntwo\n\n', 'one\ntwo\n'],
    ['odd characters', ' "$HOME" `x` \'ü\' \\n\n', ' "$HOME" `x` \'ü\' \\n'],
  ])('returns the text of a file: %s', async (_, content, value) => {
    expect(await secretsWith().resolve({ file: fileWith(content) })).toBe(value)
  })

  test('returns the value of a variable as it is', async () => {
    expect(await secretsWith({ KEY: 'hunter2\n' }).resolve({ env: 'KEY' })).toBe('hunter2\n')
  })

  test('returns what a program or a command of sh prints', async () => {
    const secrets = secretsWith({ KEY: 'hunter2' })
    expect(await secrets.resolve({ command: ['printf', '%s\\n', '$KEY'] })).toBe('$KEY')
    expect(await secrets.resolve({ command: 'echo "$KEY" | tr h H' })).toBe('Hunter2')
  })

  test('resolves each reference once, and what failed again', async () => {
    const secrets = secretsWith()
    const command = 'echo once >>calls; cat later'
    await expect(secrets.resolve({ command })).rejects.toThrow('later')
    fileWith('value', 'later')
    await Promise.all([secrets.resolve({ command }), secrets.resolve({ command })])
    expect(await secretsWith().resolve({ file: join(directory, 'calls') })).toBe('once\nonce')
  })

  test.each([
    [{ file: join(directory, 'absent') }, /no such file/i],
    [{ file: directory }, /directory/i],
    [{ file: namedPipe() }, 'it is a named pipe'],
    [{ file: '/dev/zero' }, 'it has more than 131071 bytes'],
    [{ env: 'ABSENT' }, 'the variable is not set'],
    [{ env: '__proto__' }, 'the variable is not set'],
    [{ command: 'echo locked >&2; exit 3' }, 'the command ended with status 3: locked'],
    [{ command: ['davit-no-such-program'] }, "cannot find the program 'davit-no-such-program'"],
    [{ command: ['true'] }, 'it is empty'],
    [{ command: "printf 'a\\0b'" }, 'it contains a NUL byte'],
    [{ command: "printf 'a\\377b'" }, 'it is not UTF-8 text'],
    [{ command: 'head -c 131072 /dev/zero | tr "\\0" x' }, 'it has more than 131071 bytes'],
  ])('%j is refused with the reason', async (reference, reason) => {
    await expect(secretsWith().resolve(reference)).rejects.toThrow(reason)
  })
})

describe('a command that does not end', () => {
  /** Resolves it, and the pid of what it has started is in a file. */
  const sleeping = (reading: { readonly timeoutSeconds?: number; readonly signal?: AbortSignal }, name: string) => {
    const secrets = openSecrets({ environment: { PATH }, workingDirectory: directory, ...reading })
    const reference = { command: `sleep 600 & echo $! >${name}; wait` }
    secrets.trust([reference])
    return secrets.resolve(reference)
  }
  const pidIn = (name: string) => Number(readFileSync(join(directory, name), 'utf8'))

  test('is ended after its time, with the reason', async () => {
    const reason = 'the command took longer than 3 seconds; DAVIT_SECRET_TIMEOUT sets another limit'
    await expect(sleeping({ timeoutSeconds: 3 }, 'late')).rejects.toMatchObject({
      code: 'secret-unresolved',
      message: reason,
    })
    await until(() => !isAlive(pidIn('late')))
  })

  test('is ended with the tool', async () => {
    const interruption = new AbortController()
    const resolving = sleeping({ signal: interruption.signal }, 'interrupted')
    await until(() => existsSync(join(directory, 'interrupted')) && pidIn('interrupted') > 0)
    interruption.abort(new Error('interrupted'))
    await expect(resolving).rejects.toThrow('interrupted')
    await until(() => !isAlive(pidIn('interrupted')))
  })
})

test('nothing is read to which no model refers, and a machine gets only what is its own', async () => {
  const secrets = openSecrets({ environment: { PATH, MINE: 'hunter2' }, workingDirectory: directory })
  const command = 'touch strange; echo x'
  await expect(secrets.resolve({ command })).rejects.toThrow('neither the models nor the last deployment refer to it')
  expect(existsSync(join(directory, 'strange'))).toBe(false)
  secrets.trust([{ env: 'MINE' }])
  expect(await secrets.limitedTo([{ env: 'MINE' }]).resolve({ env: 'MINE' })).toBe('hunter2')
  await expect(secrets.limitedTo([{ env: 'OTHER' }]).resolve({ env: 'MINE' })).rejects.toThrow('on this machine')
})

describe('redact()', () => {
  test('replaces all values, the longer ones first, and none that is very short', async () => {
    const secrets = secretsWith({ LONG: 'hunter2-and-more', SHORT: 'hunter2', TINY: 'a$&' })
    for (const env of ['TINY', 'SHORT', 'LONG']) await secrets.resolve({ env })
    expect(secrets.redact('a$& hunter2-and-more, hunter2hunter2')).toBe('a$& [secret], [secret][secret]')
  })
})

describe('redactTail()', () => {
  test.each([
    ['ter2 and more', '[secret] and more'],
    ['2 and more', '[secret] and more'],
    ['\uFFFDnter2 and more', '[secret] and more'],
    ['hunter2 and more', '[secret] and more'],
    ['and more hunt', 'and more [secret]'],
    ['and more hun', 'and more hun'],
    ['ter2 hunter2 hunter', '[secret] [secret] [secret]'],
    ['and more', 'and more'],
  ])('hides parts of values where a log is cut: %j', async (text, shown) => {
    const secrets = secretsWith({ KEY: 'hunter2', OTHER: 'unter2', TINY: 'a$&' })
    for (const env of ['KEY', 'OTHER', 'TINY']) await secrets.resolve({ env })
    expect(secrets.redactTail(text, Buffer.byteLength(text))).toBe(shown)
  })

  test('leaves the beginning of a log that is complete', async () => {
    const secrets = secretsWith({ KEY: 'production-error' })
    await secrets.resolve({ env: 'KEY' })
    expect(secrets.redactTail('error: no such file', 100)).toBe('error: no such file')
  })
})

describe('isDigestOf()', () => {
  test('tells whether the value is the same', async () => {
    const digest = await digestOf('hunter2')
    expect(digest).not.toContain('hunter2')
    expect(await isDigestOf(digest, 'hunter2')).toBe(true)
    expect(await isDigestOf(digest, 'hunter3')).toBe(false)
    for (const damaged of ['', 'hunter2', `${digest}0`, digest.replace('4096', '9999999')])
      expect(await isDigestOf(damaged, 'hunter2')).toBe(false)
  })
})
