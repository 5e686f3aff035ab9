import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { scratchDirectory } from '@davit/testing/scratch'
import { describe, expect, test } from 'vitest'

import { chooseRestorations, isSelected, parseWanted, selectsAll } from '../src/state-runner.ts'
import { manifest, type Placed, scene, stateful, tableMachine } from './scene.ts'

/** Snapshots that the coordinator keeps, by target and component: names in the order of their generations, with the days of November. */
type Kept = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Chooses for services `db t1`, or `db t2 from db t1`; returns the snapshots, and what was said. */
async function chosen(placed: Placed, arrivals: readonly string[], kept: Kept, wanted = 'latest') {
  const directory = scratchDirectory()
  for (const [target, components] of Object.entries(kept)) {
    for (const component of Object.keys(components)) {
      const path = join(directory, 'coordinator/default/snapshots', target, 'dysnomia/generations/box', component, '1')
      mkdirSync(path, { recursive: true })
    }
  }
  const snapshots = ([place = '', , component = '']: readonly string[]) => {
    const [, target = ''] = /snapshots\/(.*)$/.exec(place) ?? []
    const names = kept[target]?.[component]?.split(' ') ?? []
    return names.map((name, index) => {
      const [text, day = '1'] = name.split('@')
      return `generation box ${component} ${index + 1} ${text} ${Date.UTC(2026, 10, Number(day)) / 1000}`
    })
  }
  const here = tableMachine({ stateDirectory: directory, answers: { snapshots } })
  const all = manifest(placed)
  const { scene: made, said } = scene(all, {}, { here })
  const found = await chooseRestorations(
    arrivals.map((text) => {
      const [to = '', from] = text.split(' from ')
      return { to: stateful(all, to), from: from === undefined ? undefined : stateful(all, from) }
    }),
    wanted === 'latest' ? { kind: 'latest' } : parseWanted(wanted),
    made,
  )
  const lines = found.map(
    ({ to, target, component, snapshot }) =>
      `${to.service.name} on ${to.mapping.target}: ${snapshot?.name} of ${component.component} from ${target}`,
  )
  return { lines, said }
}

describe('chooseRestorations()', () => {
  test('chooses the newest that is kept, of any target', async () => {
    const kept = { t1: { db: 'A@1 B@2' }, t2: { db: 'C@5' } }
    expect(await chosen({ db: ['t3'] }, ['db t3'], kept)).toEqual({ lines: ['db on t3: C of db from t2'], said: [] })
  })

  test('chooses that of the same target for one of several instances', async () => {
    const kept = { t1: { db: 'A@1' }, t2: { db: 'C@5' } }
    const { lines } = await chosen({ db: ['t1', 't2'] }, ['db t1', 'db t2'], kept)
    expect(lines).toEqual(['db on t1: A of db from t1', 'db on t2: C of db from t2'])
  })

  test('chooses that of the target from which the state moves, and of the name that it had there', async () => {
    const kept = { t1: { old: 'A@1' }, t2: { db: 'C@5', old: 'D@5' } }
    const { lines } = await chosen({ db: ['t2'], old: ['t1'] }, ['db t2 from old t1'], kept)
    expect(lines).toEqual(['db on t2: A of old from t1'])
  })

  test('falls back to what is kept under the own name, if nothing is kept of that from which it moves', async () => {
    const { lines } = await chosen({ db: ['t2'], old: ['t1'] }, ['db t2 from old t1'], { t3: { db: 'C@5' } })
    expect(lines).toEqual(['db on t2: C of db from t3'])
  })

  test('says of what nothing is kept, and restores the rest', async () => {
    const kept = { t1: { db: 'A@1' } }
    expect(await chosen({ db: ['t1'], web: ['t1'] }, ['web t1', 'db t1'], kept)).toEqual({
      lines: ['db on t1: A of db from t1'],
      said: ["warning: [t1] no snapshot of 'web' is kept on this machine, so it is not restored"],
    })
  })

  test('refuses as a whole if something had no snapshot at the time that is wanted', async () => {
    const kept = { t1: { db: 'A@1', web: 'B@9' } }
    await expect(chosen({ db: ['t1'], web: ['t1'] }, ['web t1', 'db t1'], kept, '2026-11-05')).rejects.toMatchObject({
      code: 'no-snapshot',
      message: "this machine keeps no snapshot as old as 2026-11-05 of 'web' on 't1'",
      hint: expect.stringContaining('nothing was restored'),
    })
    const { lines } = await chosen({ db: ['t1'] }, ['db t1'], { t1: { db: 'A@1 B@9' } }, '2026-11-05')
    expect(lines).toEqual(['db on t1: A of db from t1'])
  })

  describe('by the beginning of a name', () => {
    test('chooses that one, for all instances with the same state', async () => {
      const kept = { t1: { db: 'abc@1' }, t2: { db: 'abc@2 xyz@3' } }
      const { lines } = await chosen({ db: ['t1', 't2'] }, ['db t1', 'db t2'], kept, 'ab')
      expect(lines).toEqual(['db on t1: abc of db from t1', 'db on t2: abc of db from t2'])
    })

    test('refuses one that nothing has', async () => {
      await expect(chosen({ db: ['t1'] }, ['db t1'], { t1: { db: 'abc' } }, 'x')).rejects.toMatchObject({
        code: 'no-snapshot',
        message: "this machine keeps no snapshot 'x' of these services",
      })
    })

    test('refuses one that several have, and lists these', async () => {
      await expect(chosen({ db: ['t1'] }, ['db t1'], { t1: { db: 'abc abd' } }, 'ab')).rejects.toMatchObject({
        code: 'usage',
        exitStatus: 64,
        message: "'ab' is the beginning of several snapshots",
        hint: 'write more of the name: abc, abd',
      })
    })

    test('refuses one that several components have', async () => {
      const kept = { t1: { db: 'abc', web: 'abc' } }
      await expect(chosen({ db: ['t1'], web: ['t1'] }, ['db t1', 'web t1'], kept, 'ab')).rejects.toMatchObject({
        code: 'usage',
        message: "'ab' is a snapshot of several components",
        hint: "select one of 'db', 'web' with -S, -c or -C",
      })
    })
  })
})

describe('a selection', () => {
  const all = manifest({ db: ['t1'] })
  const none = { containers: [], components: [], services: [] }

  test.each([
    [{}, true],
    [{ services: ['db'] }, true],
    [{ services: ['web'] }, false],
    [{ components: ['web', 'db'] }, true],
    [{ components: ['web'] }, false],
    [{ containers: ['other'] }, false],
    [{ containers: ['box'], services: ['web'] }, false],
  ])('of %j selects db in box: %s', (more, isIn) => {
    const selection = { ...none, ...more }
    expect([isSelected(stateful(all, 'db t1'), selection), selectsAll(selection)]).toEqual([
      isIn,
      Object.keys(more).length === 0,
    ])
  })
})
