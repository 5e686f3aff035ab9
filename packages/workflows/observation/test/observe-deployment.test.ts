import { DavitError } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { encodeField } from '@davit/target-runtime'
import { targetLabelOf } from '@davit/transition'
import { describe, expect, test } from 'vitest'

import { type Deployed, deployedBy, type ObservationTerms, observeDeployment } from '../src/observation.ts'
import { manifest, PROFILE, recordsOf, reports, tableMachine, type TableMachine, type Told, target } from './scene.ts'

const hexadecimal = (text: string) => Buffer.from(text).toString('hex')
const silent = reports()

function observe(
  targets: Readonly<Record<string, TableMachine>>,
  next: Manifest,
  terms: Partial<ObservationTerms> = {},
): Promise<Deployed> {
  const { signal } = new AbortController()
  const defaults = { profile: PROFILE, previous: undefined, running: 'tell', report: silent.report, signal } as const
  return observeDeployment(
    Object.entries(targets).map(([name, machine]) => target(name, machine)),
    next,
    { ...defaults, ...terms },
  )
}

/** What was observed, a line each: the service, the target, its state, and the doubt. */
const lines = ({ observed }: Deployed) =>
  observed.map((one) => [one.service.name, targetLabelOf(one), one.state, one.doubt ?? ''].join(' ').trimEnd())

describe('observeDeployment()', () => {
  test('finds what the records of all machines have, and asks each machine once', async () => {
    const next = manifest({ placed: { web: ['t1', 't2'], api: ['t3'] } })
    const both = { records: [...recordsOf(next, 't1'), ...recordsOf(next, 't2')] }
    const [one, third] = [tableMachine(both), tableMachine({ records: recordsOf(next, 't3'), place: 'other' })]
    const deployed = await observe({ t1: one, t2: one, t3: third }, next)
    expect(lines(deployed)).toEqual(['web t1 active', 'web t2 active', 'api t3 active'])
    expect([...deployed.places].map(([name, { machine }]) => [name, machine.address])).toEqual([
      ['t1', 'here'],
      ['t2', 'here'],
      ['t3', 'other'],
    ])
    expect([one, third].map(({ asked }) => asked.filter((word) => word === 'observe'))).toEqual([
      ['observe'],
      ['observe'],
    ])
    expect(deployed).toMatchObject({
      renamed: [],
      neighbours: [],
      originals: [],
      unusable: [],
      asked: [],
      warnings: [],
    })
  })

  test('asks all machines at the same time', async () => {
    const next = manifest({ placed: { web: ['t1', 't2'] } })
    let begun = 0
    let open = () => {}
    const both = new Promise<void>((resolve) => (open = resolve))
    const before = async () => {
      begun += 1
      if (begun === 2) open()
      await both
    }
    const machines = ['t1', 't2'].map((name) => tableMachine({ records: recordsOf(next, name), place: name, before }))
    expect(lines(await observe({ t1: machines[0]!, t2: machines[1]! }, next))).toEqual([
      'web t1 active',
      'web t2 active',
    ])
  })

  test('fails as a whole if one machine does, with the error of that machine', async () => {
    const next = manifest({ placed: { web: ['t1', 't2'] } })
    const lost = new DavitError('connection-lost', 'it is gone')
    const failing = tableMachine({ place: 'other', before: () => Promise.reject(lost) })
    await expect(observe({ t1: tableMachine({}), t2: failing }, next)).rejects.toBe(lost)
  })

  test.each([
    ['sends what it does not understand', ['rubbish']],
    ['sends a fact without a record', ['field format 1']],
  ])('refuses the answer of a machine that %s', async (_, answer) => {
    const liar = tableMachine({ lines: answer, address: 'liar' })
    await expect(observe({ t1: liar }, manifest({ placed: {}, targets: ['t1'] }))).rejects.toMatchObject({
      code: 'bad-answer',
      message: "'liar' sent an answer that davit does not understand",
      exitStatus: 69,
    })
  })

  test('calls targets blank whose machines know nothing of the deployment', async () => {
    const next = manifest({ placed: { web: ['t1'] }, targets: ['t2', 't3', 't4', 't5'] })
    const places: Readonly<Record<string, Told>> = {
      t1: { records: recordsOf(next, 't1') },
      t2: { profiles: ['default'] },
      t3: { profiles: ['another'] },
      t4: { records: recordsOf(next, 't1', { target: 't4', lacks: ['module'] }) },
    }
    const machines = Object.entries(places).map(
      ([name, told]) => [name, tableMachine({ ...told, place: name })] as const,
    )
    const empty = tableMachine({ place: 't5' })
    const { blank } = await observe({ ...Object.fromEntries(machines), t5: empty, t6: empty }, next)
    expect([...blank]).toEqual(['t3', 't5', 't6'])
  })

  test('finds what other deployments, and Disnix, have on the machines', async () => {
    const path = `/nix/store/${'0'.repeat(32)}-original`
    const machine = tableMachine({
      address: 'shared',
      lines: [
        `other t1 theirs/box:key-web ${encodeField('/store/web')} ${encodeField('web')}`,
        `original free default ${hexadecimal(path)} -`,
        `locked ${hexadecimal('/tmp/disnix-default.lock')}`,
      ],
    })
    const next = manifest({ placed: {}, targets: ['t1', 't2'] })
    const deployed = await observe({ t1: machine, t2: machine }, next)
    expect(deployed.neighbours).toMatchObject([
      { machine: { address: 'shared' }, record: { profile: 'theirs', target: 't1', name: 'web', pkg: '/store/web' } },
    ])
    expect(deployed.originals).toMatchObject([{ machine: { address: 'shared' }, original: { path, isLocked: false } }])
    // The first target of a machine stands for all of them.
    expect([...(deployed.originalLocks ?? [])]).toEqual([['t1', '/tmp/disnix-default.lock']])
  })

  test('names files that davit did not write, and leaves them alone', async () => {
    const machine = tableMachine({ lines: [`strange ${hexadecimal('/state/not ours')}`] })
    const { warnings } = await observe({ t1: machine }, manifest({ placed: {}, targets: ['t1'] }))
    expect(warnings).toMatchObject([
      {
        code: 'not-a-record',
        message: "skipping '/state/not ours': it is among the records, but davit did not write it; remove it",
      },
    ])
  })
})

