import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ProfileName } from '@davit/documents'
import { DavitError } from '@davit/diagnostics'
import { expect, onTestFinished, test } from 'vitest'
import { abandon } from '../src/abandon.ts'
import { Machines } from './testing.ts'

async function scene() {
  const machines = new Machines()
  onTestFinished(() => machines.close())
  const targets = [await machines.target('one', 't1'), await machines.target('two', 't2')]
  const next = machines.manifest({ t1: { web: {}, db: {} }, t2: { api: {} } })
  const printed: string[] = []
  expect(await machines.deploy(next, targets)).toMatchObject({ kind: 'completed' })
  machines.calls()
  machines.events.length = 0
  const giveUp = (names: readonly string[], { dryRun = false } = {}) => {
    const place = join(machines.directory, 'coordinator')
    const lockUse = { profile: 'default' as ProfileName, leaseSeconds: 60, place, locking: 'join-or-take' } as const
    const print = async (text: string) => void printed.push(text)
    return abandon(targets, { ...machines.terms(), names, dryRun, lockUse, print })
  }
  return { machines, targets, next, printed, giveUp }
}

test.each(['web', 'web@t1'])('abandon() puts the record of %s aside, and calls no module', async (name) => {
  const { machines, targets, next, giveUp } = await scene()
  await giveUp([name])
  expect(machines.calls()).toEqual([])
  expect(machines.up().toSorted()).toEqual(['api', 'db', 'web'])
  expect(readdirSync(machines.records('one', 't1'))).toEqual(['db:db'])
  const aside = join(machines.directory, 'one/targets/t1/abandoned/default')
  const kept = join(readdirSync(aside)[0] ?? '', 'web:web')
  expect(readFileSync(join(aside, kept, 'record'), 'utf8')).toContain('\nname web\n')
  expect(machines.told()).toEqual([
    "note: gave up 'web' in 'web' on 't1': its module was not called, and davit will no longer stop it",
    "note: it may still run; on the target, `grep -lz '^DAVIT_KEY=web$' /proc/[0-9]*/environ` finds its processes",
    `note: its record is now '${join(aside, kept)}', its logs are still in '${machines.directory}/one/targets/t1/log'; its package is no longer kept, and a deployment that contains it starts it again`,
  ])
  expect(await machines.plan(next, targets)).toEqual(['activate web in web on t1 (new)'])
})

test('abandon() says what it would give up, several at once, and does nothing', async () => {
  const { machines, printed, giveUp } = await scene()
  await giveUp(['api', 'db'], { dryRun: true })
  expect(printed).toEqual(["give up 'db' in 'db' on 't1'\ngive up 'api' in 'api' on 't2'\n"])
  expect(readdirSync(machines.records('one', 't1')).toSorted()).toEqual(['db:db', 'web:web'])
})

test('abandon() gives up what has a damaged record', async () => {
  const { machines, targets, next, giveUp } = await scene()
  const records = machines.records('one', 't1')
  rmSync(join(records, 'web:web/record'))
  machines.edit(join(records, 'db:db/record'), /^entry .*/m, 'entry rubbish')
  await giveUp(['web', 'db@t1'])
  expect(readdirSync(records)).toEqual([])
  expect((await machines.plan(next, targets)).toSorted()).toEqual([
    'activate db in db on t1 (new)',
    'activate web in web on t1 (new)',
  ])
})

test('abandon() refuses names without a record, and lists the records', async () => {
  const { machines, giveUp } = await scene()
  const error = await giveUp(['web', 'apl', 'web@t2']).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(DavitError)
  const { diagnostics, hint } = error as DavitError
  expect(diagnostics.map((one) => `${one.message}: ${one.hint ?? ''}`)).toEqual([
    "no target has a record of 'apl': did you mean 'api'?",
    "no target has a record of 'web@t2': did you mean 'web@t1'?",
  ])
  expect(hint).toBe(
    "nothing was done; there are records of 'db' in 'db' on 't1', 'web' in 'web' on 't1', 'api' in 'api' on 't2'",
  )
  expect(existsSync(join(machines.directory, 'one/targets/t1/abandoned'))).toBe(false)
})
