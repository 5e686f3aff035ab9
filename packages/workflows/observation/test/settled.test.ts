import { DavitError } from '@davit/diagnostics'
import { describe, expect, test } from 'vitest'

import { findDeployed, settledObservation, type SettlingTerms } from '../src/observation.ts'
import { manifest, PROFILE, type Recorded, recordsOf, reports, tableMachine, target, type Told } from './scene.ts'

const WEB = manifest({ placed: { web: ['t1'] } })
const RUNNING: Partial<Recorded> = { running: true, state: 'activating', activity: 'activate' }

/** What is reported and asked while a machine settles. */
async function settled(told: Told, terms: Partial<SettlingTerms> = {}) {
  const { report, lines } = reports()
  const machine = tableMachine(told)
  const { signal } = new AbortController()
  const defaults = { profile: PROFILE, report, signal, running: 'wait' } as const
  const observation = await settledObservation(machine, { ...defaults, ...terms })
  return { asked: machine.asked, lines, running: observation.records.filter(({ running }) => running).length }
}

describe('settledObservation()', () => {
  test('observes once if nothing runs', async () => {
    expect(await settled({ records: recordsOf(WEB, 't1') })).toEqual({ asked: ['observe'], lines: [], running: 0 })
  })

  test('waits for an activity of an earlier run, says so, and observes again', async () => {
    expect(await settled({ records: recordsOf(WEB, 't1', RUNNING) })).toEqual({
      asked: ['observe', 'await t1 activate 0 box key-web', 'observe'],
      lines: ['note: [t1] waiting for an activity of an earlier run: activate web in box'],
      running: 0,
    })
  })

  test('gives an activity of an earlier run the time limit of this one', async () => {
    const { asked } = await settled({ records: recordsOf(WEB, 't1', RUNNING) }, { timeoutSeconds: 9 })
    expect(asked[1]).toBe('await t1 activate 9 box key-web')
  })

  test.each<readonly [string, Partial<Recorded>, string, string]>([
    ['by the intention of its record', { state: 'deactivating' }, 'deactivate', 'deactivate web in box'],
    ['as lock or unlock where a record of an earlier version is active', {}, 'activate', 'lock or unlock web in box'],
    ['by its own name', { activity: 'snapshot' }, 'snapshot', 'snapshot web in box'],
    [
      'also where the record is damaged',
      { state: 'deactivating', lacks: ['boot'] },
      'deactivate',
      'deactivate web in box',
    ],
    [
      'by its key where the record has lost its name',
      { activity: 'restore', lacks: ['container'] },
      'restore',
      'restore key-web in box',
    ],
  ])('names an activity that still runs %s', async (_, record, awaited, step) => {
    const { asked, lines } = await settled({ records: recordsOf(WEB, 't1', { running: true, ...record }) })
    expect([asked[1], lines]).toEqual([
      `await t1 ${awaited} 0 box key-web`,
      [`note: [t1] waiting for an activity of an earlier run: ${step}`],
    ])
  })

  test('waits for all activities of a machine at the same time', async () => {
    const both = manifest({ placed: { web: ['t1'], api: ['t1'] } })
    let begun = 0
    let open = () => {}
    const together = new Promise<void>((resolve) => (open = resolve))
    const before = async (operation: string) => {
      if (operation !== 'await') return
      begun += 1
      if (begun === 2) open()
      await together
    }
    const { asked } = await settled({ records: recordsOf(both, 't1', RUNNING), before })
    expect(asked.map((one) => one.split(' ')[0])).toEqual(['observe', 'await', 'await', 'observe'])
  })

  test('waits for nothing if it is only to tell what is there', async () => {
    const told = { records: recordsOf(WEB, 't1', RUNNING) }
    expect(await settled(told, { running: 'tell' })).toEqual({ asked: ['observe'], lines: [], running: 1 })
  })

  test('says that an earlier deployment is not confirmed, if it is not to wait for that', async () => {
    const { lines } = await settled({ lines: ['trial /state/targets/t1/trials/default'] }, { running: 'tell' })
    expect(lines).toEqual([
      'warning: [t1] an earlier deployment of this target is not confirmed, and the target may go back to what it ran before',
    ])
  })

  test('ends its waiting when it is interrupted', async () => {
    const interruption = new AbortController()
    const reason = new DavitError('interrupted', 'interrupted by SIGTERM', { exitStatus: 143 })
    const before = async (operation: string) => {
      if (operation !== 'await') return
      interruption.abort(reason)
      await new Promise(() => {})
    }
    const told = { records: recordsOf(WEB, 't1', RUNNING), before }
    await expect(settled(told, { signal: interruption.signal })).rejects.toBe(reason)
  })

  test('fails with the error of a machine that is lost meanwhile', async () => {
    const lost = new DavitError('connection-lost', 'it is gone')
    const before = async (operation: string) => {
      if (operation === 'await') throw lost
    }
    await expect(settled({ records: recordsOf(WEB, 't1', RUNNING), before })).rejects.toBe(lost)
  })
})

describe('findDeployed()', () => {
  test('finds services and deployments, whether or not they run, and neither waits nor asks', async () => {
    const both = manifest({ placed: { web: ['t1', 't2'], api: ['t1'] } })
    const running = recordsOf(both, 't1', { ...RUNNING, declares: 'status' })
    const machine = tableMachine({
      records: [...running, ...recordsOf(both, 't2', { lacks: ['entry'] })],
      profiles: ['earlier'],
      lines: ['other t1 theirs/box:key-web /store/web web'],
    })
    const found = await findDeployed([target('t1', machine), target('t2', machine)], PROFILE)
    expect(found.services).toEqual([
      { target: 't1', key: 'key-web', name: 'web' },
      { target: 't1', key: 'key-api', name: 'api' },
      { target: 't2', key: 'key-web', name: 'web' },
    ])
    expect([...found.profiles]).toEqual(['earlier', 'theirs', 'default'])
    expect(machine.asked).toEqual(['observe'])
  })

  test('names a service by its key if its record has lost the name', async () => {
    const machine = tableMachine({ records: recordsOf(WEB, 't1', { lacks: ['module', 'container'] }) })
    expect((await findDeployed([target('t1', machine)], PROFILE)).services).toMatchObject([{ name: 'key-web' }])
  })

  test('does not count a deployment without services that was never set', async () => {
    const found = await findDeployed([target('t1', tableMachine({}))], PROFILE)
    expect([found.services, [...found.profiles]]).toEqual([[], []])
  })
})