describe('the target of a record', () => {
  const next = manifest({ placed: { web: ['new'] } })
  const recorded = (name: string) => recordsOf(next, 'new', { target: name })

  test('that has another name now is a place of its own, of the machine with the record', async () => {
    const deployed = await observe({ new: tableMachine({ records: recorded('old'), address: 'desk' }) }, next)
    expect(lines(deployed)).toEqual(['web old active'])
    expect(deployed.renamed.map(({ name, machine }) => [name, machine.address])).toEqual([['old', 'desk']])
  })

  test('is not the machine that has this name now', async () => {
    const before = tableMachine({ records: recorded('t2'), place: 'one', address: 'first' })
    const deployed = await observe({ t1: before, t2: tableMachine({ place: 'two' }) }, next)
    expect(lines(deployed)).toEqual(['web t2@first active'])
    expect(deployed.renamed.map(({ name, machine }) => [name, machine.address])).toEqual([['t2', 'first']])
  })

  test('is distinguished from others of the same name by the boots of machines with the same address', async () => {
    const at = (place: string) => tableMachine({ records: recorded('t3'), place, address: 'nat', boot: place })
    const deployed = await observe({ t1: at('b1'), t2: at('b2'), t3: tableMachine({ place: 'b3' }) }, next)
    expect(lines(deployed)).toEqual(['web t3@nat active', 'web t3@nat (b2) active'])
  })
})

describe('a record that somebody has damaged', () => {
  const before = manifest({ placed: { web: ['t1'] } })
  const [without, empty] = [['boot'], ['format', 'module', 'pkg', 'name', 'container', 'service', 'entry', 'boot']]
  const damaged = (lacks: readonly string[]) => tableMachine({ records: recordsOf(before, 't1', { lacks }) })

  test('is in doubt, and is described as the next manifest has it', async () => {
    const deployed = await observe({ t1: damaged(empty) }, before)
    expect(lines(deployed)).toEqual(['web t1 active damaged'])
    expect([deployed.observed[0]?.definition?.module, deployed.warnings]).toEqual([
      `/store/${'0'.repeat(32)}-profile-1/modules/plain`,
      [],
    ])
  })

  test('is described as the last generation has it, if the next manifest lacks it', async () => {
    const next = manifest({ placed: {}, targets: ['t1'] })
    const deployed = await observe({ t1: damaged(empty) }, next, { previous: before })
    expect([lines(deployed), deployed.unusable]).toEqual([['web t1 active damaged'], []])
    expect(deployed.observed[0]?.definition?.service.name).toBe('web')
  })

  test('is described as it describes itself, if no manifest has it', async () => {
    const deployed = await observe({ t1: damaged(without) }, manifest({ placed: {}, targets: ['t1'] }))
    expect(lines(deployed)).toEqual(['web t1 active damaged'])
    expect(deployed.observed[0]?.definition).toBeUndefined()
  })

  test('is skipped with a warning, if nothing tells how to stop its service', async () => {
    const deployed = await observe({ t1: damaged(['module', 'boot']) }, manifest({ placed: {}, targets: ['t1'] }))
    expect([lines(deployed), deployed.unusable.map(({ key }) => key)]).toEqual([[], ['key-web']])
    expect(deployed.warnings).toMatchObject([
      {
        code: 'record-unusable',
        message:
          "skipping 'key-web' in 'box' on target 't1': cannot tell how to stop it, since its record " +
          "'/state/targets/t1/active/default/box:key-web/record' is damaged: it lacks module, boot; stop it by hand, then run 'davit-env --abandon key-web'",
      },
    ])
  })
})

test('deployedBy() takes a manifest for what is active, on the targets that the next one has', () => {
  const old = manifest({ placed: { web: ['t1', 't2'], api: ['t1'] } })
  const targets = [target('t1', tableMachine({}))]
  const deployed = deployedBy(old, { targets, next: manifest({ placed: {}, targets: ['t1'] }) })
  expect(lines(deployed)).toEqual(['api t1 active', 'web t1 active'])
  expect(deployed.observed.map(({ definition }) => definition?.service.name)).toEqual(['api', 'web'])
  expect([...deployed.places.values()]).toEqual(targets)
  expect([deployed.blank.size, deployed.warnings]).toEqual([0, []])
})
