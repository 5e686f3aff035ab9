import { readdirSync } from 'node:fs'

import { beforeEach, describe, expect, test } from 'vitest'

import { Scene } from './scene.ts'

const scene = new Scene()
const db = ['-c', 'box', '-C', 'db']

describe('davit-copy-snapshots', () => {
  let kept: readonly string[]

  /** Three snapshots of `db`, on its target and here. */
  beforeEach(async () => {
    kept = await scene.begin('three', async () => {
      await scene.deploy('one.json', scene.manifest({ db: 't1' }))
      for (const text of ['first', 'second', 'third']) {
        scene.setState('db', 't1', text)
        await scene.output('snapshot')
      }
      scene.calls()
      return scene.names('coordinator')
    })
  })

  const copy = (...args: readonly string[]) => scene.run('copy-snapshots', [...args, ...db])
  const loseThere = () => scene.output('clean-snapshots', '--keep', '0', '--where', 'targets')
  const loseHere = () => scene.output('clean-snapshots', '--keep', '0', '--where', 'coordinator')

  test('sends the latest to a target, and then says that nothing is missing', async () => {
    await loseThere()
    expect(await copy('--to', '-t', 't1')).toEqual({
      status: 0,
      stdout: '',
      stderr: expect.stringMatching(/^copied 1 snapshot of box\/db to 't1' \(.*B\)\n$/),
    })
    expect(await scene.names('targets')).toEqual(kept.slice(-1))
    expect(await copy('--to', '-t', 't1')).toEqual({
      status: 0,
      stdout: '',
      stderr: "nothing to copy: 't1' has what there is of box/db\n",
    })
    expect(await scene.names('targets')).toEqual(kept.slice(-1))
    expect(scene.calls()).toEqual([])
  })

  test('fetches all of them in their order', async () => {
    await loseHere()
    expect(await copy('--from', '-t', 't1', '--all')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^copied 3 snapshots of box\/db to this machine/),
    })
    expect(await scene.names('coordinator')).toEqual(kept)
    expect(await copy('--from', '-t', 't1', '--all')).toMatchObject({
      stderr: expect.stringContaining('nothing to copy'),
    })
  })

  test('sends what came from another target, if nothing is kept of this one', async () => {
    expect(await copy('--to', '-t', 't2', '--all')).toMatchObject({ status: 0 })
    const [directory] = [scene.path('state/targets/t2/dysnomia/generations/box/db')]
    expect(readdirSync(directory)).toHaveLength(3)
  })

  test('takes the targets from an infrastructure model, for a deployment that is not known here', async () => {
    const target = { properties: { hostname: 'localhost' }, clientInterface: 'local' }
    const file = scene.write('infrastructure.json', JSON.stringify({ t1: target }))
    expect(await copy('--from', '-t', 't1', '-p', 'other', '-i', file)).toMatchObject({ status: 0 })
    expect(await scene.names('coordinator', '-p', 'other')).toEqual(kept.slice(-1))
    expect(await copy('--from', '-t', 't9', '-p', 'other', '-i', file)).toMatchObject({ status: 64 })
    expect(await copy('--from', '-t', 't1', '-p', 'third')).toMatchObject({ status: 1 })
  })

  test('refuses where there is nothing to copy, and what it cannot understand', async () => {
    expect(await scene.run('copy-snapshots', ['--from', '-t', 't1', '-c', 'box', '-C', 'none'])).toMatchObject({
      status: 66,
      stderr: expect.stringContaining("'t1' has no snapshot of box/none"),
    })
    expect((await scene.run('copy-snapshots', ['--to', '-t', 't1', '-c', 'box', '-C', 'none'])).status).toBe(66)
    for (const words of [[], ['--to', '--from']])
      expect(await copy(...words, '-t', 't1')).toMatchObject({ status: 64, stderr: expect.stringContaining('--from') })
  })
})
