import { refusalFor } from '@davit/target'
import { describe, expect, test } from 'vitest'

import { recordsByState, restoreTasks, RESTORES_FIRST } from '../src/state-runner.ts'
import { manifest, record, scene, stateful, tableMachine, type Told } from './scene.ts'

const ALL = manifest({ db: ['t1'] })
const SNAPSHOT = { container: 'box', component: 'db', generation: 1, name: 'S1', facts: { bytes: 2048 } }
const USUAL = 'activate deactivate snapshot restore'
const STOPPED = `${USUAL} ${RESTORES_FIRST}`

interface Restoring extends Pick<Told, 'statuses' | 'before'> {
  /** Target on which the snapshot was taken. */
  readonly takenOn?: string
  readonly lines?: readonly string[]
  readonly discards?: boolean
}

/** Restores the state of `db` on `t1`: returns the plan, how that ended, and the activities in their order. */
async function restored({
  lines = record(ALL, 'db t1', { declares: USUAL }),
  discards,
  takenOn = 't9',
  ...told
}: Restoring) {
  const answers = {
    observe: ['boot 1', ...lines],
    resolve: (fields: readonly string[]) => fields.map(() => 'module /module activate'),
  }
  const machine = tableMachine({ answers, ...told })
  const { scene: made, said } = scene(ALL, { t1: machine }, { discards })
  const [task] = restoreTasks(
    [{ to: stateful(ALL, 'db t1'), target: takenOn as never, component: SNAPSHOT, snapshot: SNAPSHOT }],
    made,
    { restoring: 'restore', records: await recordsByState(made), generations: 'latest', keep: undefined },
  )
  const steps = task?.steps ?? []
  const plan = await Promise.all(
    steps.map(async ({ text, where, details }) => [`${text} ${where}`, ...((await details?.()) ?? [])].join('; ')),
  )
  const restore = steps.find(({ kind }) => kind === 'restore')
  const outcome = await restore?.run().catch((error: unknown) => error)
  const activities = machine.asked.filter((one) => ['activate', 'deactivate', 'restore', 'replace'].includes(one))
  return { plan, outcome, said, activities }
}

describe('restoreTasks()', () => {
  test('plans to send a snapshot, with its size and origin, and to restore it', async () => {
    const { plan } = await restored({})
    expect(plan).toEqual(['send the snapshot of db in box to t1; S1, 2048 B; taken on t9', 'restore db in box on t1'])
    const own = await restored({ takenOn: 't1' })
    expect(own.plan[0]).toBe('send the snapshot of db in box to t1; S1, 2048 B')
  })

  test('says that a service is stopped meanwhile', async () => {
    expect((await restored({ lines: record(ALL, 'db t1', { declares: STOPPED }) })).plan.at(-1)).toBe(
      'restore db in box on t1; it is stopped meanwhile',
    )
  })

  test('restores a service without stopping it, if its module needs no more', async () => {
    const { outcome, activities } = await restored({})
    expect([outcome, activities]).toEqual([{ kind: 'succeeded' }, ['restore']])
  })

  test('restores a service that is not active', async () => {
    const { plan, outcome, activities } = await restored({ lines: [] })
    expect([plan.at(-1), outcome, activities]).toEqual(['restore db in box on t1', { kind: 'succeeded' }, ['restore']])
  })

  test('does not touch a service while an activity of it is running', async () => {
    const lines = record(ALL, 'db t1').map((line) => line.replace(' active ended ', ' active running '))
    const { outcome, activities } = await restored({ lines })
    expect([outcome, activities]).toEqual([
      { kind: 'failed', message: 'an activity of this service is still running; try again when it has ended' },
      [],
    ])
  })

  test('replaces nothing that cannot be saved before, unless it may be discarded', async () => {
    const lines = record(ALL, 'db t1', { declares: 'activate deactivate restore' })
    const refused = await restored({ lines })
    expect([refused.outcome, refused.activities]).toEqual([
      { kind: 'failed', message: expect.stringMatching(/^what is there now cannot be saved, so it is not replaced: /) },
      [],
    ])
    expect((await restored({ lines, discards: true })).outcome).toEqual({ kind: 'succeeded' })
  })
})

describe('a service that is stopped while its state is replaced', () => {
  const stopped = (told: Restoring = {}) => restored({ ...told, lines: record(ALL, 'db t1', { declares: STOPPED }) })

  test('is started again', async () => {
    const { outcome, activities, said } = await stopped()
    expect([outcome, activities]).toEqual([{ kind: 'succeeded' }, ['deactivate', 'restore', 'activate']])
    expect(said).toEqual(
      ['deactivate', 'activate'].flatMap((one) => [`started: ${one} db in box`, `finished: ${one} db in box`]),
    )
  })

  test('is started again as it was if it cannot be stopped, and nothing is restored', async () => {
    const { outcome, activities } = await stopped({ statuses: { deactivate: 3 } })
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringMatching(/^it cannot be stopped: /) })
    expect(activities).toEqual(['deactivate', 'activate'])
  })

  test('is started again if nothing was restored', async () => {
    const { outcome, activities } = await stopped({ statuses: { restore: 3 } })
    expect([outcome, activities]).toMatchObject([{ kind: 'failed' }, ['deactivate', 'restore', 'activate']])
  })

  test('counts as lost for now if it cannot be started again, with what had failed before', async () => {
    const { outcome } = await stopped({ statuses: { activate: 3 } })
    expect(outcome).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/^it cannot be started again \(the next davit-env does\): /),
    })
    expect((await stopped({ statuses: { restore: 4, activate: 3 } })).outcome).toMatchObject({
      message: expect.stringMatching(/ 4.*; then it cannot be started again \(the next davit-env does\): /),
    })
  })

  test('is not started again once the lock is lost', async () => {
    const lost = refusalFor('lock-lost', { said: 'somebody else has it', lines: [] })
    const before = (operation: string) => {
      if (operation === 'restore') throw lost
    }
    const { outcome, activities } = await stopped({ before })
    expect([outcome, activities]).toEqual([lost, ['deactivate', 'restore']])
  })
})
