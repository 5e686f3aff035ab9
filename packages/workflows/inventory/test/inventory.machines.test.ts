import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import { encodeField } from '@davit/target-runtime'
import { layOutOriginal } from '@davit/testing/original'
import { beforeEach, describe, expect, test } from 'vitest'

import { driftText, type Inventory, isDrifted, targetDriftText } from '../src/inventory.ts'
import { DeployedTargets } from './testing.ts'

const open = DeployedTargets.ofFile()
let targets: DeployedTargets
beforeEach(async () => void (targets = await open()))

/** All that is not as it should be, a line each. */
function driftIn({ targets: all }: Inventory): readonly string[] {
  return all.flatMap(({ target, drift, instances }) => [
    ...drift.map((one) => `${target}: ${targetDriftText(one)}`),
    ...instances.flatMap(({ service, drift: some }) => some.map((one) => `${service} on ${target}: ${driftText(one)}`)),
  ])
}

function edit(file: string, pattern: RegExp, text: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(pattern, text))
}

const messages = () => targets.events.flatMap((event) => ('message' in event ? [event.message] : []))

describe('takeInventory()', () => {
  test('lists what is active, and finds nothing wrong with it', async () => {
    const inventory = await targets.inventory()
    const listed = inventory.targets.map(({ target, instances }) => [
      target,
      ...instances.map(({ service, container, type, state, status }) => [service, container, type, state, status]),
    ])
    expect(listed).toEqual([
      ['back', ['api', 'box', 'silent', 'active', undefined], ['web', 'box', 'plain', 'active', 'runs']],
      ['front', ['web', 'box', 'plain', 'active', 'runs']],
      ['spare'],
    ])
    const [since] = inventory.targets.flatMap(({ instances }) => instances.map((one) => one.since))
    expect(since?.getTime()).toBeGreaterThan(Date.now() - 3_600_000)
    expect([isDrifted(inventory), messages()]).toEqual([false, []])
    expect(driftIn(await targets.inventory({ expected: targets.manifest }))).toEqual([])
  })

  test('says that Disnix has deployed since', async () => {
    const lay = (target: string) =>
      layOutOriginal(join(targets.directory, 'nix'), {
        profile: 'default',
        target,
        text: '',
        store: join(targets.directory, 'store'),
      })
    const path = lay('front')
    const inventory = await targets.inventory()
    expect(driftIn(inventory)).toEqual([`front: Disnix has deployed ${path}, which davit has not adopted`])
    expect([isDrifted(inventory), driftIn(await targets.inventory({ status: false }))]).toEqual([true, []])
    // davit has nothing of this deployment there, so that it is one of Disnix alone.
    lay('spare')
    removeTree(targets.file('spare', 'profiles'))
    expect(driftIn(await targets.inventory())).toEqual([])
  })

  test('does not look for what is wrong unless it is asked to', async () => {
    targets.stop('web')
    rmSync(join(targets.record('front', 'web'), 'record'))
    expect(driftIn(await targets.inventory({ status: false }))).toEqual([])
  })

  const web = () => targets.record('front', 'web')
  const current = () => targets.file('front', 'profiles', 'current')
  const CASES: readonly (readonly [what: string, happens: () => void, found: readonly string[]])[] = [
    ['a service that died', () => targets.stop('web'), ['web on back: does not run', 'web on front: does not run']],
    [
      'a service whose module needs a secret that nobody can resolve',
      () => appendFileSync(join(web(), 'record'), `secret.password ${encodeField('{"text":[{"env":"PASSWORD"}]}')}\n`),
      ['web on front: nobody could tell whether it runs', 'web on front: container properties changed: password'],
    ],
    [
      'services of an earlier boot',
      () =>
        ['web', 'api'].forEach((name) =>
          edit(join(targets.record('back', name), 'record'), /^boot .*/m, 'boot of-yore'),
        ),
      ['api on back: the machine was restarted since it was activated'],
    ],
    [
      'an activation that was cut off',
      () => edit(join(web(), 'state'), /^active/, 'activating'),
      ['web on front: activate was cut off'],
    ],
    [
      'a damaged record',
      () => edit(join(web(), 'record'), /^pkg .*\n/m, ''),
      ['web on front: its record is damaged: it lacks pkg'],
    ],
    [
      'a record that is gone, of a service that has died too',
      () => {
        removeTree(web())
        targets.stop('web')
      },
      ['web on back: does not run', 'web on front: not active, although it is deployed'],
    ],
    [
      'a service that runs without a record',
      () => removeTree(web()),
      ['web on front: runs, although nothing is recorded of it'],
    ],
    [
      'a record that is gone, of a service whose module cannot tell whether it runs',
      () => removeTree(targets.record('back', 'api')),
      ['api on back: not active, although it is deployed'],
    ],
    [
      'a record that should not be there',
      () => renameSync(web(), targets.record('front', 'web').replace('front', 'spare')),
      ['web on front: runs, although nothing is recorded of it', 'web on spare: active, although it is not deployed'],
    ],
    [
      'a package that is gone',
      () => removeTree(targets.pkg('web')),
      ['web on back: its package web is missing', 'web on front: its package web is missing'],
    ],
    [
      'a profile that was removed by hand',
      () => rmSync(current()),
      ['web on front: active, although it is not deployed'],
    ],
    [
      'a profile manifest that cannot be read',
      () => {
        removeTree(targets.manifest.profiles.get('front' as never)!)
        mkdirSync(targets.manifest.profiles.get('front' as never)!)
      },
      ['front: front:front/profilemanifest.xml does not exist', 'web on front: active, although it is not deployed'],
    ],
  ]

  test.each(CASES)('finds %s', async (_, happens, found) => {
    mkdirSync(join(targets.directory, 'state/targets/spare/active/default'), { recursive: true })
    happens()
    const inventory = await targets.inventory()
    expect(driftIn(inventory).map((line) => line.replace(/\/\S*\/[0-9a-z]{32}-/g, ''))).toEqual(found)
    expect(isDrifted(inventory)).toBe(true)
  })

  test('compares with a manifest: other settings, and other profiles', async () => {
    expect(driftIn(await targets.inventory({ expected: targets.withProperty('front', 2) }))).toEqual([
      'web on front: container properties changed: port',
    ])
    const [front, spare] = ['front', 'spare'].map((name) => targets.manifest.profiles.get(name as never)!)
    rmSync(current())
    symlinkSync('2-link', current())
    symlinkSync(spare!, targets.file('front', 'profiles', '2-link'))
    expect(driftIn(await targets.inventory({ expected: targets.manifest }))).toEqual([
      `front: its profile is ${spare} instead of ${front}`,
    ])
  })

  test('names a damaged record as the manifest does', async () => {
    writeFileSync(join(web(), 'record'), '')
    const { targets: all } = await targets.inventory({ status: false })
    expect(all.flatMap(({ instances }) => instances.map(({ service }) => service))).toEqual(['api', 'web', 'web'])
  })

  test('reports what the machine has of targets that were not asked for', async () => {
    const infrastructure = new Map([...targets.manifest.infrastructure].filter(([name]) => name !== 'back'))
    await targets.inventory({ infrastructure })
    expect(messages()).toEqual(["this machine also has api, web of a target 'back', which is not listed"])
  })

  test('does not show what a record must not contain', async () => {
    appendFileSync(join(web(), 'record'), 'nonsense \u001B[2J\n')
    expect(JSON.stringify(await targets.inventory())).not.toContain('\u001B')
  })
})
