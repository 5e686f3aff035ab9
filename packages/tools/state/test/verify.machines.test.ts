import { existsSync, readdirSync, rmSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { Scene } from './scene.ts'

const scene = new Scene()
const TWO = { db: 't1', files: 't2' }

interface Listed {
  readonly service: string
  readonly where: string
  readonly verified?: { readonly at: string; readonly on: string; readonly how: string }
}

/** What is known of the latest snapshot of each service: `db target loaded t1`. */
async function verified(...args: readonly string[]): Promise<readonly string[]> {
  const listed = JSON.parse(await scene.output('snapshots', '--format', 'json', ...args)) as readonly Listed[]
  const last = new Map(listed.map((one) => [`${one.service} ${one.where}`, one.verified]))
  return [...last].map(([place, found]) => (found === undefined ? place : `${place} ${found.how} ${found.on}`))
}

async function deployed(placement: Record<string, string> = TWO, declared = ['verify']): Promise<string> {
  scene.profile({ declared })
  return scene.deploy('one.json', scene.manifest(placement))
}

async function refused(...words: readonly string[]): Promise<string> {
  const { status, stderr } = await scene.run('snapshot', words)
  expect([status, scene.calls()]).toEqual([64, []])
  return stderr
}

describe('davit-snapshot --verify', () => {
  test('takes, brings and verifies, in this order, and shows when, where and how', async () => {
    await deployed()
    const { status, stderr } = await scene.run('snapshot', ['--deployed', '--keep', '1', '--verify', '--depth-first'])
    expect(status).toBe(0)
    const name = '[0-9a-f]{12}'
    expect(stderr).toMatch(
      new RegExp(`^\\[t1\\] the snapshot ${name} of 'db' is verified: it was loaded, and compared$`, 'm'),
    )
    expect(scene.calls()).toEqual([
      'snapshot db on t1',
      'snapshot files on t2',
      'verify db on t1',
      'verify files on t2',
    ])
    const all = ['db coordinator', 'db target', 'files coordinator', 'files target']
    expect(await verified()).toEqual(all.map((one, index) => `${one} loaded t${index < 2 ? 1 : 2}`))
    expect(await scene.output('snapshots', '-S', 'db')).toMatch(
      /KEPT ON {6}VERIFIED\n(?:.* (?:coordinator|target {5}) {2}loaded on t1, 20\d\d-.* UTC\n){2}$/,
    )
    await scene.output('snapshot')
    expect(await verified()).toEqual(all.map((one, index) => `${one} loaded t${index < 2 ? 1 : 2}`))
    scene.setState('db', 't1', 'new')
    await scene.output('snapshot')
    expect(await verified('-S', 'db')).toEqual(['db coordinator', 'db target'])
  })

  test('only verifies what is there with --transfer-only, of services that need not be active', async () => {
    const file = await deployed()
    await scene.output('snapshot')
    await scene.output('activate', '--no-migration', '-o', file, scene.write('none.json', scene.manifest({})))
    scene.calls()
    expect((await scene.run('snapshot', ['--transfer-only', '--verify', '-S', 'db', file])).status).toBe(0)
    expect(scene.calls()).toEqual(['verify db on t1'])
    expect(await verified('-S', 'db')).toEqual(['db coordinator loaded t1', 'db target loaded t1'])
    // The disk of the target is new.
    rmSync(scene.path('state/targets/t1/dysnomia'), { recursive: true })
    expect((await scene.run('snapshot', ['--transfer-only', '--verify', '-S', 'db', file])).status).toBe(0)
    expect(scene.calls()).toEqual(['verify db on t1'])
    expect(await scene.snapshots('-S', 'db')).toEqual(['db t1 coordinator'])
  })

  test('says what was only compared', async () => {
    await deployed({ db: 't1' }, [])
    const { status, stderr } = await scene.run('snapshot', ['--verify'])
    expect([status, scene.calls()]).toEqual([0, ['snapshot db on t1']])
    expect(stderr).toMatch(/is verified: it was unpacked, and its content compared; its module loads none$/m)
    expect(await verified()).toEqual(['db coordinator content t1', 'db target content t1'])
    expect(await scene.output('snapshots')).toContain('content on t1, ')
  })

  test('verifies the others if one fails, keeps what was found, and removes nothing of that one', async () => {
    await deployed()
    await scene.output('snapshot')
    scene.setState('db', 't1', 'wrong')
    scene.setState('files', 't2', 'right')
    const { status, stderr } = await scene.run('snapshot', ['--verify', '--keep', '1'])
    expect(status).toBe(1)
    expect(stderr).toContain(
      'cannot verify the latest snapshot of db in box on t1: it is not verified: its module ended with status 1',
    )
    expect(stderr).toContain('davit-snapshot: not all state was saved and verified [state-failed]')
    expect(await verified()).toEqual([
      'db coordinator failed t1',
      'db target failed t1',
      'files coordinator loaded t2',
      'files target loaded t2',
    ])
    expect(await scene.names('targets', '-S', 'db')).toHaveLength(2)
    expect(await scene.names('targets', '-S', 'files')).toHaveLength(1)
    expect(await scene.output('snapshots', '-S', 'db')).toContain('FAILED on t1, ')
  })

  test('fails if there is nothing to verify, or it cannot be, and notes nothing', async () => {
    await deployed()
    scene.write('mute-db', '')
    const mute = await scene.run('snapshot', ['--verify'])
    expect(mute.status).toBe(1)
    expect(mute.stderr).toContain('it cannot be verified: there is no snapshot of it')
    expect(await verified()).toEqual(['files coordinator loaded t2', 'files target loaded t2'])
    expect((await scene.run('snapshot', ['--verify', '-S', 'db', '--activity-timeout', '1'])).status).toBe(1)
    scene.setState('files', 't2', 'another')
    scene.write('hang-verify-files', '')
    const late = await scene.run('snapshot', ['--verify', '-S', 'files', '--activity-timeout', '1'])
    rmSync(scene.path('hang-verify-files'))
    expect(late.stderr).toContain('it cannot be verified: it took longer than 1 seconds and was stopped')
    expect([late.status, await verified('-S', 'files')]).toEqual([1, ['files coordinator', 'files target']])
    rmSync(scene.path('store', `${'0'.repeat(32)}-profile-1/modules/module`))
    const without = await scene.run('snapshot', ['--transfer-only', '--verify', '-S', 'files'])
    expect(without.status).toBe(1)
    expect(without.stderr).toContain("it cannot be verified: its module 'module' is not on 't2' any more")
  })

  test('loads what the coordinator keeps on another target, where it becomes no snapshot', async () => {
    await deployed({ db: 't1', files: 't2' })
    expect((await scene.run('snapshot', ['--verify', '--verify-on', 't3', '-S', 'db'])).status).toBe(0)
    expect(scene.calls()).toEqual(['snapshot db on t1', 'verify db on t3'])
    expect(await verified()).toEqual(['db coordinator loaded t3', 'db target loaded t3'])
    expect(readdirSync(scene.path('state/targets/t3/verifying'))).toEqual([])
    expect(existsSync(scene.path('state/targets/t3/dysnomia/snapshots'))).toBe(false)
    // Also a target that --on leaves out.
    expect((await scene.run('snapshot', ['--verify', '--verify-on', 't3', '--on', 'service:files'])).status).toBe(0)
    expect(scene.calls()).toEqual(['snapshot files on t2', 'verify files on t3'])
    scene.setState('db', 't1', 'wrong')
    expect((await scene.run('snapshot', ['--verify', '--verify-on', 't3', '-S', 'db'])).status).toBe(1)
    expect(await verified('-S', 'db')).toEqual(['db coordinator failed t3', 'db target failed t3'])
    expect(readdirSync(scene.path('state/targets/t3/verifying'))).toEqual([])
  })

  test('waits for what concerns the state of the same component, and completes when it is interrupted', async () => {
    await deployed({ db: 't1', files: 't1' })
    expect(await scene.interrupt('verify-db', ['snapshot', '--verify', '--depth-first'])).toBe(130)
    expect(scene.calls()).toEqual(['snapshot db on t1', 'verify db on t1'])
    expect(await verified('-S', 'db')).toEqual(['db coordinator loaded t1', 'db target loaded t1'])
    expect(readdirSync(scene.path('state/targets/t1/dysnomia/incoming'))).toEqual([])
    expect((await scene.run('lock', [scene.path('one.json')])).status).toBe(0)
    expect((await scene.run('snapshot', ['--verify'])).status).toBe(0)
  })

  test('refuses what makes no sense before it does anything', async () => {
    await deployed()
    expect(await refused('--verify-on', 't1')).toContain('--verify-on needs --verify')
    expect(await refused('--verify', '--verify-on', 't9')).toMatch(
      /there is no target 't9' .*\nhint: the targets are t1, t2, t3/,
    )
    const lacking = scene.manifest(TWO).replace(/("t3":\{"properties":\{[^}]*\},"containers":)\{"box":\{\}\}/, '$1{}')
    const file = scene.write('lacking.json', lacking)
    expect(await refused('--verify', '--verify-on', 't3', file)).toContain(
      "'t3' has no container 'box', in which a snapshot of 'db' could be loaded",
    )
    expect((await scene.run('snapshot', ['--verify', '-S', 'nothing'])).status).toBe(1)
    expect(scene.calls()).toEqual([])
  })

  test('shows what it would do, and does nothing', async () => {
    await deployed({ db: 't1' })
    const steps = async (...words: readonly string[]) =>
      (await scene.output('snapshot', '--dry-run', ...words)).trimEnd().split('\n')
    const [take, verify] = ['take a snapshot of db in box on t1', 'verify the latest snapshot of db in box on']
    const fetch = 'fetch the snapshot of db in box from t1 to this machine (there is none yet)'
    const last = 'remove all but the last 7 snapshots of db in box on t1 and here'
    expect(await steps('--verify', '--keep', '7')).toEqual([take, fetch, `${verify} t1`, last])
    expect(await steps('--verify', '--verify-on', 't3', '--depth-first')).toEqual([take, fetch, `${verify} t3`])
    expect(scene.calls()).toEqual([])
  })
})
