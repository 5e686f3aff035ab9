import { encodeField } from '@davit/target-runtime'
import { describe, expect, test } from 'vitest'

import { deleteTasks } from '../src/state-runner.ts'
import type { Deletion } from '../src/delete-tasks.ts'
import { manifest, record, scene, stateful, tableMachine, type Told } from './scene.ts'

const ALL = manifest({ db: ['old', 'new'] }, { port: 1 })

/** The marker of the state of `db` on a target: `garbage` or `activated`, and what is known of its snapshots. */
const mark = (kind: string, ...facts: readonly string[]) => [`mark ${kind}`, ...facts]

interface Deleting {
  /** Markers on the old target and on the new one. */
  readonly marks?: Readonly<Record<string, readonly string[]>>
  /** Records on the new target. */
  readonly records?: readonly string[]
  /** Targets of the instances that take over the state. */
  readonly successors?: readonly string[]
  readonly when?: Deletion
  readonly discards?: boolean
  /** Status of the module of the new instance, or of the deletion. */
  readonly statuses?: Told['statuses']
}

const GARBAGE = mark('garbage', 'saved S1')
const TAKEN = { old: GARBAGE, new: mark('activated', 'restored S1') }

/** The machines of both targets; without the new one, its target cannot be asked. */
function machinesOf({ marks = TAKEN, statuses = {}, successors, ...terms }: Deleting) {
  const { records = record(ALL, 'db new', { declares: 'activate status' }) } = terms
  const machine = (place: string, own: readonly string[]) => {
    const answers = {
      observe: ['boot 1', ...own],
      state_marks: ([target = '']: readonly string[]) => marks[target] ?? [],
      resolve: (fields: readonly string[]) => fields.map(() => 'module /module activate'),
    }
    return tableMachine({ answers, statuses, place })
  }
  const old = machine('first', [])
  return successors?.includes('gone') === true ? { old } : { old, new: machine('second', records) }
}

/** Plans to delete the state of `db` on the old target, and deletes it. */
async function deleted(deleting: Deleting) {
  const { when, successors = ['new'], discards } = deleting
  const machines = machinesOf(deleting)
  const { scene: made, said } = scene(ALL, machines, { discards })
  const departure = { from: stateful(ALL, 'db old'), successors: successors.map(() => stateful(ALL, 'db new')) }
  const tasks = await deleteTasks([departure], made, when)
  const [step] = tasks.flatMap(({ steps }) => steps)
  const planned = step && [`${step.text} ${step.where}`, ...((await step.details?.()) ?? [])]
  return { planned, outcome: await step?.run(), said, asked: machines.old.asked }
}

const REMEDY =
  "; 'davit-migrate -o OLD' moves it there, in place of what is there now, or 'davit-delete-state --discard' deletes it all the same"

describe('deleteTasks()', () => {
  test('deletes the state that its successor has taken over, and that runs there', async () => {
    const { planned, outcome, said, asked } = await deleted({ statuses: { status: 0 } })
    expect([planned, outcome, said]).toEqual([['delete the state of db in box on old'], { kind: 'succeeded' }, []])
    expect(asked).toContain('collect-garbage')
  })

  test('deletes the state that nobody has taken over, since it has no successor', async () => {
    const { outcome } = await deleted({ successors: [], marks: { old: mark('garbage') } })
    expect(outcome).toEqual({ kind: 'succeeded' })
  })

  test.each([
    ['in use', mark('activated'), "note: [old] the state of 'db' is in use, and not deleted"],
    ['not known', [], "note: [old] there is no state of 'db' to delete"],
  ])('leaves state that is %s alone, and says so', async (_, old, message) => {
    const { planned, said } = await deleted({ marks: { ...TAKEN, old } })
    expect([planned, said]).toEqual([undefined, [message]])
  })

  test('plans to delete what is in use once a deployment has left it, and does not judge that before', async () => {
    const { planned, outcome, said } = await deleted({
      marks: { ...TAKEN, old: mark('activated') },
      when: 'once-deployed',
      records: [],
    })
    expect([planned, said]).toEqual([['delete the state of db in box on old'], []])
    expect(outcome).toMatchObject({ kind: 'failed' })
  })

  const refusals: readonly (readonly [what: string, Deleting, reason: string])[] = [
    [
      'was never saved',
      { marks: { ...TAKEN, old: mark('garbage') } },
      `there is no snapshot of it, as it was left, with which db in box on 'new' could have taken it over${REMEDY}`,
    ],
    [
      'was left to a successor that began anew',
      { marks: { ...TAKEN, new: mark('activated') } },
      `db in box on 'new' has not taken it over: it began anew${REMEDY}`,
    ],
    [
      'was left to a successor with other state',
      { marks: { ...TAKEN, new: mark('activated', 'restored S0') } },
      `db in box on 'new' has not taken it over: its state is from another snapshot${REMEDY}`,
    ],
    ['has a successor that is not active', { records: [] }, "db in box on 'new', which took it over, is not active"],
    [
      'has a successor that is being started',
      { records: record(ALL, 'db new', { state: 'activating' }) },
      "db in box on 'new', which took it over, is not active",
    ],
    [
      'has a successor that waits for its state',
      { records: record(ALL, 'db new', { more: [`field restore ${encodeField('S1')}`] }) },
      "db in box on 'new', which took it over, does not have the state yet",
    ],
    [
      'has a successor that does not run',
      { statuses: { status: 3 } },
      "db in box on 'new', which took it over, does not run",
    ],
    [
      'has a successor that cannot be asked',
      { successors: ['gone'] },
      "db in box on 'new', which took it over, cannot be asked",
    ],
  ]

  test.each(refusals)('keeps state that %s, and a plan says why', async (_, deleting, reason) => {
    const { planned, outcome, asked } = await deleted(deleting)
    expect(planned).toEqual(['delete the state of db in box on old', `not yet: ${reason}`])
    expect([outcome, asked.includes('collect-garbage')]).toEqual([{ kind: 'failed', message: reason }, false])
  })

  test('deletes state that was not taken over, if it may be discarded, but not before its successor runs', async () => {
    const marks = { ...TAKEN, new: mark('activated') }
    expect((await deleted({ marks, discards: true, statuses: { status: 0 } })).outcome).toEqual({ kind: 'succeeded' })
    expect((await deleted({ marks, discards: true, records: [] })).outcome).toMatchObject({
      message: "db in box on 'new', which took it over, is not active",
    })
  })

  test('says nothing of what is not known yet while state still moves', async () => {
    const { planned } = await deleted({ records: [], when: 'once-moved' })
    expect(planned).toEqual(['delete the state of db in box on old'])
  })

  test('reports what the module of the old instance says when it fails', async () => {
    const { outcome } = await deleted({ statuses: { status: 0, 'collect-garbage': 5 } })
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('5') })
  })
})
