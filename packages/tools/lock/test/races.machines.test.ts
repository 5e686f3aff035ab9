import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { removeTree } from '@davit/files'
import { isThorough, sampleOf, tellFigure } from '@davit/testing/effort'
import { TEST_LIMIT, until } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { bundleTools } from '../../../../scripts/bundle-programs.ts'
import { manifestWith } from './manifests.ts'

const RACES = isThorough ? 100 : 2
const programs = mkdtempSync(join(tmpdir(), 'davit-lock-programs-'))
let races = 0

beforeAll(async () => {
  const entryOf = (tool: string) => fileURLToPath(new URL(`../src/bin-${tool}.ts`, import.meta.url))
  await bundleTools(
    ['lock', 'unlock'].map((tool) => ({ name: `davit-${tool}`, entry: entryOf(tool) })),
    programs,
  )
})
afterAll(() => {
  removeTree(programs)
  tellFigure(`davit-lock: ${races} races of two processes, each won by one`)
})

let directory: string
let started: ChildProcess[]
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'davit-lock-races-'))
  started = []
  mkdirSync(join(directory, 'home'))
  writeFileSync(join(directory, 'manifest.json'), manifestWith('t1', 't2', 't3'))
})
afterEach(() => {
  for (const { pid, exitCode, signalCode } of started) {
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
  }
  removeTree(directory)
})

interface Outcome {
  readonly status: number | null
  readonly said: string
}

/** Starts a tool in its own process group, as a shell does. */
function start(tool: 'lock' | 'unlock', words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(join(programs, `bin/davit-${tool}.cjs`), words, {
    cwd: directory,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: join(directory, 'home'),
      DAVIT_STATE_DIR: join(directory, 'state'),
      ...environment,
    },
  })
  started.push(child)
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => void (said += String(chunk)))
  const outcome = once(child, 'close').then(([status]: (number | null)[]): Outcome => ({
    status: status ?? null,
    said,
  }))
  return { child, outcome }
}

const at = (name: string) => join(directory, name)
const lock = (words: readonly string[], environment = {}) =>
  start('lock', ['manifest.json', '--', ...words], environment)
const isFree = async () => (await lock(['true']).outcome).status
/** A command that reports its beginning, and waits until it may end. */
const waiting = (name: string) => ['sh', '-c', `: >began.${name}; until [ -e may-end.${name} ]; do sleep 0.02; done`]
const began = (name: string) => until(() => expect(existsSync(at(`began.${name}`))).toBe(true))

test(
  `of two that want the lock at the same time exactly one gets it, ${RACES} times`,
  { timeout: RACES * TEST_LIMIT },
  async () => {
    for (let race = 0; race < RACES; race += 1) {
      const racers = ['a', 'b'].map((name) => ({ name, ...lock(waiting(`${name}${race}`)) }))
      const outcomes = racers.map(async ({ name, outcome }) => ({ name, ...(await outcome) }))
      const loser = await Promise.race(outcomes)
      expect(loser).toMatchObject({ status: 75 })
      expect(loser.said).toMatch(/is locked by \S+@\S+ \(process \d+\), since \d{4}-\d\d-\d\d \d/)
      expect(existsSync(at(`began.${loser.name}${race}`))).toBe(false)
      const winner = racers.find(({ name }) => name !== loser.name)!
      await began(`${winner.name}${race}`)
      writeFileSync(at(`may-end.${winner.name}${race}`), '')
      expect(await winner.outcome).toMatchObject({ status: 0 })
      races += 1
    }
    expect(await isFree()).toBe(0)
  },
)

