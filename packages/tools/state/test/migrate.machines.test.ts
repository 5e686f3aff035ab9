import { rmSync } from 'node:fs'

import { sampleOf } from '@davit/testing/effort'
import { describe, expect, test } from 'vitest'

import { Scene } from './scene.ts'

const scene = new Scene()

/** Deploys `db` on `t1` and then on `t2`, where it begins anew; `files` stays. */
const moved = () =>
  scene.begin('moved', async () => {
    await scene.deploy('old.json', scene.manifest({ db: 't1', files: 't3' }))
    scene.setState('db', 't1', 'rows')
    return scene.deploy('new.json', scene.manifest({ db: 't2', files: 't3' }), ['--no-migration'])
  })

const old = () => scene.path('old.json')

describe('davit-migrate', () => {
  const moves: readonly (readonly [readonly string[], string | undefined])[] = [
    [[], 'rows'],
    [['--depth-first'], 'rows'],
    [['--all', '--keep', '2'], 'rows'],
    [['--delete-state'], undefined],
    [['--delete-state', '--depth-first', '--all', '--keep', '1'], undefined],
  ]
  test.each(sampleOf(moves, 2))('moves the state to where its service is now: %j', async (options, left) => {
    const file = await moved()
    expect(await scene.output('migrate', file, '-o', old(), ...options)).toBe(scene.manifest({ db: 't2', files: 't3' }))
    expect([scene.state('db', 't1'), scene.state('db', 't2')]).toEqual([left, 'rows'])
    const deleted = left === undefined ? ['collect-garbage db on t1'] : []
    expect(scene.calls()).toEqual([
      ...deleted,
      'restore db on t2',
      'snapshot db on t1',
      'snapshot db on t2',
      'while up',
    ])
    expect(await scene.snapshots('--where', 'coordinator')).toEqual(['db t1 coordinator'])
  })

  test('only transfers what the targets have, if that is asked for', async () => {
    const file = await moved()
    await scene.output('migrate', file, '-o', old(), '--transfer-only')
    expect(await scene.snapshots()).toEqual([])
    await scene.output('snapshot', old(), '-S', 'db')
    scene.calls()
    await scene.output('migrate', file, '-o', old(), '--transfer-only')
    expect(scene.calls()).toEqual([])
    expect(await scene.snapshots('-S', 'db')).toEqual(['db t1 coordinator', 'db t1 target', 'db t2 target'])
    expect(scene.state('db', 't2')).toBe('fresh\n')
  })

  test('shows what it would do', async () => {
    const file = await moved()
    const lines = (await scene.output('migrate', file, '-o', old(), '--dry-run', '--delete-state'))
      .trimEnd()
      .split('\n')
    expect(lines).toEqual([
      'take a snapshot of db in box on t1',
      'fetch the snapshot of db in box from t1 to this machine (there is none yet)',
      'send the snapshot of db in box to t2 (taken on t1)',
      'restore db in box on t2',
      'delete the state of db in box on t1',
    ])
    expect(scene.calls()).toEqual([])
  })

  test.each(sampleOf(['snapshot', 'restore', 'collect-garbage'], 2))(
    'keeps the old state if its module fails to %s',
    async (what) => {
      const file = await moved()
      scene.fail(`${what}-db`)
      const { status, stdout } = await scene.run('migrate', [file, '-o', old(), '--delete-state'])
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(scene.state('db', 't1')).toBe('rows')
      expect(scene.state('db', 't2')).toBe(what === 'collect-garbage' ? 'rows' : 'fresh\n')
      rmSync(scene.path(`fail-${what}-db`))
      await scene.output('migrate', file, '-o', old(), '--delete-state')
      expect([scene.state('db', 't1'), scene.state('db', 't2')]).toEqual([undefined, 'rows'])
    },
  )

  test('keeps the old state if what took it over does not run', async () => {
    const file = await moved()
    rmSync(scene.path('up-db-t2'))
    const { status, stderr } = await scene.run('migrate', [file, '-o', old(), '--delete-state'])
    expect(status).toBe(1)
    expect(stderr).toContain("db in box on 't2', which took it over, does not run")
    expect(scene.state('db', 't1')).toBe('rows')
  })

  test('does not replace newer state by an old snapshot where the old state was deleted', async () => {
    const file = await moved()
    await scene.output('migrate', file, '-o', old(), '--delete-state')
    scene.setState('db', 't2', 'newer')
    const { status, stderr } = await scene.run('migrate', [file, '-o', old()])
    expect(status).toBe(1)
    expect(stderr).toContain("'t1' knows nothing of its state")
    expect(scene.state('db', 't2')).toBe('newer')
  })

  test('gives a new version under another component name the state of the old one', async () => {
    await scene.deploy('old.json', scene.manifest({ db: 't1' }))
    scene.setState('db', 't1', 'rows')
    scene.profile({ version: '2' })
    await scene.deploy('new.json', scene.manifest({ db: 't2' }, { version: '2' }), ['--no-migration'])
    await scene.output('migrate', '-o', old())
    expect(scene.state('db', 't2')).toBe('rows')
  })

  test('swaps the state of two services', async () => {
    await scene.deploy('old.json', scene.manifest({ db: 't1', files: 't2' }))
    scene.setState('db', 't1', 'rows')
    scene.setState('files', 't2', 'pages')
    await scene.deploy('new.json', scene.manifest({ db: 't2', files: 't1' }), ['--no-migration'])
    await scene.output('migrate', '-o', old(), '--delete-state')
    expect(['t1', 't2'].flatMap((target) => [scene.state('db', target), scene.state('files', target)])).toEqual([
      undefined,
      'pages',
      'rows',
      undefined,
    ])
  })

  test('saves and deletes the state of a removed service, skips a target that is gone, and restores nothing there', async () => {
    await scene.deploy('old.json', scene.manifest({ db: 't1', files: 't2' }))
    await scene.deploy('new.json', scene.manifest({ db: 't3' }, { targets: ['t2', 't3'] }), ['--no-migration'])
    const { status, stderr } = await scene.run('migrate', ['-o', old(), '--delete-state'])
    expect(status).toBe(0)
    expect(stderr).toContain("warning: Skip state of 'db' on 't1'")
    expect([scene.state('files', 't2'), scene.state('db', 't1'), scene.state('db', 't3')]).toEqual([
      undefined,
      'fresh\n',
      'fresh\n',
    ])
    expect(await scene.snapshots('--where', 'coordinator')).toEqual(['files t2 coordinator'])
  })

  const usage: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /option '--old-manifest' is missing/],
    [['-o', 'x', '--transfer-only', '--delete-state'], /cannot be combined/],
  ]
  test.each(usage)('refuses %j', async (words, message) => {
    const { status, stderr } = await scene.run('migrate', words)
    expect(status).toBe(64)
    expect(stderr).toMatch(message)
  })

  test('concerns all state with --no-upgrade, and leaves it as it is', async () => {
    const file = await moved()
    await scene.output('migrate', file, '-o', old(), '--no-upgrade', '--delete-state')
    expect(scene.calls()).toEqual([
      'restore db on t2',
      'restore files on t3',
      'snapshot db on t2',
      'snapshot db on t2',
      'snapshot files on t3',
      'snapshot files on t3',
      'while up',
      'while up',
    ])
    expect([scene.state('db', 't1'), scene.state('db', 't2'), scene.state('files', 't3')]).toEqual([
      'rows',
      'fresh\n',
      'fresh\n',
    ])
  })
  test('moves the state that --no-upgrade of davit-activate has left, which was told', async () => {
    await scene.deploy('old.json', scene.manifest({ db: 't1' }))
    scene.setState('db', 't1', 'rows')
    const file = scene.write('new.json', scene.manifest({ db: 't2' }))
    const { status, stderr } = await scene.run('activate', ['--no-upgrade', '-o', old(), file])
    expect(status).toBe(0)
    expect(stderr).toContain("'db' begins here without its state, which stays on 't1' because of --no-upgrade")
    expect([scene.state('db', 't1'), scene.state('db', 't2')]).toEqual(['rows', 'fresh\n'])
    await scene.output('migrate', file, '-o', old())
    expect([scene.state('db', 't1'), scene.state('db', 't2')]).toEqual(['rows', 'rows'])
  })
})
