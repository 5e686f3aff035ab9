import { appendFileSync, existsSync, readdirSync, rmSync } from 'node:fs'

import { isThorough, sampleOf } from '@davit/testing/effort'
import { describe, expect, test } from 'vitest'

import { Scene } from './scene.ts'

const scene = new Scene()
const TWO = { db: 't1', files: 't2' }

describe('davit-snapshot', () => {
  test('saves everything that is deployed, once, without the lock and without stopping anything', async () => {
    await scene.deploy('one.json', scene.manifest(TWO))
    const locked = await scene.run('lock', [scene.path('one.json')])
    expect(locked.status).toBe(0)
    expect(await scene.output('snapshot', '--deployed')).toBe('')
    expect(scene.calls().filter((line) => !/^(un)?lock /.test(line))).toEqual([
      'snapshot db on t1',
      'snapshot files on t2',
    ])
    expect(await scene.snapshots()).toEqual([
      'db t1 coordinator',
      'db t1 target',
      'files t2 coordinator',
      'files t2 target',
    ])
    await scene.output('snapshot')
    expect(await scene.snapshots()).toHaveLength(4)
    scene.setState('db', 't1', 'more')
    await scene.output('snapshot')
    expect(await scene.snapshots('-S', 'db')).toHaveLength(4)
    expect(await scene.names('coordinator', '-S', 'db')).toEqual(await scene.names('targets', '-S', 'db'))
  })

  test('saves what a service uses, whatever the settings are now', async () => {
    await scene.deploy('one.json', scene.manifest({ db: 't1' }))
    const [record] = readdirSync(scene.path('state/targets/t1/active/default'))
    appendFileSync(scene.path(`state/targets/t1/active/default/${record}/record`), 'property.where ,elsewhere\n')
    await scene.output('snapshot')
    await scene.output('restore', '--all')
    expect(scene.calls()).toEqual(
      ['restore', 'snapshot', 'snapshot'].map((one) => `${one} db on t1,elsewhere`).concat('while up'),
    )
  })

  test('reads no secrets to which only a record refers, as other tools do not either', async () => {
    const file = await scene.deploy('one.json', scene.manifest({ db: 't1' }))
    const [record] = readdirSync(scene.path('state/targets/t1/active/default'))
    const text = JSON.stringify({ text: [{ command: ['touch', scene.path('taken')] }] })
    appendFileSync(scene.path(`state/targets/t1/active/default/${record}/record`), `secret.where ${text}\n`)
    const reason = 'neither the models nor the last deployment refer to it on this machine'
    expect((await scene.run('snapshot', [])).stderr).toContain(reason)
    expect((await scene.run('activate', ['--dry-run', file])).stderr).toContain(reason)
    await scene.run('restore', ['--all'])
    expect((await scene.run('lock', [file, '--', 'true'])).status).toBe(0)
    expect(existsSync(scene.path('taken'))).toBe(false)
  })

  test('prints the manifest byte for byte if it is given', async () => {
    const text = scene.manifest(TWO)
    const file = await scene.deploy('one.json', text)
    expect(await scene.output('snapshot', file)).toBe(text)
    expect((await scene.run('snapshot', ['-'], { input: text })).stdout).toBe(text)
  })

  describe('with all combinations of options', () => {
    const rows = ['take', 'transfer-only'].flatMap((taking) =>
      ['', '--depth-first'].flatMap((order) =>
        ['', '--all'].flatMap((which) =>
          ['', '--keep=1', '--keep=2'].map((keep) => [taking, order, which, keep] as const),
        ),
      ),
    )
    /** Rows that contain each pair of options. */
    const pairs = [0, 5, 10, 13, 20, 21].map((index) => rows[index]!)

    test.each(isThorough ? rows : sampleOf(pairs, 2))('%s %s %s %s', async (taking, order, which, keep) => {
      await twoGenerations()
      const isTaken = taking === 'take'
      const options = [isTaken ? '' : '--transfer-only', order, which, keep].filter((one) => one !== '')
      await scene.output('snapshot', ...options)
      expect(scene.calls()).toEqual(isTaken ? ['snapshot db on t1', 'snapshot files on t2'] : [])
      const there = isTaken ? 3 : 2
      const kept = Math.min(there, Number(keep.slice(-1) || there))
      for (const name of Object.keys(TWO)) {
        const [targets, coordinator] = [
          await scene.names('targets', '-S', name),
          await scene.names('coordinator', '-S', name),
        ]
        expect(targets).toHaveLength(kept)
        expect(coordinator).toEqual(targets.slice(which === '' ? -1 : 0))
      }
    })

    /** Has two generations on the targets, of which the coordinator has none, and state that is in neither. */
    const twoGenerations = () =>
      scene.begin('two generations', async () => {
        const set = (text: string) => {
          for (const [name, target] of Object.entries(TWO)) scene.setState(name, target, text)
        }
        await scene.deploy('one.json', scene.manifest(TWO))
        for (const text of ['first', 'second']) {
          set(text)
          await scene.output('snapshot')
        }
        rmSync(scene.path('state/coordinator/default/snapshots'), { recursive: true })
        set('third')
        scene.calls()
      })
  })

  const moves: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['all of the manifest without an old one', ['new.json'], ['db t2', 'files t2']],
    ['only what moved away', ['new.json', '-o', 'old.json'], ['db t1']],
    ['all of the manifest with --no-upgrade', ['new.json', '-o', 'old.json', '--no-upgrade'], ['db t2', 'files t2']],
    ['nothing if nothing moved', ['old.json', '-o', 'old.json'], []],
    ['only what moved away from what is deployed now', ['-o', 'old.json'], ['db t1']],
    ['a selected service', ['-S', 'db'], ['db t2']],
    ['a selected component', ['-C', 'files'], ['files t2']],
    ['what is selected and has moved', ['-o', 'old.json', '-S', 'files'], []],
  ]
  test.each(sampleOf(moves, 4))('saves %s', async (_, words, saved) => {
    await scene.deploy('old.json', scene.manifest(TWO))
    await scene.deploy('new.json', scene.manifest({ db: 't2', files: 't2' }), ['--no-migration'])
    await scene.output('snapshot', ...words.map((word) => (word.endsWith('.json') ? scene.path(word) : word)))
    expect(scene.calls()).toEqual(saved.map((one) => `snapshot ${one.replace(' ', ' on ')}`))
    expect(await scene.snapshots('--where', 'coordinator')).toEqual(saved.map((one) => `${one} coordinator`))
  })

  test('takes what moved away with the services of the old manifest, and skips targets that are gone', async () => {
    await scene.deploy('old.json', scene.manifest({ db: ['t1', 't2'] }))
    const next = scene.manifest({ db: 't3' }, { targets: ['t2', 't3'], version: '2' })
    scene.profile({ version: '2' })
    rmSync(scene.path('store', `${'0'.repeat(32)}-profile-1`), { recursive: true })
    const { status, stdout, stderr } = await scene.run('snapshot', ['-', '-o', scene.path('old.json')], { input: next })
    expect({ status, stdout }).toEqual({ status: 0, stdout: next })
    expect(stderr).toMatch(/^warning: Skip state of 'db' on 't1', which is no longer in the infrastructure$/m)
    expect(scene.calls()).toEqual(['snapshot db on t2'])
    expect(await scene.snapshots('--where', 'coordinator')).toEqual(['db t2 coordinator'])
  })

  test('saves what it can if a module fails, keeps what it had of the others, and says so', async () => {
    const file = await scene.deploy('one.json', scene.manifest(TWO))
    await scene.output('snapshot')
    scene.setState('db', 't1', 'kept')
    await scene.output('snapshot')
    scene.setState('db', 't1', 'lost')
    scene.setState('files', 't2', 'saved')
    scene.fail('snapshot-db')
    for (const order of [[], ['--depth-first']]) {
      const { status, stdout, stderr } = await scene.run('snapshot', [file, ...order, '--keep', '1'])
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toContain('cannot take a snapshot of db in box on t1: its module ended with status 3')
      expect(stderr).toContain('    sorry: snapshot')
      expect(stderr).not.toContain('fetch the snapshot of db')
      expect(stderr).toContain('davit-snapshot: not all state was saved [state-failed]')
    }
    expect(await scene.names('coordinator', '-S', 'db')).toHaveLength(2)
    expect(await scene.names('coordinator', '-S', 'files')).toEqual(await scene.names('targets', '-S', 'files'))
  })

  test('completes what has begun when it is interrupted, and begins nothing more', async () => {
    await scene.deploy('one.json', scene.manifest({ db: 't1', files: 't1' }, { cores: 1 }))
    expect(await scene.interrupt('snapshot-db', ['snapshot'])).toBe(130)
    expect(scene.calls()).toEqual(['snapshot db on t1'])
    expect(await scene.snapshots()).toEqual(['db t1 target'])
    await scene.output('snapshot')
    expect(await scene.snapshots('--where', 'coordinator')).toEqual(['db t1 coordinator', 'files t1 coordinator'])
  })

  test('warns of what has no snapshots, and refuses a selection that fits nothing', async () => {
    await scene.deploy('one.json', scene.manifest(TWO))
    scene.write('mute-db', '')
    expect(await scene.run('snapshot')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(
        "[t1] warning: there is no snapshot of 'db' to fetch: its module takes none",
      ) as string,
    })
    expect(await scene.run('snapshot', ['-c', 'bix'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /matches the selection \[nothing-selected\]\nhint: there is state of 'db' \(-c box -C db\), 'files'/,
      ) as string,
    })
  })

  test('shows what it would do, with what is known, and does nothing', async () => {
    await scene.deploy('one.json', scene.manifest(TWO))
    scene.setState('db', 't1', 'x'.repeat(20_000))
    await scene.output('snapshot', '-S', 'db')
    scene.calls()
    const steps = async (...options: readonly string[]) =>
      (await scene.output('snapshot', '--dry-run', ...options)).trimEnd().split('\n')
    const [db, files] = [
      /^fetch the snapshot of db in box from t1 to this machine \(latest so far: [0-9a-f]{12}, .* UTC, 20 kB\)$/,
      'fetch the snapshot of files in box from t2 to this machine (there is none yet)',
    ]
    const [takeDb, takeFiles] = ['take a snapshot of db in box on t1', 'take a snapshot of files in box on t2']
    expect(await steps()).toEqual([takeDb, takeFiles, expect.stringMatching(db), files])
    expect(await steps('--depth-first')).toEqual([takeDb, expect.stringMatching(db), takeFiles, files])
    const last = 'remove all but the last 7 snapshots of db in box on t1 and here'
    expect(await steps('--transfer-only', '--keep', '7', '-S', 'db')).toEqual([
      expect.stringMatching(/latest there/),
      last,
    ])
    expect(scene.calls()).toEqual([])
    expect(await scene.snapshots()).toEqual(['db t1 coordinator', 'db t1 target'])
  })

  test('leaves out targets that cannot be reached, if it may', async () => {
    const text = scene.manifest(TWO)
    await scene.deploy('one.json', text)
    const manifest = JSON.parse(text) as { infrastructure: Record<string, object> }
    manifest.infrastructure['t1'] = {
      ...manifest.infrastructure['t1'],
      clientInterface: 'ssh',
      properties: { hostname: '127.0.0.1:1' },
    }
    const file = scene.write('far.json', JSON.stringify(manifest))
    expect((await scene.run('snapshot', [file])).status).toBe(69)
    expect(scene.calls()).toEqual([])
    expect((await scene.run('snapshot', [file, '--skip-unreachable'])).status).toBe(0)
    expect(scene.calls()).toEqual(['snapshot files on t2'])
  })

  test('says what is missing where nothing is deployed', async () => {
    expect(await scene.run('snapshot')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /nothing is deployed as 'default' \[no-deployment\]\nhint: .*; otherwise pass a manifest\n/,
      ) as string,
    })
    expect(await scene.run('snapshot', ['--deployed', 'x.json'])).toMatchObject({ status: 64 })
  })
})
