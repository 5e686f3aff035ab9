import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { expect, test } from 'vitest'

import { Scene } from './scene.ts'

const scene = new Scene()

/** Makes a store with three generations of two snapshots, in the way of Dysnomia. */
async function storeOf(name: string): Promise<string> {
  for (const text of ['one', 'two']) {
    const directory = scene.path(`made/${text}`)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'dump'), text)
  }
  const store = scene.path(name)
  const options = ['--store', store, '--import', '-c', 'box', '-C', 'db']
  for (const text of ['one', 'two', 'one']) await scene.output('snapshots', ...options, scene.path(`made/${text}`))
  return store
}

test('davit-snapshots --store lists, resolves, compares and cleans up', async () => {
  const store = await storeOf('dysnomia')
  const ask = (...words: readonly string[]) => scene.output('snapshots', '--store', store, ...words)
  expect(await ask()).toBe('box/db/one\nbox/db/two\nbox/db/one\n')
  expect(await ask('--latest', '-c', 'box')).toBe('box/db/one\n')
  expect(await ask('-C', 'other')).toBe('')
  expect(await ask('--resolve', 'box/db/two')).toBe(`${store}/snapshots/box/db/two\n`)
  expect(await ask('--print-missing', 'box/db/two', 'box/db/three')).toBe('box/db/three\n')
  const exporting = ['--store', store, '--export', 'box/db/two']
  const [copy = ''] = (
    await scene.run('snapshots', exporting, { environment: { TMPDIR: scene.directory } })
  ).stdout.split('\n')
  expect(readFileSync(join(copy, 'two/dump'), 'utf8')).toBe('two')
  expect(await ask('--gc')).toBe('')
  expect([await ask(), readdirSync(join(store, 'snapshots/box/db'))]).toEqual(['box/db/one\n', ['one']])
  expect(basename(await ask('--resolve', 'box/db/two'))).toBe('two\n')
})

test('davit-snapshots --store tells an empty store from none', async () => {
  const empty = scene.path('empty')
  mkdirSync(empty)
  for (const more of [[], ['--latest']])
    expect(await scene.run('snapshots', ['--store', empty, ...more])).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('there are no such snapshots') as string,
    })
  writeFileSync(scene.path('file'), '')
  for (const store of [scene.path('nowhere'), scene.path('file')])
    expect(await scene.run('snapshots', ['--store', store])).toMatchObject({
      status: 66,
      stderr: expect.stringContaining(`there is no directory '${store}'`) as string,
    })
})

test('davit-snapshots --store leaves what belongs to deployments to their tools', async () => {
  const store = await storeOf('state/targets/t9/dysnomia')
  mkdirSync(join(store, '../active'))
  const { status, stderr } = await scene.run('snapshots', ['--store', store, '--gc', '--keep', '0'])
  expect([status, stderr]).toEqual([64, expect.stringContaining('use davit-clean-snapshots') as string])
  expect(await scene.output('snapshots', '--store', store, '--latest')).toBe('box/db/one\n')
})

test.each([
  [['--latest'], '--latest needs --store'],
  [['--store', '/nowhere/x', '--latest', '--gc'], '--latest and --gc exclude each other'],
  [['--store', '/nowhere/x', '--import', 'y'], 'the snapshots belong to no component'],
  [['--store', '/nowhere/x', '--resolve'], '--resolve names nothing'],
  [['--store', '/nowhere/x', '--import', '-c', 'box', '-C', 'db'], '--import names nothing'],
  [['--store', '/nowhere/x', '-S', 'y'], 'one container and one component at most'],
  [['manifest.xml', 'more'], "unexpected operand 'more'"],
])('davit-snapshots %j is refused', async (words, reason) => {
  const { status, stderr } = await scene.run('snapshots', words)
  expect([status, stderr]).toEqual([64, expect.stringContaining(reason) as string])
})
