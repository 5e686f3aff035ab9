import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { expect, test } from 'vitest'

import { Scene } from './scene.ts'

const scene = new Scene()

/** Makes a store with three generations of two snapshots, in the way of Dysnomia. */
function storeOf(name: string): string {
  for (const text of ['one', 'two']) {
    const directory = scene.path(`made/${text}`)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'dump'), text)
  }
  const store = scene.path(name)
  const options = ['--store', store, '--import', '-c', 'box', '-C', 'db']
  for (const text of ['one', 'two', 'one']) scene.output('snapshots', ...options, scene.path(`made/${text}`))
  return store
}

test('davit-snapshots --store lists, resolves, compares and cleans up', () => {
  const store = storeOf('dysnomia')
  const ask = (...words: readonly string[]) => scene.output('snapshots', '--store', store, ...words)
  expect(ask()).toBe('box/db/one\nbox/db/two\nbox/db/one\n')
  expect(ask('--latest', '-c', 'box')).toBe('box/db/one\n')
  expect(ask('-C', 'other')).toBe('')
  expect(ask('--resolve', 'box/db/two')).toBe(`${store}/snapshots/box/db/two\n`)
  expect(ask('--print-missing', 'box/db/two', 'box/db/three')).toBe('box/db/three\n')
  const exporting = ['--store', store, '--export', 'box/db/two']
  const [copy = ''] = scene.run('snapshots', exporting, { environment: { TMPDIR: scene.directory } }).stdout.split('\n')
  expect(readFileSync(join(copy, 'two/dump'), 'utf8')).toBe('two')
  expect(ask('--gc')).toBe('')
  expect([ask(), readdirSync(join(store, 'snapshots/box/db'))]).toEqual(['box/db/one\n', ['one']])
  expect(basename(ask('--resolve', 'box/db/two'))).toBe('two\n')
})

test('davit-snapshots --store tells an empty store from none', () => {
  const empty = scene.path('empty')
  mkdirSync(empty)
  for (const more of [[], ['--latest']])
    expect(scene.run('snapshots', ['--store', empty, ...more])).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('there are no such snapshots') as string,
    })
  writeFileSync(scene.path('file'), '')
  for (const store of [scene.path('nowhere'), scene.path('file')])
    expect(scene.run('snapshots', ['--store', store])).toMatchObject({
      status: 66,
      stderr: expect.stringContaining(`there is no directory '${store}'`) as string,
    })
})

test('davit-snapshots --store leaves what belongs to deployments to their tools', () => {
  const store = storeOf('state/targets/t9/dysnomia')
  mkdirSync(join(store, '../active'))
  const { status, stderr } = scene.run('snapshots', ['--store', store, '--gc', '--keep', '0'])
  expect([status, stderr]).toEqual([64, expect.stringContaining('use davit-clean-snapshots') as string])
  expect(scene.output('snapshots', '--store', store, '--latest')).toBe('box/db/one\n')
})

test.each([
  [['--latest'], '--latest needs --store'],
  [['--store', '/x', '--latest', '--gc'], '--latest and --gc exclude each other'],
  [['--store', '/x', '--import', 'y'], 'the snapshots belong to no component'],
  [['--store', '/x', '--resolve'], '--resolve names nothing'],
  [['--store', '/x', '--import', '-c', 'box', '-C', 'db'], '--import names nothing'],
  [['--store', '/x', '-S', 'y'], 'one container and one component at most'],
  [['manifest.xml', 'more'], "unexpected operand 'more'"],
])('davit-snapshots %j is refused', (words, reason) => {
  const { status, stderr } = scene.run('snapshots', words)
  expect([status, stderr]).toEqual([64, expect.stringContaining(reason) as string])
})
