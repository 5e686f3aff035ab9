import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sampleOf } from '@davit/testing/effort'
import { fits, type Schema } from '@davit/testing/json-schema'
import { removeTree } from '@davit/testing/scratch'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { DATABASE, Scene, SHOP } from './scene.ts'

let root: string
let scene: Scene
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'davit-adopt-'))
  scene = await Scene.open(join(root, 'scene'))
  cpSync(scene.directory, join(root, 'opened'), COPY)
})
afterAll(() => removeTree(root))
beforeEach(() => {
  scene.meanwhile = () => {}
  beginWith('opened')
})

const COPY = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true } as const

/** Puts a copy of what was kept in place of everything else. */
function beginWith(name: string): void {
  removeTree(scene.directory)
  cpSync(join(root, name), scene.directory, COPY)
}

/** Paths of the original profiles, by what was kept with them. */
const originals = new Map<string, string>()

/** Begins with a deployment of Disnix that was adopted, with these snapshots; that is done once. Returns the original profile. */
async function adopted(...names: readonly string[]): Promise<string> {
  const name = `adopted-${names.join('-')}`
  const known = originals.get(name)
  if (known !== undefined) {
    beginWith(name)
    return known
  }
  const original = scene.deployOriginal()
  if (names.length > 0) scene.keepState(...names)
  await scene.adopt()
  cpSync(scene.directory, join(root, name), COPY)
  originals.set(name, original)
  return original
}

const snapshots = () => join(scene.state, 'targets/t1/dysnomia')

