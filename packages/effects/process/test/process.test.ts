import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '@davit/testing/wait'
import { afterAll, expect, test } from 'vitest'
import { environment, runCommand, startCommand } from '../src/process.ts'

const directory = mkdtempSync(join(tmpdir(), 'davit-process-'))
afterAll(() => rm(directory, { recursive: true }))

const sh = (script: string, ...rest: readonly string[]) => ['sh', '-c', script, 'sh', ...rest] as const

test('runCommand() gives status and output as they are', async () => {
  const result = await runCommand({ argv: sh('printf "out\\n\\n"; printf err >&2; exit 3') })
  expect(result).toEqual({ exitCode: 3, stdout: 'out\n\n', stderr: 'err' })
})

test.each(['', '$(date)', "'; exit 9 #", 'a  b', '*', '-n', 'ü\n\t'])(
  'runCommand() passes the argument %j unchanged',
  async (value) => {
    expect((await runCommand({ argv: sh('printf %s "$1"', value) })).stdout).toBe(value)
  },
)

test('runCommand() feeds standard input, and survives a program that does not read it', async () => {
  const stdin = 'x'.repeat(1_000_000)
  expect((await runCommand({ argv: ['cat'], stdin })).stdout).toBe(stdin)
  expect((await runCommand({ argv: ['true'], stdin })).exitCode).toBe(0)
})

test('runCommand() gives an empty standard input by default', async () => {
  expect((await runCommand({ argv: ['cat'], timeoutSeconds: 30 })).stdout).toBe('')
})

test('runCommand() replaces the environment', async () => {
  const { stdout } = await runCommand({ argv: ['env'], env: { PATH: environment()['PATH'] ?? '', ONLY: 'this' } })
  expect(stdout.split('\n').filter((line) => !line.startsWith('PATH='))).toEqual(['ONLY=this', ''])
})

test('runCommand() runs in the given directory', async () => {
  expect((await runCommand({ argv: ['pwd', '-P'], cwd: '/' })).stdout).toBe('/\n')
})

test('runCommand() reports the signal that ended the program as a shell does', async () => {
  expect((await runCommand({ argv: sh('kill -KILL $$') })).exitCode).toBe(137)
})

const notExecutable = join(directory, 'not-executable')
writeFileSync(notExecutable, '')

test.each([
  { argv: ['no-such-program'], code: 'program-not-found', exitStatus: 69 },
  { argv: [notExecutable], code: 'program-not-executable', exitStatus: 77 },
  { argv: ['true'], cwd: '/no/such/directory', code: 'directory-not-found', exitStatus: 1 },
  { argv: ['echo', 'x'.repeat(200_000)], code: 'cannot-start-program', exitStatus: 1 },
] as const)('runCommand() and startCommand() say $code', async ({ code, exitStatus, ...command }) => {
  await expect(runCommand(command)).rejects.toMatchObject({ code, exitStatus })
  await expect(startCommand(command)).rejects.toMatchObject({ code, exitStatus })
})

test('runCommand() ends the whole process group on time-out', async () => {
  const command = { argv: sh('sleep 60 & echo $! >"$1"; wait', join(directory, 'pid')), timeoutSeconds: 3 }
  await expect(runCommand(command)).rejects.toMatchObject({ code: 'command-timeout' })
  await untilGone(join(directory, 'pid'))
})

test('runCommand() throws the reason of an abort', async () => {
  const controller = new AbortController()
  const running = runCommand({ argv: ['sleep', '60'], signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
  await expect(runCommand({ argv: ['true'], signal: controller.signal })).rejects.toThrow('enough')
})

test('twenty programs at a time raise no warning', async () => {
  const warnings: unknown[] = []
  const note = (warning: unknown): number => warnings.push(warning)
  process.on('warning', note)
  const { signal } = new AbortController()
  await Promise.all(Array.from({ length: 20 }, () => runCommand({ argv: ['true'], signal })))
  await delay(0)
  process.off('warning', note)
  expect(warnings).toEqual([])
})

test('startCommand() streams both ways', async () => {
  const { stdin, stdout, exit } = await startCommand({ argv: ['cat'] })
  stdin.write('one ')
  stdin.end('two')
  expect(await text(stdout)).toBe('one two')
  expect(await exit).toBe(0)
})

test('startCommand() does not mind a program that ends before it has read everything', async () => {
  const { exit } = await startCommand({ argv: ['true'], stdin: 'x'.repeat(1_000_000) })
  expect(await exit).toBe(0)
})

test('startCommand() keeps output for a reader that comes late', async () => {
  const { stdout, exit } = await startCommand({ argv: ['echo', 'hello'] })
  await exit
  await delay(20)
  expect(await text(stdout)).toBe('hello\n')
})

test('startCommand() does not read ahead of its reader', async () => {
  const { stdout, kill, exit } = await startCommand({ argv: sh('yes >&1') })
  await delay(100)
  expect(stdout.readableLength).toBeLessThan(1_000_000)
  kill('SIGKILL')
  expect(await exit).toBe(137)
})

test('startCommand() ends children of the program with it', async () => {
  const pidFile = join(directory, 'child')
  const { stdout, kill, exit } = await startCommand({ argv: sh('sleep 60 & echo $! >"$1"; echo up; wait', pidFile) })
  await new Promise((resolve) => stdout.once('data', resolve))
  kill()
  expect(await exit).toBe(143)
  await untilGone(pidFile)
})

/** Waits until the process has ended; an orphan may stay a zombie for as long as process 1 likes. */
async function untilGone(pidFile: string): Promise<void> {
  const status = `/proc/${readFileSync(pidFile, 'utf8').trim()}/status`
  await until(() => !existsSync(status) || readFileSync(status, 'utf8').includes('State:\tZ'))
}
