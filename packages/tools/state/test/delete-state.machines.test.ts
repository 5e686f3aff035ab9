import { appendFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { beforeEach, describe, expect, test } from 'vitest'

import { Scene } from './scene.ts'

const scene = new Scene()
const old = () => scene.path('old.json')

const moved = () => scene.begin('moved', move)

async function move(): Promise<string> {
  await scene.deploy('old.json', scene.manifest({ db: 't1', files: 't3' }))
  return scene.deploy('new.json', scene.manifest({ db: 't2', files: 't3' }))
}

describe('davit-delete-state', () => {
  test('deletes what moved since an old manifest, and nothing that is in use', async () => {
    const file = await moved()
    expect(await scene.output('delete-state', file, '-o', old(), '--dry-run')).toBe(
      'delete the state of db in box on t1\n',
    )
    expect(scene.calls()).toEqual([])
    expect(await scene.output('delete-state', file, '-o', old())).toBe(scene.manifest({ db: 't2', files: 't3' }))
    expect(scene.calls()).toEqual(['collect-garbage db on t1'])
    const again = await scene.run('delete-state', ['-o', old()])
    expect(again).toMatchObject({ status: 0, stdout: '', stderr: "[t1] there is no state of 'db' to delete\n" })
    expect(await scene.snapshots('--where', 'coordinator')).toEqual(['db t1 coordinator'])
  })

  test('deletes nothing unless something says what', async () => {
    await moved()
    const { status, stderr } = await scene.run('delete-state')
    expect([status, stderr]).toEqual([
      64,
      expect.stringMatching(/nothing says which state to delete[^]*or select it: -S db/),
    ])
  })

  test('shows what a deployment would leave behind', async () => {
    await scene.deploy('old.json', scene.manifest({ db: 't1', files: 't3' }))
    const next = scene.write('next.json', scene.manifest({ db: 't2', files: 't3' }))
    const shown = (file: string) => scene.output('delete-state', file, '-o', old(), '--dry-run', '--once-deployed')
    expect(await shown(next)).toBe('delete the state of db in box on t1\n')
    expect(await shown(old())).toBe('')
    expect(await scene.run('delete-state', [next, '-o', old(), '--once-deployed'])).toMatchObject({
      status: 64,
      stdout: '',
    })
  })

  test('deletes it as it was used last, whatever the settings are now', async () => {
    await moved()
    appendFileSync(scene.path('state/targets/t1/dysnomia/garbage/box/db'), 'property.where ,elsewhere\n')
    await scene.output('delete-state', '-o', old())
    expect(scene.calls()).toEqual(['collect-garbage db on t1,elsewhere'])
  })

  test('deletes nothing that another service uses, in another place but with the same settings', async () => {
    await moved()
    const active = scene.path('state/targets/t2/active/default')
    const record = readdirSync(active).find((name) => name.startsWith('box:')) ?? ''
    appendFileSync(scene.path('state/targets/t1/dysnomia/garbage/box/db'), 'property.where ,socket\n')
    appendFileSync(join(active, record, 'record'), 'property.where ,socket\n')
    const { status, stderr } = await scene.run('delete-state', ['-o', old()])
    expect(status).toBe(1)
    expect(stderr).toContain("'db' in 'box' on 't2' has the same settings, and so uses the same state")
    expect(scene.calls()).toEqual([])
    appendFileSync(join(active, record, 'record'), 'property.other x\n')
    await scene.output('delete-state', '-o', old())
    expect(scene.calls()).toEqual(['collect-garbage db on t1,socket'])
  })

  test('deletes it as the models have it, if nothing says how it was used', async () => {
    await moved()
    writeFileSync(scene.path('state/targets/t1/dysnomia/garbage/box/db'), '')
    await scene.output('delete-state', '-o', old())
    expect(scene.calls()).toEqual(['collect-garbage db on t1'])
  })

  const selections: readonly (readonly [readonly string[], readonly string[], boolean])[] = [
    [['-S', 'db'], [], true],
    [['--deployed', '-S', 'db'], [], true],
    [['old.json'], ['db on t1'], false],
    [['old.json', '-S', 'files'], [], false],
    [['-o', 'old.json', '-C', 'db'], ['db on t1'], false],
    [['-o', 'old.json', '-C', 'files'], [], false],
    [['new.json', '-o', 'new.json'], [], false],
  ]
  test.each(selections)('with %j deletes %j', async (words, deleted, isInUse) => {
    await moved()
    const { status, stderr } = await scene.run(
      'delete-state',
      words.map((word) => (word.endsWith('.json') ? scene.path(word) : word)),
    )
    expect(status).toBe(0)
    expect(scene.calls()).toEqual(deleted.map((one) => `collect-garbage ${one}`))
    expect(stderr.includes("[t2] the state of 'db' is in use, and not deleted\n")).toBe(isInUse)
  })

  test.each([[[]], [['-o']]] as const)(
    'keeps what was taken over by a service that died: %j old.json',
    async (option) => {
      const words = [...option, old()]
      await moved()
      rmSync(scene.path('up-db-t2'))
      const { status, stderr } = await scene.run('delete-state', words)
      expect(status).toBe(1)
      expect(stderr).toContain('which took it over, does not run')
      expect(scene.calls()).toEqual([])
      await scene.output('activate', '--repair', scene.path('new.json'))
      await scene.output('delete-state', ...words)
      expect(scene.state('db', 't1')).toBeUndefined()
    },
  )

  test('keeps the only copy of what its module has not kept', async () => {
    scene.write('mute-db', '')
    await move()
    const { status, stderr } = await scene.run('delete-state', ['-o', old()])
    expect(status).toBe(1)
    expect(stderr).toContain(
      "there is no snapshot of it, as it was left, with which db in box on 't2' could have taken it",
    )
    expect([scene.calls(), scene.state('db', 't1')]).toEqual([[], 'fresh\n'])
  })

  describe('keeps what was left with --no-migration', () => {
    beforeEach(async () => {
      await scene.begin('left', async () => {
        await scene.deploy('old.json', scene.manifest({ db: 't1' }))
        scene.setState('db', 't1', 'last night')
        await scene.output('snapshot')
        scene.setState('db', 't1', 'rows')
        await scene.deploy('new.json', scene.manifest({ db: 't2' }), ['--no-migration'])
      })
    })
    const refusal = async () => {
      const { status, stderr } = await scene.run('delete-state', ['-o', old()])
      return [
        status,
        scene.state('db', 't1'),
        /on t1: .*?(as it was left|it began anew|from another)/.exec(stderr)?.[1],
      ]
    }

    test('until it was moved', async () => {
      expect(await refusal()).toEqual([1, 'rows', 'as it was left'])
      expect(await scene.output('delete-state', '-o', old(), '--dry-run')).toMatch(
        /on t1 \(not yet: there is no snapshot/,
      )
      await scene.output('migrate', '-o', old())
      expect(await scene.output('delete-state', '-o', old(), '--dry-run')).toBe('delete the state of db in box on t1\n')
      await scene.output('delete-state', '-o', old())
      expect([scene.state('db', 't1'), scene.state('db', 't2')]).toEqual([undefined, 'rows'])
    })

    test('even if older state, or only a snapshot of it, has been taken over, until it is discarded', async () => {
      await scene.output('restore', '-o', old(), scene.path('new.json'))
      expect(scene.state('db', 't2')).toBe('last night')
      expect(await refusal()).toEqual([1, 'rows', 'as it was left'])
      await scene.output('snapshot', old())
      expect(await refusal()).toEqual([1, 'rows', 'from another'])
      await scene.output('delete-state', '-o', old(), '--discard')
      expect(scene.state('db', 't1')).toBeUndefined()
    })
  })

  test('deletes what another place has taken over by way of a third one, even if it has gone on since', async () => {
    await moved()
    scene.setState('db', 't2', 'rows')
    await scene.output('snapshot')
    scene.setState('db', 't2', 'more rows')
    await scene.deploy('newer.json', scene.manifest({ db: 't3', files: 't3' }))
    scene.setState('db', 't3', 'other rows')
    await scene.output('delete-state', '-o', old())
    await scene.output('delete-state', '-o', scene.path('new.json'))
    expect(['t1', 't2', 't3'].map((target) => scene.state('db', target))).toEqual([undefined, undefined, 'other rows'])
  })

  test('takes the module that is deployed now if the old one is gone, and says so if there is none', async () => {
    await scene.deploy('old.json', scene.manifest({ db: 't1', files: 't3' }))
    scene.profile({ version: '2' })
    await scene.deploy('new.json', scene.manifest({ db: 't2', files: 't3' }, { version: '2' }))
    const profile = (version: string) => scene.path('store', `${'0'.repeat(32)}-profile-${version}`)
    rmSync(profile('1'), { recursive: true })
    await scene.output('delete-state', '-o', old())
    expect(scene.state('db', 't1')).toBeUndefined()

    await scene.deploy('newer.json', scene.manifest({ files: 't3' }, { version: '2' }))
    rmSync(profile('2'), { recursive: true })
    const { status, stderr } = await scene.run('delete-state', [scene.path('new.json')])
    expect(status).toBe(1)
    expect(stderr).toContain("its module 'module' is not on 't2' any more: davit-distribute sends it")
    expect(scene.state('db', 't2')).toBe('fresh\n')
  })

  test('refuses to work while somebody else holds the lock', async () => {
    await moved()
    const { status } = await scene.whileLocked('new.json', () => scene.run('delete-state', ['-o', old()]))
    expect([status, scene.state('db', 't1')]).toEqual([75, 'fresh\n'])
  })
})