describe('davit-adopt', () => {
  test('writes what davit has to know, and leaves everything of Disnix as it is', async () => {
    const original = scene.deployOriginal()
    scene.keepState('one', 'two')
    const before = [scene.files(scene.nix), scene.files(scene.dysnomia)]
    const outcome = await scene.adopt()
    expect(outcome.stdout).toBe(
      `t1: ${original}\n  'database' in container 'echo'\n  'shop' in container 'echo'\n` +
        '  snapshot echo/database/one\n  snapshot echo/database/two\n',
    )
    expect(outcome.messages).toContain('generation 1 on the coordinator, as the targets have it')
    expect([scene.files(scene.nix), scene.files(scene.dysnomia)]).toEqual(before)
    expect(scene.record(SHOP)).toMatch(/^property\.port 8080$/m)
    const { profiles, serviceMappings, snapshotMappings } = await scene.manifest()
    expect([[...profiles.keys()], serviceMappings.length, snapshotMappings.length]).toEqual([['t1'], 2, 1])
    expect(profiles.get('t1' as never)).not.toBe(original)
    expect(existsSync(join(profiles.get('t1' as never) ?? '', 'modules/echo'))).toBe(true)
  })

  test('takes snapshots and markers over, without copying a byte', async () => {
    scene.deployOriginal()
    scene.keepState('one', 'two')
    await scene.adopt()
    const marker = scene.record(DATABASE)
    expect(scene.files(snapshots())).toEqual({
      ...Object.fromEntries(
        Object.entries(scene.files(scene.dysnomia)).filter(([name]) => !name.startsWith('activated')),
      ),
      'activated/echo/database': expect.stringContaining(marker.trimEnd()) as string,
      'activated/echo/shop': '',
    })
    const inode = (root: string) => statSync(join(root, 'snapshots/echo/database/one/dump/rows')).ino
    expect(inode(snapshots())).toBe(inode(scene.dysnomia))
  })

  test('changes nothing a second time, and has nothing to do', async () => {
    await adopted('one', 'two')
    const before = scene.files(scene.state)
    const outcome = await scene.adopt()
    expect([outcome.stdout, outcome.messages, outcome.journalled]).toEqual([
      '',
      ["nothing to adopt: Disnix has deployed nothing as 'default' that davit does not know"],
      0,
    ])
    expect(scene.files(scene.state)).toEqual(before)
  })

  test('writes nothing in a dry run, which prints the same', async () => {
    const original = scene.deployOriginal()
    scene.keepState('one')
    const outcome = await scene.adopt('--dry-run', '--format', 'json')
    const file = new URL('../../../../docs/formats/schemas/adoption.json', import.meta.url)
    const schema = JSON.parse(readFileSync(file, 'utf8')) as Schema
    expect(fits(schema, JSON.parse(outcome.stdout))).toBe(true)
    expect(JSON.parse(outcome.stdout)).toEqual({
      document: 'adoption',
      version: 1,
      profile: 'default',
      isDryRun: true,
      targets: [
        {
          target: 't1',
          original,
          services: [
            { name: 'database', key: DATABASE, container: 'echo', state: 'adopted' },
            { name: 'shop', key: SHOP, container: 'echo', state: 'adopted' },
          ],
          snapshots: [{ container: 'echo', component: 'database', name: 'one' }],
        },
      ],
    })
    expect([scene.files(scene.state), outcome.journalled]).toEqual([{}, 0])
  })

  const cuts: readonly (readonly [string, string])[] = [
    ['records', 'targets/t1/active/default'],
    ['the profile', 'targets/t1/profiles'],
    ['snapshots', 'targets/t1/dysnomia'],
    ['the generation', 'coordinator/default'],
  ]
  test.each(sampleOf(cuts, 2))('finishes what a run has begun that was cut off before %s', async (_, lost) => {
    await adopted('one', 'two')
    const whole = Object.keys(scene.files(join(scene.state, 'targets')))
    rmSync(join(scene.state, lost), { recursive: true })
    rmSync(join(scene.state, 'adopted'), { recursive: true })
    await scene.adopt()
    expect(Object.keys(scene.files(join(scene.state, 'targets')))).toEqual(whole)
    expect(scene.generations()).toEqual(['1'])
    expect((await scene.adopt()).stdout).toBe('')
  })

  test('adds the generation if everything else was done', async () => {
    await adopted()
    const { profiles } = await scene.manifest()
    rmSync(join(scene.state, 'coordinator'), { recursive: true })
    await scene.adopt()
    expect((await scene.manifest()).profiles).toEqual(profiles)
  })

  test('adopts a deployment again of which davit has lost its state on the target', async () => {
    const original = await adopted()
    rmSync(join(scene.state, 'targets'), { recursive: true })
    expect((await scene.adopt()).stdout).toMatch(`t1: ${original}\n`)
    expect(scene.record(SHOP)).toContain('module /')
    expect((await scene.adopt()).stdout).toBe('')
  })

  test('makes no profiles if everything else was done', async () => {
    await adopted()
    rmSync(join(scene.state, 'coordinator'), { recursive: true })
    scene.installModule('echo')
    const stored = () => readdirSync(join(scene.directory, 'store')).toSorted()
    const before = stored()
    const outcome = await scene.adopt('--modules', join(scene.directory, 'modules'))
    expect(outcome.messages).toEqual([
      "nothing to adopt: Disnix has deployed nothing as 'default' that davit does not know",
      'generation 1 on the coordinator, as the targets have it',
    ])
    expect(stored()).toEqual(before)
  })

  test('records its options and the version of davit with the generation', async () => {
    scene.deployOriginal()
    await scene.adopt('--replace', '--no-lock')
    const kept = JSON.parse(
      readFileSync(join(scene.state, 'coordinator/default/generations/1/made-from.json'), 'utf8'),
    ) as {
      readonly davit: string
      readonly order: { readonly tool: string; readonly options: object }
    }
    expect(kept.davit).toMatch(/^\d/)
    expect([kept.order.tool, kept.order.options]).toEqual([
      'davit-adopt',
      { infrastructure: scene.infrastructure, replace: true, lock: false },
    ])
  })

  test('names targets that cannot be reached, and leaves them out if asked to', async () => {
    scene.deployOriginal()
    scene.targets('t1', 'away')
    await expect(scene.adopt()).rejects.toMatchObject({ code: 'targets-unreachable', fields: { targets: ['away'] } })
    expect(scene.files(scene.state)).toEqual({})
    const outcome = await scene.adopt('--partial')
    expect(outcome.stdout).toMatch(/^t1: /)
    expect(outcome.messages.filter((message) => message.startsWith('left out'))).toHaveLength(1)
    expect([...(await scene.manifest()).profiles.keys()]).toEqual(['t1'])
  })

  test('refuses a deployment that Disnix is changing', async () => {
    scene.deployOriginal()
    writeFileSync(join(scene.temporary, 'disnix-default.lock'), '')
    await expect(scene.adopt()).rejects.toMatchObject({
      code: 'original-locked',
      exitStatus: 75,
      diagnostics: [
        {
          message: expect.stringContaining(`target 't1': the lock '${scene.temporary}/disnix-default.lock'`) as string,
        },
      ],
    })
    expect(scene.files(scene.state)).toEqual({})
  })

  test('says what an unfinished first deployment has left', async () => {
    scene.keepState('one')
    writeFileSync(join(scene.temporary, 'disnix-default.lock'), '')
    await expect(scene.adopt()).rejects.toMatchObject({
      code: 'original-locked',
      exitStatus: 75,
      diagnostics: [
        { message: `target 't1': the lock '${scene.temporary}/disnix-default.lock' is there` },
        { message: "target 't1': 'database' in container 'echo' is marked as active" },
        { message: "target 't1': 'shop' in container 'echo' is marked as active" },
      ],
    })
    expect(scene.files(scene.state)).toEqual({})
  })

  test.each([['--dry-run'], []])('warns of services that Dysnomia has not marked as active %s', async (...options) => {
    const type = 'stateless'
    scene.installModule(type)
    scene.deployOriginal(['shop', 'database'], 'default', type)
    scene.keepState('one')
    rmSync(join(scene.dysnomia, 'activated/echo/shop'))
    const outcome = await scene.adopt(...options)
    expect(outcome.messages).toContain('echo/shop: in the profile of Disnix, but Dysnomia has not marked it as active')
    expect(outcome.stdout).toContain("'shop' in container 'echo'")
  })

  test('mends what an earlier version has adopted, if asked to', async () => {
    const original = await adopted()
    const notes = join(scene.state, 'targets/t1/run/adopted')
    expect(readdirSync(notes).toSorted()).toEqual([`echo:${SHOP}`, `echo:${DATABASE}`].toSorted())
    const record = scene.record(SHOP)
    // That version has noted nothing, and its module has another path.
    rmSync(notes, { recursive: true })
    rmSync(join(scene.state, 'adopted/default:taken'))
    const file = join(scene.state, `targets/t1/active/default/echo:${SHOP}/record`)
    writeFileSync(file, record.replace(/^module .*$/m, 'module /earlier/echo'))
    expect((await scene.adopt()).stdout).toBe('')
    const outcome = await scene.adopt('--replace')
    expect(outcome.stdout).toContain(`t1: ${original}\n  'database' in container 'echo' (adopted before)\n`)
    expect([scene.record(SHOP), readdirSync(notes)]).toEqual([record, [`echo:${SHOP}`, `echo:${DATABASE}`]])
    expect((await scene.adopt('--replace')).stdout).toBe('')
  })

  test.each([
    ['has deployed again', () => scene.deployOriginal(['database']), 'original-changed'],
    ['has begun to', () => writeFileSync(join(scene.temporary, 'disnix-default.lock'), ''), 'original-locked'],
  ])('adopts nothing if Disnix %s meanwhile', async (_, meanwhile, code) => {
    scene.deployOriginal()
    scene.keepState('one')
    scene.meanwhile = meanwhile
    await expect(scene.adopt()).rejects.toMatchObject({ code })
    const written = ['active', 'profiles', 'dysnomia'].filter((name) =>
      existsSync(join(scene.state, 'targets/t1', name)),
    )
    expect([written, existsSync(join(scene.state, 'adopted')), scene.generations()]).toEqual([[], false, []])
  })

  test('refuses what is not what davit has deployed under the same name', async () => {
    await adopted()
    scene.deployOriginal(['database'])
    const before = scene.files(scene.state)
    await expect(scene.adopt()).rejects.toMatchObject({
      code: 'contradictory-deployment',
      diagnostics: [
        { message: "'shop' in container 'echo' on 't1' is active according to its record, but not in the profile" },
      ],
    })
    expect(scene.files(scene.state)).toEqual(before)
  })

  test('adopts what Disnix has deployed since, if that is to count', async () => {
    await adopted()
    const { profiles } = await scene.manifest()
    const original = scene.deployOriginal(['database'])
    const outcome = await scene.adopt('--replace')
    expect(outcome.stdout).toBe(`t1: ${original}\n  'database' in container 'echo' (adopted before)\n`)
    expect(outcome.messages[0]).toMatch(/^put aside what davit knew of 'shop': its record is now '.*abandoned/)
    expect(readdirSync(join(scene.state, 'targets/t1/active/default'))).toEqual([`echo:${DATABASE}`])
    expect((await scene.manifest()).profiles).not.toEqual(profiles)
    expect((await scene.adopt('--replace')).stdout).toBe('')
  })

  const damages: readonly (readonly [string, string, string])[] = [
    ['a damaged record', 'record', 'shop'],
    ['a record that is empty', 'record', ''],
    ['a damaged state', 'state', 'rubbish'],
  ]
  test.each(sampleOf(damages, 1))('makes %s anew, if asked to', async (_, file, text) => {
    await adopted()
    const record = scene.record(SHOP)
    rmSync(join(scene.state, 'adopted'), { recursive: true })
    const directory = join(scene.state, `targets/t1/active/default/echo:${SHOP}`)
    writeFileSync(join(directory, file), text)
    await expect(scene.adopt()).rejects.toMatchObject({ hint: expect.stringContaining('--replace') as string })
    const outcome = await scene.adopt('--replace')
    expect(outcome.stdout).toMatch(
      /'database' in container 'echo' \(adopted before\)\n {2}'shop' in container 'echo'\n$/,
    )
    expect(scene.record(SHOP)).toBe(record)
    const [aside = ''] = /'\/.*abandoned.*'/.exec(outcome.messages.join('\n')) ?? []
    expect(readFileSync(join(aside.slice(1, -1), file), 'utf8')).toBe(text)
    expect((await scene.adopt()).stdout).toBe('')
  })

  test('makes a record of which a crash has left nothing but its directory', async () => {
    scene.deployOriginal()
    mkdirSync(join(scene.state, `targets/t1/active/default/echo:${SHOP}`), { recursive: true })
    expect((await scene.adopt()).stdout).not.toContain('adopted before')
    expect(scene.record(SHOP)).toContain('module /')
  })

  test('takes modules of Dysnomia for types of which davit has none, and refuses what nobody has', async () => {
    scene.deployOriginal(['shop'], 'default', 'strange-type')
    const refused = {
      code: 'no-module',
      diagnostics: [
        { message: "there is no module for type 'strange-type', used by 'shop', and Dysnomia has none on 't1'" },
      ],
    }
    await expect(scene.adopt('--dry-run')).rejects.toMatchObject(refused)
    await expect(scene.adopt()).rejects.toMatchObject(refused)
    expect(scene.files(scene.state)).toEqual({})
    const module = scene.installModule('strange-type')
    const outcome = await scene.adopt()
    expect(outcome.messages).toContain("'strange-type': davit calls the module of Dysnomia that is there")
    expect(scene.record(SHOP)).toContain(`module ${module}\n`)
  })

  test('takes no module of Dysnomia where there is another one', async () => {
    scene.deployOriginal(['shop'])
    const module = scene.installModule('echo')
    await scene.adopt()
    expect(scene.record(SHOP)).not.toContain(`module ${module}\n`)
  })

  test('adopts deployments that share a component', async () => {
    scene.deployOriginal(['shop', 'database'])
    scene.deployOriginal(['database'], 'other')
    scene.keepState('one')
    await scene.adopt()
    const marker = scene.files(snapshots())['activated/echo/database']
    const outcome = await scene.adopt('-p', 'other')
    expect(outcome.stdout).toMatch(/\n {2}'database' in container 'echo'\n$/)
    expect(scene.files(snapshots())['activated/echo/database']).toBe(marker)
    expect(readdirSync(join(scene.state, 'targets/t1/active'))).toEqual(['default', 'other'])
  })

  test('adopts another deployment beside the first', async () => {
    scene.deployOriginal(['database'])
    scene.deployOriginal(['shop'], 'other')
    await scene.adopt()
    await scene.adopt('-p', 'other')
    expect(readdirSync(join(scene.state, 'adopted')).toSorted()).toEqual([
      'default',
      'default:components',
      'default:taken',
      'other',
      'other:components',
      'other:taken',
    ])
  })

  test('names the deployments of Disnix if it does not know the one that is wanted', async () => {
    scene.deployOriginal(['shop'], 'other')
    await expect(scene.adopt()).rejects.toMatchObject({
      code: 'nothing-found',
      hint: "they have 'other' of Disnix: davit-adopt takes such a deployment over",
    })
  })

  test('refuses a machine with several targets if none of them has the name of the profile', async () => {
    scene.deployOriginal()
    scene.targets('x', 'y')
    await expect(scene.adopt()).rejects.toMatchObject({ code: 'original-of-no-target' })
    scene.targets('x', 't1')
    expect((await scene.adopt()).stdout).toMatch(/^t1: /)
  })
})
