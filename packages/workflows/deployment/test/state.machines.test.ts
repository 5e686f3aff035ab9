import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Manifest, mappingIdOf, type TargetName } from '@davit/documents'
import { listSnapshots } from '@davit/target'
import { sampleOf } from '@davit/testing/effort'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { StatefulMachines } from './state-scene.ts'

let machines: StatefulMachines
beforeEach(async () => {
  machines = await StatefulMachines.open()
})
afterEach(() => machines.close())

const declare = (more: readonly string[], without?: readonly string[]) => machines.declare(more, without)
const state = (target: string) => machines.state(target)
const read = (target: string) => machines.read(target)
const fail = (what: string) => machines.fail(what)
const systemOn = (target: string) => machines.systemOn(target)
const planned = (migration?: 'none' | 'move-and-restore') => machines.planned(migration)

async function deploy(next: Manifest, more: object = {}) {
  machines.calls()
  return machines.deploy(next, machines.targets, { ...planned(), ...more })
}

describe('the state of a service', () => {
  test('moves with it, before anybody is served, and stays behind as garbage', async () => {
    const before = systemOn('t1')
    expect(await deploy(before)).toMatchObject({ kind: 'completed' })
    writeFileSync(state('t1'), 'rows')
    expect(await deploy(systemOn('t2'), { previous: before })).toMatchObject({ kind: 'completed' })
    expect(machines.calls()).toEqual([
      'deactivate app on t3',
      'deactivate db on t1',
      'snapshot db on t1',
      'activate db on t2',
      'snapshot db on t2',
      'restore db on t2',
      'activate app on t3',
    ])
    expect([read('t1'), read('t2')]).toEqual(['rows', 'rows'])
    expect(existsSync(join(machines.directory, 't1/targets/t1/dysnomia/garbage/db/db'))).toBe(true)
    expect(existsSync(join(machines.directory, 't2/targets/t2/dysnomia/activated/db/db'))).toBe(true)
    expect(await machines.plan(systemOn('t2'), machines.targets, { ...planned(), previous: systemOn('t2') })).toEqual([
      'nothing to do',
    ])
  })

  test('is restored before its service is activated where the module says so', async () => {
    declare(['restore-first'])
    await deploy(systemOn('t1'))
    writeFileSync(state('t1'), 'rows')
    const next = systemOn('t2')
    expect(await machines.plan(next, machines.targets, { ...planned(), previous: systemOn('t1') })).toEqual([
      'deactivate app in app on t3 (changed dependency: db)',
      'deactivate db in db on t1 (moved to t2)',
      'snapshot db in db on t1 (moved to t2)',
      'transfer the state of db in db to t2 from t1 (moved to t2)',
      'restore db in db on t2 (moved from t1)',
      'activate db in db on t2 (moved from t1)',
      'activate app in app on t3 (changed dependency: db)',
    ])
    await deploy(next, { previous: systemOn('t1') })
    expect(machines.calls().slice(-4)).toEqual([
      'snapshot db on t2',
      'restore db on t2',
      'activate db on t2',
      'activate app on t3',
    ])
    expect(read('t2')).toBe('rows')
  })

  test('is left alone where it stays, and where nobody wants it to move', async () => {
    await deploy(systemOn('t1'))
    writeFileSync(state('t1'), 'rows')
    await deploy(systemOn('t2'), { previous: systemOn('t1'), ...planned('none') })
    expect(machines.calls().join('\n')).not.toMatch(/snapshot|restore/)
    expect([read('t1'), read('t2')]).toEqual(['rows', 'fresh\n'])
  })

  test.each(sampleOf(['deactivate-db-t1', 'snapshot-db-t1', 'activate-db-t2', 'restore-db-t2', 'activate-app-t3'], 2))(
    'is untouched after %s has failed, and the old service runs again',
    async (what) => {
      const before = systemOn('t1')
      await deploy(before)
      writeFileSync(state('t1'), 'rows')
      fail(what)
      const kind = what === 'activate-app-t3' ? 'old-services-lost' : 'rolled-back'
      expect(await deploy(systemOn('t2'), { previous: before })).toMatchObject({ kind })
      expect(read('t1')).toBe('rows')
      expect(existsSync(join(machines.directory, 'up-t1'))).toBe(true)
      expect(existsSync(join(machines.directory, 'up-t2'))).toBe(false)
      rmSync(join(machines.directory, `fail-${what}`))
      expect(await deploy(systemOn('t2'), { previous: before })).toMatchObject({ kind: 'completed' })
      expect(read('t2')).toBe('rows')
    },
  )

  test('that is replaced is saved before, and if that fails nothing is replaced', async () => {
    declare(['restore-first'])
    await deploy(systemOn('t1'))
    writeFileSync(state('t2'), 'foreign')
    fail('snapshot-db-t2')
    expect(await deploy(systemOn('t2'), { previous: systemOn('t1') })).toMatchObject({ kind: 'rolled-back' })
    expect(JSON.stringify(machines.events)).toContain('what is there now cannot be saved, so it is not replaced: ')
    expect(read('t2')).toBe('foreign')
    rmSync(join(machines.directory, 'fail-snapshot-db-t2'))
    expect(await deploy(systemOn('t2'), { previous: systemOn('t1') })).toMatchObject({ kind: 'completed' })
    expect(read('t2')).toBe('fresh\n')
    const store = { machine: await machines.stateMachines().on(machines.targets[1]!), place: 'targets/t2' }
    const kept = await listSnapshots(store, { container: 'db', component: 'db' })
    expect(kept.slice(-2).map(({ facts }) => facts.bytes)).toEqual(['foreign'.length, 'fresh\n'.length])
  })

  test.each(sampleOf([[[]], [['restore-first']]], 1))(
    'that its module cannot save before it is replaced is only replaced where there was none: %j',
    async (more) => {
      const empty = machines.manifest({ t1: {}, t2: {}, t3: {} })
      declare(more)
      await deploy(systemOn('t1'))
      writeFileSync(state('t1'), 'rows')
      await deploy(empty, { previous: systemOn('t1') })
      declare(more, ['snapshot'])
      writeFileSync(state('t1'), 'more rows')
      const again = (target: string) => deploy(systemOn(target), { previous: empty, ...planned('move-and-restore') })
      expect(await again('t1')).toMatchObject({ kind: 'rolled-back' })
      expect(JSON.stringify(machines.events)).toContain('so it is not replaced: its module takes no snapshots')
      expect(read('t1')).toBe('more rows')
      fail('restore-db-t2')
      expect(await again('t2')).toMatchObject({ kind: 'rolled-back' })
      rmSync(join(machines.directory, 'fail-restore-db-t2'))
      expect(await again('t2')).toMatchObject({ kind: 'completed' })
      expect(read('t2')).toBe('rows')
      await deploy(empty, { previous: systemOn('t2') })
      expect(await again('t2')).toMatchObject({ kind: 'rolled-back' })
    },
  )

  test('stays where it is without an upgrade, which is told', async () => {
    await deploy(systemOn('t1'))
    await deploy(systemOn('t2'), { previous: systemOn('t1'), upgrade: 'activate-only' })
    expect(JSON.stringify(machines.events)).toContain("'db' begins here without its state, which stays on 't1'")
  })

  test('moves as well if it did not when its service was activated', async () => {
    await deploy({ ...systemOn('t1'), snapshotMappings: [] })
    writeFileSync(state('t1'), 'rows')
    await deploy(systemOn('t1'), { previous: { ...systemOn('t1'), snapshotMappings: [] } })
    await deploy(systemOn('t2'), { previous: systemOn('t1') })
    expect(read('t2')).toBe('rows')
  })

  test('that was restored is not restored again after a rollback', async () => {
    await deploy(systemOn('t1'))
    await deploy(systemOn('t2'), { previous: systemOn('t1') })
    writeFileSync(state('t2'), 'newer')
    fail('activate-db-t3')
    expect(await deploy(systemOn('t3'), { previous: systemOn('t2') })).toMatchObject({ kind: 'rolled-back' })
    expect(await machines.plan(systemOn('t2'), machines.targets, { ...planned(), previous: systemOn('t2') })).toEqual([
      'nothing to do',
    ])
    await deploy(systemOn('t2'), { previous: systemOn('t2') })
    expect(read('t2')).toBe('newer')
  })

  test('is kept when the service is removed, and comes back only if asked for', async () => {
    const empty = machines.manifest({ t1: {}, t2: {}, t3: {} })
    await deploy(systemOn('t1'))
    writeFileSync(state('t1'), 'rows')
    await deploy(empty, { previous: systemOn('t1') })
    expect(machines.calls()).toContain('snapshot db on t1')
    await deploy(systemOn('t2'), { previous: empty })
    expect(read('t2')).toBe('fresh\n')
    expect(JSON.stringify(machines.events)).toMatch(/--restore restores it/)
    await deploy(empty, { previous: systemOn('t2') })
    rmSync(state('t2'))
    await deploy(systemOn('t3'), { previous: empty, ...planned('move-and-restore') })
    expect(read('t3')).toBe('fresh\n')
  })

  test('is restored by the next run if this one was killed in between', async () => {
    const before = systemOn('t1')
    await deploy(before)
    writeFileSync(state('t1'), 'rows')
    const next = systemOn('t2')
    await machines.deployUntil('restore-db-t2', next, before)
    const terms = { ...machines.terms({ previous: before }), ...planned() }
    expect(await machines.plan(next, machines.targets, terms)).toEqual([
      "no record of service 'db' is left on target 't1': if it still runs, stop it by hand",
      'restore db in db on t2 (its state was not restored yet)',
      'activate app in app on t3 (changed dependency: db)',
    ])
    await deploy(next, { previous: before })
    expect(read('t2')).toBe('rows')
    expect(await machines.plan(next, machines.targets, { ...planned(), previous: before })).toContain('nothing to do')
  })

  test.each(sampleOf(['here/coordinator', 't1/targets'], 1))(
    'that was transferred and is damaged before the next run restores it comes again, without what was in %s',
    async (other) => {
      const before = systemOn('t1')
      await deploy(before)
      writeFileSync(state('t1'), 'rows')
      await machines.deployUntil('restore-db-t2', systemOn('t2'), before)
      const [name = ''] = readdirSync(join(machines.directory, 't1/targets/t1/dysnomia/snapshots/db/db'))
      const snapshots = join(machines.directory, 't2/targets/t2/dysnomia/snapshots/db/db', name)
      const archive = readdirSync(snapshots, { recursive: true, encoding: 'utf8' }).find((name) =>
        name.includes('.tar'),
      )
      writeFileSync(join(snapshots, archive ?? ''), 'x')
      rmSync(join(machines.directory, other), { recursive: true })
      expect(await deploy(systemOn('t2'), { previous: before })).toMatchObject({ kind: 'completed' })
      expect(read('t2')).toBe('rows')
      expect(JSON.stringify(machines.events)).toMatch(
        /snapshots of 'db' were damaged, and were moved aside: [0-9a-f]{12}/,
      )
    },
  )

  test('that was lost with a disk begins anew, or with what the coordinator keeps if that is asked for', async () => {
    await deploy(systemOn('t1'))
    writeFileSync(state('t1'), 'rows')
    const previous = systemOn('t2')
    await deploy(previous, { previous: systemOn('t1') })
    rmSync(join(machines.directory, 't2/targets'), { recursive: true })
    rmSync(state('t2'))
    expect(await machines.plan(previous, machines.targets, { ...planned(), previous })).toContain(
      "[t2] a snapshot of an earlier deployment of 'db' is kept, and not restored: --restore restores it",
    )
    expect(await deploy(previous, { previous, ...planned('move-and-restore') })).toMatchObject({ kind: 'completed' })
    expect(read('t2')).toBe('rows')
  })

  test('cannot belong to two deployments, though their packages differ', async () => {
    await deploy(systemOn('t1'))
    const later = systemOn('t1')
    const services = [...later.services].map(([key, service]) => [
      key,
      { ...service, pkg: service.pkg.replace('/0', '/1') },
    ])
    const next: Manifest = { ...later, services: new Map(services as never) }
    const other = { profile: 'other', ...planned() }
    await expect(deploy(next, other)).rejects.toMatchObject({
      code: 'conflict',
      diagnostics: [{ message: "'db' of profile 'default' has the same state as 'db' in 'db' on 't1'" }],
    })
    expect(await deploy({ ...next, snapshotMappings: [] }, other)).toMatchObject({ kind: 'completed' })
  })

  test('cannot belong to two services', async () => {
    const manifest = systemOn('t1')
    const [mapping] = manifest.snapshotMappings
    const db = manifest.services.get('db' as never)
    const services: Manifest['services'] = new Map([
      ...manifest.services,
      ['db2' as never, { ...db, name: 'db2' } as never],
    ])
    const snapshotMappings = [mapping, { ...mapping, service: 'db2' }] as never
    await expect(deploy({ ...manifest, services, snapshotMappings })).rejects.toMatchObject({
      code: 'conflict',
      exitStatus: 65,
      diagnostics: [{ message: "'db' and 'db2' are both the component 'db' in 'db' on 't1'" }],
    })
  })

  test('of two services is swapped', async () => {
    const swap = (first: string, second: string) => {
      const manifest = machines.manifest({ [first]: { db: {} }, [second]: { other: {} }, t3: {} })
      const snapshotMappings = manifest.serviceMappings.map((one) => ({ ...one, component: one.service }))
      return { ...manifest, snapshotMappings }
    }
    await deploy(swap('t1', 't2'))
    writeFileSync(state('t1'), 'rows')
    expect(await deploy(swap('t2', 't1'), { previous: swap('t1', 't2') })).toMatchObject({ kind: 'completed' })
    expect(read('t2')).toBe('rows')
  })

  test('that its module does not keep stays where it was, and that is said once', async () => {
    declare([], ['snapshot'])
    await deploy(systemOn('t1'))
    const kept = () => JSON.stringify(machines.events).match(/[^"]*keeps no snapshot of it|[^"]*Skip state[^"]*/g)
    expect(await deploy(systemOn('t2'), { previous: systemOn('t1') })).toMatchObject({ kind: 'completed' })
    expect(kept()).toEqual(["the state of 'db' stays here, since its module keeps no snapshot of it"])
    machines.events.length = 0
    rmSync(join(machines.directory, 't2/targets'), { recursive: true })
    await deploy(systemOn('t3'), { previous: systemOn('t2') })
    expect(kept()).toEqual([expect.stringContaining("Skip state of 'db'")])
  })

  test('that somebody has removed is made anew with a warning, unless its module tells about something else', async () => {
    declare(['status'])
    await deploy(systemOn('t1'))
    expect(await machines.plan(systemOn('t1'), machines.targets, planned())).toEqual(['nothing to do'])
    for (const file of [state('t1'), join(machines.directory, 'up-t1')]) rmSync(file)
    const warning = expect.stringMatching(
      /^\[t1\] warning: 'db' was activated, .* begins anew, empty, and 'davit-restore -S db' brings/,
    )
    const restart = ['deactivate', 'activate'].map((kind) => `${kind} db in db on t1 (no longer running)`)
    expect(await machines.plan(systemOn('t1'), machines.targets, planned())).toEqual([warning, ...restart])
    declare(['status', 'restore-first'])
    expect(await machines.plan(systemOn('t1'), machines.targets, planned())).toEqual(restart)
    declare(['status'])
    expect(await deploy(systemOn('t1'))).toMatchObject({ kind: 'completed' })
    const said = machines.events.filter((event) => 'code' in event && event.code === 'state-perhaps-gone')
    expect([read('t1'), said]).toEqual(['fresh\n', [expect.objectContaining({ kind: 'warning', target: 't1' })]])
  })

  test('on a target that is gone is skipped, and that is said', async () => {
    await deploy(systemOn('t1'))
    const { t1: _, ...rest } = Object.fromEntries(systemOn('t2').infrastructure)
    const next = { ...systemOn('t2'), infrastructure: new Map(Object.entries(rest) as [TargetName, never][]) }
    const outcome = await machines.deploy(next, machines.targets.slice(1), { ...planned(), previous: systemOn('t1') })
    expect(outcome).toMatchObject({ kind: 'completed' })
    expect(machines.told().join('\n') + JSON.stringify(machines.events)).toMatch(/Skip state of 'db' on 't1'/)
    expect(mappingIdOf(next.snapshotMappings[0] as never)).toBeDefined()
  })
})
