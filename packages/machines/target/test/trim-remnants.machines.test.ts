import { existsSync, mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeTree } from '@davit/files'
import { shellConnection } from '@davit/connection/testing'
import { notingShells } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Machine, openMachine, trimRemnants } from '../src/target.ts'
import { testCalls } from './functions.ts'

const A_DAY_AND_A_MINUTE = (24 * 60 + 1) * 60_000

describe.each(notingShells())('remnants of services that are gone, on a machine with $name', (shell) => {
  let directory: string
  let targets: string
  let machine: Machine<'collect'>

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-remnants-'))
    targets = join(directory, 'state/targets')
    machine = await openMachine(async () => shellConnection(shell, join(directory, 'state')), { role: 'collect' })
  })
  afterEach(() => {
    machine.close()
    removeTree(directory)
  })

  /** Writes a log, by default of a day ago. */
  const log = (path: string, age = A_DAY_AND_A_MINUTE) => {
    const file = join(targets, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, 'text\n')
    const then = new Date(Date.now() - age)
    utimesSync(file, then, then)
    return file
  }

  test('are removed: logs without a record of their key, after a day', async () => {
    const gone = [
      't1/log/default/process:old.activate',
      't1/log/default/process:old.deactivate',
      't1/log/default/process:old.activate.1',
      't1/log/other/process:old.activate.3',
      't2/log/default/a.b:key.1.activate',
    ].map((path) => log(path))
    const kept = [
      log('t1/log/default/process:new.activate', 0),
      log('t1/log/default/process:k1.activate'),
      log('t1/log/default/process:k1.activate.2'),
      log('t1/log/default/wrapper:k2.lock'),
      log('t1/log/services/web.log'),
      log('t1/log/services/web@process2.log.1'),
      log('t2/log/default/process:k3.activate'),
    ]
    for (const record of ['t1/active/default/process:k1', 't1/active/another/process:k2', 't2/active/x/process:k3'])
      mkdirSync(join(targets, record), { recursive: true })
    // A record of another target does not count.
    gone.push(log('t2/log/default/process:k1.activate'))

    const found = await trimRemnants(machine, { dryRun: true })
    expect(found.map(({ path }) => path).toSorted()).toEqual(gone.toSorted())
    expect(found.map(({ kind, bytes }) => [kind, bytes])).toEqual(gone.map(() => ['log', 5]))
    expect([...gone, ...kept].map((file) => existsSync(file))).not.toContain(false)
    expect(await trimRemnants(machine, { dryRun: false })).toEqual(found)
    expect(gone.filter((file) => existsSync(file))).toEqual([])
    expect(kept.filter((file) => !existsSync(file))).toEqual([])
    expect(await trimRemnants(machine, { dryRun: false })).toEqual([])
    expect(readdirSync(join(targets, 't1'))).not.toContain('mutex')
  })

  test('are removed: records that were given up, after thirty days', async () => {
    const givenUp = (target: string, days: number) => {
      const kept = join(targets, target, `abandoned/default/20260101T000000Z.${days}`)
      mkdirSync(join(kept, 'process:key'), { recursive: true })
      writeFileSync(join(kept, 'process:key/record'), 'text\n')
      const then = new Date(Date.now() - days * A_DAY_AND_A_MINUTE)
      utimesSync(kept, then, then)
      return kept
    }
    const [gone, kept] = [givenUp('t1', 30), givenUp('t1', 29)]
    const found = await trimRemnants(machine, { dryRun: true })
    expect(found).toEqual([{ kind: 'given-up', path: gone, bytes: 5 }])
    expect(existsSync(gone)).toBe(true)
    expect(await trimRemnants(machine, { dryRun: false })).toEqual(found)
    expect([gone, kept].map((path) => existsSync(path))).toEqual([false, true])
  })

  test('are empty if nothing was ever deployed', async () => {
    expect(await trimRemnants(machine, { dryRun: false })).toEqual([])
  })

  testCalls(shell, 'trim-remnants')
})
