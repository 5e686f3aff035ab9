import { mkdirSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { Scene } from './scene.ts'

const scene = new Scene()

describe('davit-snapshots', () => {
  test('prints a table of what targets and coordinator keep', async () => {
    const file = await scene.deploy('one.json', scene.manifest({ db: 't1' }))
    scene.setState('db', 't1', 'x'.repeat(20_000))
    await scene.output('snapshot')
    const name = '[0-9a-f]{16}'
    const time = String.raw`20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC`
    const row = (where: string) => `db       box/db     t1      ${time}  (?:-|${time}) +20 kB  ${name}  ${where} +-\n`
    const title = `SERVICE  COMPONENT  TARGET  TAKEN {20}LAST +SIZE   NAME              KEPT ON +VERIFIED\n`
    const table = (...rows: readonly string[]) => new RegExp(`^${title}${rows.map(row).join('')}$`)
    expect(await scene.output('snapshots')).toMatch(table('coordinator', 'target'))
    expect(await scene.output('snapshots', '--where', 'targets', file)).toMatch(table('target'))
    expect(await scene.output('snapshots', '--where', 'coordinator')).toMatch(table('coordinator'))
    expect(await scene.run('snapshots', ['-C', 'other'])).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'there are no such snapshots\n',
    })
  })

  test('prints all that is known for programs', async () => {
    await scene.deploy('one.json', scene.manifest({ db: 't1' }))
    await scene.output('snapshot')
    const [first, ...others] = JSON.parse(await scene.output('snapshots', '--format', 'json')) as readonly object[]
    expect(first).toEqual({
      service: 'db',
      container: 'box',
      component: 'db',
      target: 't1',
      where: 'coordinator',
      generation: 1,
      taken: expect.stringMatching(/^20.*Z$/) as string,
      bytes: 6,
      name: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      pkg: scene.path(`store/${'0'.repeat(32)}-db`),
    })
    expect(others).toHaveLength(1)
  })

  test('lists what is kept of targets and services that are gone, without a manifest and without a target', async () => {
    await scene.deploy('one.json', scene.manifest({ db: 't1' }))
    await scene.output('snapshot')
    await scene.deploy('two.json', scene.manifest({ files: 't2' }, { targets: ['t2'] }), [
      '--no-migration',
      '--take-over',
    ])
    expect(await scene.snapshots()).toEqual(['db t1 coordinator'])
    expect(await scene.snapshots('-p', 'other', '--where', 'coordinator')).toEqual([])
    expect((await scene.run('snapshots', ['-p', 'other'])).status).toBe(1)
  })

  test('names the service of snapshots of Dysnomia by the manifest', async () => {
    await scene.deploy('one.json', scene.manifest({ db: 't1' }))
    const place = scene.path('state/targets/t1/dysnomia')
    mkdirSync(`${place}/snapshots/box/db/abc`, { recursive: true })
    mkdirSync(`${place}/generations/box/db`, { recursive: true })
    scene.link('../../../snapshots/box/db/abc', `${place}/generations/box/db/1`)
    expect(JSON.parse(await scene.output('snapshots', '--format', 'json', '-S', 'db'))).toEqual([
      expect.objectContaining({ service: 'db', name: 'abc', target: 't1', where: 'target' }),
    ])
  })
})