describe('a holder that is killed', () => {
  const killed = async () => {
    const { child, outcome } = lock(waiting('holder'))
    await began('holder')
    process.kill(child.pid!, 'SIGKILL')
    writeFileSync(at('may-end.holder'), '')
    await outcome
  }
  /** Makes the lock look as if it was taken from another machine, where its holder may be alive. */
  const moveAway = () => editHolders(/Id":"/g, '$&not-')
  const editHolders = (pattern: RegExp, replacement: string) => {
    for (const target of ['t1', 't2', 't3']) {
      const file = at(`state/targets/${target}/lock/default/holder`)
      writeFileSync(file, readFileSync(file, 'utf8').replace(pattern, replacement))
    }
  }

  test('here is replaced at once', async () => {
    await killed()
    expect(await isFree()).toBe(0)
  })

  test('elsewhere is replaced when its lease is over, and not before', async () => {
    await killed()
    moveAway()
    expect(await isFree()).toBe(75)
    editHolders(/^renewed \d+/m, 'renewed 1000')
    expect(await isFree()).toBe(0)
  })

  test('elsewhere is replaced at once with davit-unlock --id, which says whose lock it was', async () => {
    await killed()
    moveAway()
    const refused = await lock(['true']).outcome
    const [, token = ''] = /davit-unlock -p default --id ([0-9a-f]{32}) -i INFRASTRUCTURE/.exec(refused.said) ?? []
    expect(refused).toMatchObject({ status: 75 })
    const wrong = await start('unlock', ['--id', 'abc', 'manifest.json']).outcome
    expect(wrong).toMatchObject({ status: 1, said: expect.stringContaining("with token 'abc'") })
    const freed = await start('unlock', ['--id', token, 'manifest.json']).outcome
    expect(freed).toMatchObject({ status: 0 })
    expect(freed.said).toMatch(/\[t1\] releasing the lock of \S+@\S+ \(process \d+\)/)
    expect(await isFree()).toBe(0)
  })
})

describe('the command that davit-lock runs', () => {
  test.each(sampleOf(['SIGINT', 'SIGTERM', 'SIGHUP'] as const, 1))(
    'ends with davit-lock at %s, and the lock is free',
    async (signal) => {
      const { child, outcome } = lock(waiting('holder'))
      await began('holder')
      process.kill(child.pid!, signal)
      const { status } = await outcome
      expect(status).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal])
      expect([existsSync(at('state/coordinator/default/lock.json')), await isFree()]).toEqual([false, 0])
    },
  )

  test('hangs whatever signals come: the lock is held until it has ended', async () => {
    const loop = "trap '' TERM INT; : >began.holder; until [ -e may-end.holder ]; do sleep 0.02; done; exit 5"
    const { child, outcome } = lock(['sh', '-c', loop])
    await began('holder')
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT'] as const) process.kill(child.pid!, signal)
    expect(await isFree()).toBe(75)
    writeFileSync(at('may-end.holder'), '')
    expect((await outcome).status).toBe(5)
    expect(await isFree()).toBe(0)
  })

  test('cannot be found: the lock is free', async () => {
    const { status, said } = await lock(['no-such-program']).outcome
    expect([status, said]).toEqual([69, expect.stringContaining("cannot run 'no-such-program'")])
    expect([existsSync(at('state/coordinator/default/lock.json')), await isFree()]).toEqual([false, 0])
  })

  test('may lock by hand what anybody of the same user unlocks', async () => {
    const script = `"$0" -p other manifest.json; ${waiting('hand')[2]}`
    const { outcome } = lock(['sh', '-c', script, join(programs, 'bin/davit-lock.cjs')])
    await began('hand')
    expect(await start('unlock', ['-p', 'other', 'manifest.json']).outcome).toMatchObject({ status: 0 })
    writeFileSync(at('may-end.hand'), '')
    expect((await outcome).status).toBe(0)
  })

  test('is ended when somebody frees the lock under it, by its id only', async () => {
    const { outcome } = lock(waiting('holder'), { DAVIT_LOCK_LEASE: '1' })
    await began('holder')
    const refused = await start('unlock', ['manifest.json']).outcome
    expect(refused).toMatchObject({
      status: 75,
      said: expect.stringMatching(/ is locked by \S+ \(process \d+\) while/),
    })
    expect(await isFree()).toBe(75)
    const token = /^token (.*)$/m.exec(readFileSync(at('state/targets/t1/lock/default/holder'), 'utf8'))?.[1] ?? ''
    expect(await start('unlock', ['--id', token, 'manifest.json']).outcome).toMatchObject({ status: 0 })
    expect(await outcome).toMatchObject({ status: 75, said: expect.stringContaining('was lost') })
  })
})
