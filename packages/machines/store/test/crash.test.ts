import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { NOBODY } from '@davit/testing/nobody'
import { scratchDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleExecutables } from '../../../../scripts/bundle-programs.ts'
import type { Registration } from '../src/store.ts'
import { digestTree } from '../src/native/tree-digest.ts'
import { leftovers, running, temporaryStore, writeTree } from './temporary-store.ts'

const programs = mkdtempSync(join(tmpdir(), 'davit-store-programs-'))

beforeAll(async () => {
  const entry = fileURLToPath(new URL('programs/make-packages.ts', import.meta.url))
  await bundleExecutables([{ name: 'make-packages', entry }], programs)
  // Another user runs it.
  chmodSync(programs, 0o755)
})
afterAll(() => rmSync(programs, { recursive: true }))

test('a store survives kill -9 at every stage, and the next run finishes the work', async () => {
  // Without root, moving a directory, or deleting in it, needs write permission.
  const user = isRoot() ? NOBODY : {}
  const { directory, source } = places(user)
  const stages = [
    ['instantiate', 1],
    ['started', 1],
    ['finished', 2],
  ] as const
  for (const [stage, times] of stages) {
    const run = start([directory, source], user)
    await line(run, stage, times)
    run.kill('SIGKILL')
    await ended(run)
  }
  writeFileSync(join(directory, '.davit/locks/of-a-build-that-is-not-wanted-any-more'), '')
  const registrations = await finish(start([directory, source], user))
  await checkStore(directory, registrations)

  rmSync(join(directory, '.davit/registrations'), { recursive: true })
  expect(await finish(start([directory, source], user))).toStrictEqual(registrations)
  await checkStore(directory, registrations)
})

test('a build does not outlive davit, even if nothing isolates it', async () => {
  const { directory, source, counter } = places()
  const pause = `60.${Math.floor(Math.random() * 1e9)}`
  const run = start([directory, source, counter, pause])
  await until(() => running(`sleep ${pause}`))
  run.kill('SIGKILL')
  await until(() => !running(`sleep ${pause}`))
  expect(readFileSync(counter, 'utf8')).toBe('lib\n')
})

test('two processes that need the same packages build each once', async () => {
  const { directory, source, counter } = places()
  const runs = [start([directory, source, counter]), start([directory, source, counter])]
  const [first, second] = await Promise.all(runs.map(finish))
  expect(first).toStrictEqual(second)
  expect(readFileSync(counter, 'utf8').trim().split('\n').toSorted()).toStrictEqual(['a', 'b', 'c', 'lib'])
  await checkStore(directory, first!)
})

function places({ uid, gid }: User = {}) {
  const base = scratchDirectory()
  chmodSync(base, 0o755)
  if (uid !== undefined && gid !== undefined) chownSync(base, uid, gid)
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`d${index % 5}/${index}`, `${index}`]))
  const source = writeTree(files, join(base, 'source'))
  return { directory: join(base, 'store'), source, counter: join(base, 'counter') }
}

function isRoot(): boolean {
  return spawnSync('id', ['-u'], { encoding: 'utf8' }).stdout.trim() === '0'
}

interface User {
  readonly uid?: number
  readonly gid?: number
}

type Run = ChildProcessByStdio<null, Readable, null>

function start(programArguments: readonly string[], user: User = {}): Run {
  return spawn(join(programs, 'make-packages.cjs'), programArguments, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...user,
  })
}

async function line(run: Run, text: string, times: number): Promise<void> {
  let seen = 0
  for await (const next of createInterface({ input: run.stdout })) {
    if (next === text) seen += 1
    if (seen === times) return
  }
  throw new Error(`it ended before '${text}'`)
}

function ended(run: Run): Promise<unknown> {
  return run.exitCode === null && run.signalCode === null
    ? new Promise((resolve) => run.once('exit', resolve))
    : Promise.resolve()
}

async function finish(run: Run): Promise<readonly Registration[]> {
  let last = ''
  for await (const next of createInterface({ input: run.stdout })) last = next
  return JSON.parse(last) as readonly Registration[]
}

/** Expects that all registered paths are there, unchanged, and nothing else. */
async function checkStore(directory: string, registrations: readonly Registration[]): Promise<void> {
  const store = await temporaryStore(undefined, directory)
  expect(leftovers(store)).toStrictEqual([])
  for (const { path, contentHash } of registrations) {
    expect(await digestTree(path)).toMatchObject({ contentHash })
  }
  const registered = readdirSync(join(directory, '.davit/registrations')).map((file) => file.replace(/\.json$/, ''))
  expect(
    readdirSync(directory)
      .filter((name) => name !== '.davit')
      .toSorted(),
  ).toStrictEqual(registered.toSorted())
}
