import { rmSync } from 'node:fs'

import { sampleOf } from '@davit/testing/effort'
import { describe, expect, test } from 'vitest'

import { Scene } from './scene.ts'

const scene = new Scene()
const TWO = { db: 't1', files: 't2' }

/** Deploys two services, with a snapshot of each state in turn, and then other state. */
const saved = (...states: readonly string[]) =>
  scene.begin(states.join(), async () => {
    const file = await scene.deploy('one.json', scene.manifest(TWO))
    for (const text of states) {
      set(text)
      await scene.output('snapshot')
    }
    set('newer')
    scene.calls()
    return file
  })

function set(text: string): void {
  for (const [name, target] of Object.entries(TWO)) scene.setState(name, target, text)
}

const states = () => Object.entries(TWO).map(([name, target]) => scene.state(name, target))

describe('davit-restore', () => {
  test('replaces the state by the last snapshot, and prints the manifest', async () => {
    const file = await saved('first', 'second')
    expect(await scene.output('restore', file, '-S', 'db', '-S', 'files')).toBe(scene.manifest(TWO))
    expect(states()).toEqual(['second', 'second'])
    expect(scene.calls()).toEqual([
      'restore db on t1',
      'restore files on t2',
      'snapshot db on t1',
      'snapshot files on t2',
      'while up',
      'while up',
    ])
    expect((await scene.run('activate', ['--dry-run', file])).stdout).toBe('nothing to do\n')
  })

  test('replaces nothing unless something says what, and lists what there is', async () => {
    const file = await saved('first')
    for (const words of [[], [file], ['--snapshot', '2026-11-22'], ['--discard'], ['--keep', '1']]) {
      const { status, stderr } = await scene.run('restore', words)
      expect([status, stderr]).toEqual([
        64,
        'davit-restore: nothing says which state to replace [usage]\nhint: select it: -S db, -S files; --all replaces all of it\n',
      ])
    }
    expect(await scene.output('restore', '--dry-run')).toMatch(/db[^]*files/)
    expect([states(), scene.calls()]).toEqual([['newer', 'newer'], []])
    await scene.output('restore', '--all')
    expect(states()).toEqual(['first', 'first'])
  })

  describe('with all combinations of options', () => {
    const rows: readonly (readonly [string, string, string, string])[] = [
      ['', '', '', ''],
      ['', '--depth-first', '--all', '--keep=1'],
      ['', '', '--all', '--keep=2'],
      ['', '--depth-first', '', '--keep=2'],
      ['--transfer-only', '--depth-first', '', ''],
      ['--transfer-only', '', '--all', ''],
      ['--transfer-only', '', '', '--keep=1'],
      ['--transfer-only', '--depth-first', '--all', '--keep=2'],
    ]
    test.each(sampleOf(rows, 3))('%s %s %s %s', async (restoring, order, which, keep) => {
      await saved('first', 'second', 'third')
      rmSync(scene.path('state/targets/t1/dysnomia'), { recursive: true })
      await scene.output('restore', '-S', 'db', ...[restoring, order, which, keep].filter((word) => word !== ''))
      expect(states()).toEqual([restoring === '' ? 'third' : 'newer', 'newer'])
      const [targets, coordinator] = [
        await scene.names('targets', '-S', 'db'),
        await scene.names('coordinator', '-S', 'db'),
      ]
      const limit = Number(keep.slice(-1) || 3)
      expect(coordinator).toHaveLength(limit)
      const sent = coordinator.slice(which === '' ? -1 : -limit)
      // What was replaced is the snapshot before.
      const more = restoring === '' ? [...targets.slice(-2, -1), ...sent.slice(-1)] : []
      expect(targets).toEqual([...sent, ...more].slice(keep === '' ? 0 : -Math.max(limit, more.length)))
    })
  })

  test('leaves alone what it cannot save, unless it may be discarded', async () => {
    await saved('first')
    scene.fail('snapshot-db')
    const { status, stderr } = await scene.run('restore', ['-S', 'db'])
    expect(status).toBe(1)
    expect(stderr).toContain('what is there now cannot be saved, so it is not replaced: ')
    expect(states()).toEqual(['newer', 'newer'])
    await scene.output('restore', '-S', 'db', '--discard')
    expect(states()).toEqual(['first', 'newer'])
  })

  test('leaves alone, and running, what a module without snapshots keeps, unless it may be discarded', async () => {
    await saved('first')
    scene.profile({ declared: ['restore-first'], lacks: ['snapshot'] })
    const { status, stderr } = await scene.run('restore', ['-S', 'db'])
    expect(status).toBe(1)
    expect(stderr).toContain('it is not replaced: its module takes no snapshots')
    expect([scene.calls(), states()]).toEqual([[], ['newer', 'newer']])
    await scene.output('restore', '-S', 'db', '--discard')
    expect(states()).toEqual(['first', 'newer'])
  })

  test('takes the newest snapshot, wherever it was taken', async () => {
    await scene.deploy('one.json', scene.manifest({ db: 't1', files: 't2' }))
    scene.setState('db', 't1', 'monday')
    await scene.output('snapshot')
    await scene.deploy('two.json', scene.manifest({ db: 't2', files: 't1' }))
    scene.setState('db', 't2', 'tuesday')
    await scene.output('snapshot')
    await scene.deploy('one.json', scene.manifest({ db: 't1', files: 't2' }))
    expect(await scene.output('restore', '--dry-run', '-S', 'db')).toContain('taken on t2')
    await scene.output('restore', '-S', 'db')
    expect(scene.state('db', 't1')).toBe('tuesday')
  })

  test('stops a service whose directory is replaced, and starts it again', async () => {
    await saved('first')
    scene.profile({ declared: ['restore-first'] })
    expect(await scene.output('restore', '--dry-run', '-S', 'db')).toMatch(
      /^send the snapshot of db in box to t1 \([0-9a-f]{12}, .* UTC, 5 B\)\nrestore db in box on t1 \(it is stopped meanwhile\)\n$/,
    )
    expect(scene.calls()).toEqual([])
    await scene.output('restore', '-S', 'db')
    expect(scene.callsInOrder()).toEqual([
      'deactivate db on t1',
      'snapshot db on t1',
      'restore db on t1',
      'activate db on t1',
    ])
    expect(scene.state('db', 't1')).toBe('first')
    expect((await scene.run('activate', ['--dry-run', scene.path('one.json')])).stdout).toBe('nothing to do\n')
    expect(await scene.output('delete-state', '--dry-run')).toBe('nothing to do\n')
  })

  test.each(sampleOf(['deactivate', 'restore', 'activate'], 2))(
    'starts a service again as well if its module fails to %s, or says that it could not',
    async (what) => {
      await saved('first')
      scene.profile({ declared: ['restore-first'] })
      scene.fail(`${what}-db`)
      const { status, stdout, stderr } = await scene.run('restore', ['-', '-S', 'db'], { input: scene.manifest(TWO) })
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toContain(`    sorry: ${what}`)
      expect(stderr).toContain('not all state was restored [state-failed]')
      expect(scene.state('db', 't1')).toBe(what === 'activate' ? 'first' : 'newer')
      const isActive = (await scene.run('activate', ['--dry-run', scene.path('one.json')])).stdout === 'nothing to do\n'
      expect(isActive).toBe(what !== 'activate')
    },
  )

  test('starts a service again that it has stopped when it is interrupted', async () => {
    await saved('first')
    scene.profile({ declared: ['restore-first'] })
    expect(await scene.interrupt('restore-db', ['restore', '-S', 'db'])).toBe(130)
    expect(scene.callsInOrder()).toEqual([
      'deactivate db on t1',
      'snapshot db on t1',
      'restore db on t1',
      'activate db on t1',
    ])
    expect(scene.state('db', 't1')).toBe('first')
    await scene.output('restore', '--all')
    expect(states()).toEqual(['first', 'first'])
  })

  test('restores an older one by name, by its beginning, or by time', async () => {
    await saved('first', 'second')
    const [first = ''] = await scene.names('coordinator', '-S', 'db')
    await scene.output('restore', '-S', 'db', '--snapshot', first)
    expect(states()).toEqual(['first', 'newer'])
    set('newer')
    await scene.output('restore', '-S', 'files', '--snapshot', first.slice(0, 20))
    expect(states()).toEqual(['newer', 'first'])
    await scene.output('restore', '--on', 't1,t2', '--snapshot', new Date(Date.now() + 60_000).toISOString())
    expect(states()).toEqual(['second', 'second'])
  })

  const refused: readonly (readonly [readonly string[], number, RegExp])[] = [
    [
      ['--all', '--snapshot', '2001-01-01'],
      1,
      /keeps no snapshot as old as 2001-01-01 of 'db' on 't1', 'files' on 't2' \[no-snapshot\]/,
    ],
    [
      ['--all', '--snapshot', 'zz'],
      1,
      /keeps no snapshot 'zz' of these services \[no-snapshot\]\nhint: nothing was restored;/,
    ],
    [['--snapshot', 'a/b'], 64, /neither the name of a snapshot nor a date or time/],
    [['-S', 'nobody'], 1, /\[nothing-selected\]/],
  ]
  test.each(refused)('refuses %s before anything is done', async (words, status, message) => {
    await saved('first')
    const ended = await scene.run('restore', words)
    expect(ended).toMatchObject({ status, stdout: '' })
    expect(ended.stderr).toMatch(message)
    expect([scene.calls(), states()]).toEqual([[], ['newer', 'newer']])
  })

  test('refuses a name that fits several', async () => {
    await saved('first', 'second')
    const [first = ''] = await scene.names('coordinator')
    expect((await scene.run('restore', ['--all', '--snapshot', first])).stderr).toMatch(
      /is a snapshot of several components \[usage\]\nhint: select one of 'db', 'files' with -S, -c or -C/,
    )
  })

  test('gives new instances what was kept of the target from which they moved, not older state of their own target', async () => {
    await scene.deploy('first.json', scene.manifest({ db: 't2' }))
    scene.setState('db', 't2', 'old')
    await scene.output('snapshot')
    await scene.deploy('old.json', scene.manifest({ db: 't1' }), ['--no-migration'])
    scene.setState('db', 't1', 'rows')
    await scene.output('snapshot')
    const text = scene.manifest({ db: 't2' })
    const file = await scene.deploy('new.json', text, ['--no-migration'])
    expect(await scene.output('restore', file, '-o', scene.path('old.json'))).toBe(text)
    expect(scene.state('db', 't2')).toBe('rows')
    expect((await scene.run('restore', [file, '-o', file])).stderr).toBe(
      'no state has moved between the two manifests, so there is nothing to do\n',
    )
  })

  test('says of what nothing is kept, and restores the rest', async () => {
    await saved('first')
    rmSync(scene.path('state/coordinator/default/snapshots/t1'), { recursive: true })
    const { status, stderr } = await scene.run('restore', ['--all'])
    expect(status).toBe(0)
    expect(stderr).toContain("[t1] warning: no snapshot of 'db' is kept on this machine, so it is not restored\n")
    expect(states()).toEqual(['newer', 'first'])
  })

  test('works under the lock, which it joins', async () => {
    await saved('first')
    const held = await scene.hold('one.json', ['restore', '-S', 'db'])
    expect(held).toMatchObject({ status: 0 })
    expect(states()).toEqual(['first', 'newer'])
    const refusal = await scene.whileLocked('one.json', () => scene.run('restore', ['--all']))
    expect(refusal.status).toBe(75)
    expect(states()).toEqual(['first', 'newer'])
  })
})
