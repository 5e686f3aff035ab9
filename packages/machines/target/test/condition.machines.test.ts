import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { notingShells } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { acquireLock, readCondition } from '../src/target.ts'
import { factIn } from '../src/condition-fact.ts'
import { closeScenes, Scene } from './scene.ts'
import { testCalls } from './functions.ts'

afterAll(closeScenes)

const place = { target: 't1', profile: 'default' } as never
const RUN = { token: 'run-1', owner: '{"user":"alice"}', leaseSeconds: 60 }

describe.concurrent.each(notingShells())('readCondition() on a machine with $name', (shell) => {
  const open = async () => {
    const scene = await Scene.open(shell)
    const machine = await scene.machineFor('check')
    return { scene, condition: () => readCondition(machine, [scene.path('store')]) }
  }

  test('tells the time, the account, versions and disks, and nothing more where nothing was done', async () => {
    const { scene, condition } = await open()
    const told = await condition()
    expect(Math.abs(told.clock.getTime() - Date.now())).toBeLessThan(3_600_000)
    expect(told.account).toMatch(/^\w/)
    expect([...told.versions.keys()]).toEqual(expect.arrayContaining(['kernel', 'tar']))
    expect(told.disks.map(({ path }) => path)).toEqual([scene.path('state'), scene.path('store'), '/tmp'])
    expect(told.disks.every(({ bytes }) => bytes !== undefined && bytes.left <= bytes.total)).toBe(true)
    expect(told).toMatchObject({
      unwritable: [],
      open: undefined,
      locks: [],
      trials: [],
      unreached: [],
      broken: [],
      rubbish: [],
      givenUp: 0,
    })
  })

  test('tells what runs have left', async () => {
    const { scene, condition } = await open()
    await acquireLock(scene.machine, place, RUN)
    const below = (...names: readonly string[]) => {
      const directory = join(scene.directory, ...names)
      mkdirSync(directory, { recursive: true })
      return directory
    }
    below('state/targets/t1/trials/default')
    below('state/targets/t1/trials/.gone.default')
    below('state/targets/t1/trials/a profile')
    const given = below('state/targets/t1/abandoned/default')
    for (const name of ['1', '2']) mkdirSync(join(given, name))
    const profiles = below('state/targets/t1/profiles/default')
    const wanted = scene.path('store/wanted')
    for (const name of ['3.run-0.7', 'foo']) symlinkSync(wanted, join(profiles, `wanted.next.${name}`))
    symlinkSync('1-link', join(profiles, 'current'))
    symlinkSync(scene.path('store/gone'), join(profiles, '1-link'))
    chmodSync(scene.path('state'), 0o777)
    const hidden = below('store/.davit/incoming')
    below('store/.davit/registrations')
    mkdirSync(join(hidden, 'transfer.1'))
    symlinkSync('999999999:1:of-yore', join(hidden, 'transfer.1.lock'))
    for (const name of ['valid', 'invalid']) writeFileSync(scene.path(`store/${'0'.repeat(32)}-${name}`), '')
    writeFileSync(join(below('store/.davit/registrations'), `${'0'.repeat(32)}-valid.json`), '')
    expect(await condition()).toMatchObject({
      open: scene.path('state'),
      locks: [
        { target: 't1', profile: 'default', holder: { token: 'run-1', owner: '{"user":"alice"}', isOver: false } },
      ],
      trials: [{ target: 't1', profile: 'default' }],
      unreached: [{ target: 't1', profile: 'default', token: 'run-0' }],
      broken: [{ target: 't1', profile: 'default', path: scene.path('store/gone') }],
      rubbish: [{ store: scene.path('store'), count: 2 }],
      givenUp: 2,
    })
  })

  test.runIf(shell.inDepth).each([
    ['characters that patterns know', 'p*q?r'],
    ['brackets, quotes and backslashes', String.raw`p*q?r[s]t\u'v"w$x`],
    ['characters beyond ASCII', 'größe-🚢'],
  ])('tells a path with %s', async (_, name) => {
    const { scene, condition } = await open()
    const profiles = scene.path('state/targets/t1/profiles/default')
    mkdirSync(profiles, { recursive: true })
    symlinkSync('1-link', join(profiles, 'current'))
    symlinkSync(scene.path(`store/${name}`), join(profiles, '1-link'))
    expect(await condition()).toMatchObject({ broken: [{ path: scene.path(`store/${name}`) }] })
  })

  test.runIf(shell.inDepth)('takes a profile that was reached for one', async () => {
    const { scene, condition } = await open()
    const profiles = scene.path('state/targets/t1/profiles/default')
    mkdirSync(profiles, { recursive: true })
    for (const name of ['3.run-0.7', 'foo']) symlinkSync(scene.directory, join(profiles, `wanted.next.${name}`))
    symlinkSync('1-link', join(profiles, 'current'))
    symlinkSync(scene.directory, join(profiles, '1-link'))
    expect(await condition()).toMatchObject({ unreached: [], broken: [] })
  })

  testCalls(shell, 'condition')
})

test.each([
  'clock soon',
  'starter magic',
  'disk 2f 1 2 3',
  'lock t1 - holder x',
  'trial ../x default',
  'unreached t1 default 3.a/b',
  'rubbish 2f -1',
  'version x',
  'account \u001B[2J',
])('factIn() refuses %j', (line) => {
  expect(factIn(line)).toBeUndefined()
})

test('a lying machine is refused', async () => {
  const machine = { address: 'liar', request: async () => ['clock 1', 'account 61'] }
  await expect(readCondition(machine as never, [])).rejects.toMatchObject({ code: 'bad-answer' })
})
