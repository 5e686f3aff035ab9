import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import type { InstantiatedPackage, StorePath } from '@davit/documents'
import { removeTree } from '@davit/files'
import { type NativeStore, openNativeStore, storeLayout, timeOfContent } from '@davit/store'
import { notingShells, type Shell } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { findAltered } from '../src/native/altered.ts'
import { nativeTargetStore } from '../src/native/native-target-store.ts'
import { build, type Building, ENVIRONMENT, openBuilding } from './building.ts'
import { canPose } from './other-machine.ts'
import { testCalls } from './functions.ts'

const { signal } = new AbortController()

describe.runIf(canPose).each(notingShells() as Shell[])('packages that were altered, with $name', (shell) => {
  // bash uses the same utilities as dash.
  const isNew = shell.inDepth || shell.name !== 'bash'
  let building: Building
  let pkg: InstantiatedPackage

  beforeEach(async () => {
    building = await openBuilding(shell)
    const [made] = await building.instantiate(
      build('web', 'mkdir -p $out/lib; echo one >$out/lib/a; echo two >$out/lib/b; ln -s lib/a $out/link'),
    )
    pkg = made!
  })
  afterEach(() => building.close())

  const there = () => building.there(pkg.outPath)
  const targetStore = (store: NativeStore = building.store) => nativeTargetStore(building.machine, store)
  const missing = () => targetStore().missing([pkg.outPath])
  const hidden = (place: string) => {
    const directory = building.there(join(building.store.reference.directory, '.davit', place))
    return existsSync(directory) ? readdirSync(directory) : []
  }
  const look = (paths: readonly StorePath[] = []) =>
    findAltered(building.machine, { directory: building.store.reference.directory, paths, seconds: 60 })
  const reopened = () => openNativeStore({ ...building.store.reference, environment: ENVIRONMENT })

  async function sent() {
    await building.store.realise([pkg], { report: () => {}, signal })
    await targetStore().send([pkg.outPath], { signal })
  }

  /** Builds there, and brings the output here. */
  async function builtThere() {
    building.send()
    await building.build([pkg])
    await building.fetch([pkg])
  }

  async function timeThere() {
    const [registration] = await building.store.registrations([pkg.outPath])
    const { stdout } = spawnSync('find', [there(), '!', '-type', 'l', '-printf', '%T@ %m %y\n'], { encoding: 'utf8' })
    const lines = [...new Set(stdout.trim().split('\n'))].toSorted()
    const time = `${timeOfContent(registration!.contentHash)}.0000000000`
    return { lines, expected: [`${time} 444 f`, `${time} 555 d`] }
  }

  test.runIf(isNew)('what is sent has the times of its content, and nothing is writable', async () => {
    await sent()
    const { lines, expected } = await timeThere()
    expect(lines).toEqual(expected)
  })

  test.runIf(isNew)('what is built there has the times of its content, and nothing is writable', async () => {
    await builtThere()
    const { lines, expected } = await timeThere()
    expect(lines).toEqual(expected)
  })

  test.runIf(isNew).each([
    ['an added file', 'visits.log', "'visits.log' was added or replaced"],
    ['a changed file', 'lib/a', "'lib/a' was changed"],
  ])('one with %s is not sent, and nothing of it stays there', async (_, name, what) => {
    await building.store.realise([pkg], { report: () => {}, signal })
    alter(pkg.outPath, name)
    const before = building.connection.pids.length
    await expect(targetStore().send([pkg.outPath], { signal })).rejects.toMatchObject({
      code: 'altered-package',
      message: expect.stringContaining(what),
    })
    // Not even a part of it was on its way.
    expect(building.connection.pids.length).toBe(before)
    expect(existsSync(there())).toBe(false)
    expect(hidden('incoming')).toEqual([])
    const store = await reopened()
    await store.realise([pkg], { report: () => {}, signal })
    await targetStore(store).send([pkg.outPath], { signal })
    expect(readFileSync(join(there(), 'lib/a'), 'utf8')).toBe('one\n')
  })

  test('those there are found, with what was written', async () => {
    await sent()
    expect(await look()).toEqual({ altered: [], marked: [], aside: 0, unchecked: 0 })
    alter(there(), 'a b\u00e9.log')
    const path = pkg.outPath
    const altered = [{ path, what: "'a b\u00e9.log' was added or changed" }]
    expect(await look()).toEqual({ altered, marked: [], aside: 0, unchecked: 0 })
    expect(await look([path])).toMatchObject({ altered })
  })

  test.runIf(isNew)(
    'a removed file is found, and a name that looks like a line of another package is not believed',
    async () => {
      await sent()
      const name = `x\n${'0'.repeat(32)}-other`
      alter(there(), name)
      const [{ path } = { path: '' }] = (await look()).altered
      expect(path).toBe(pkg.outPath)
      expect((await look()).altered).toHaveLength(1)
      removeTree(join(there(), name))
      expect((await look()).altered).toEqual([
        { path: pkg.outPath, what: 'something was added to it, or removed from it' },
      ])
    },
  )

  test.runIf(isNew)('those there are replaced by that of the coordinator, and set aside', async () => {
    await sent()
    alter(there(), 'visits.log')
    expect(await targetStore().markAltered([pkg.outPath])).toMatchObject([{ path: pkg.outPath }])
    expect(await missing()).toEqual([pkg.outPath])
    expect((await look()).marked).toEqual([pkg.outPath])
    expect(readFileSync(join(there(), 'visits.log'), 'utf8')).toBe('mine')
    await targetStore().send([pkg.outPath], { signal })
    expect(await missing()).toEqual([])
    expect(readdirSync(there()).toSorted()).toEqual(['lib', 'link'])
    const [aside = ''] = hidden('set-aside')
    expect(aside).toMatch(new RegExp(`^${basename(pkg.outPath)}\\.\\d+`))
    const kept = building.there(join(building.store.reference.directory, '.davit/set-aside', aside, 'visits.log'))
    expect(readFileSync(kept, 'utf8')).toBe('mine')
    expect(hidden('altered')).toEqual([])
    expect(await look()).toMatchObject({ altered: [], marked: [], aside: 1 })
    expect(lstatSync(there()).mode & 0o222).toBe(0)
  })

  test.runIf(isNew)('one there is not replaced if that of the coordinator was altered as well', async () => {
    await sent()
    alter(there(), 'visits.log')
    alter(pkg.outPath, 'visits.log')
    await expect(targetStore().markAltered([pkg.outPath])).rejects.toMatchObject({ code: 'altered-package' })
    expect(hidden('altered')).toEqual([])
  })

  test.runIf(isNew)('one that is valid there is not brought back, but built again', async () => {
    await builtThere()
    alter(there(), 'visits.log')
    for (const path of [pkg.outPath, recordOf(building.store, pkg.outPath)]) removeTree(path)
    const store = await reopened()
    const fetching = () => nativeTargetStore(building.machine, store).fetch([pkg.derivation!], { signal })
    await expect(fetching()).rejects.toMatchObject({
      code: 'altered-package',
      message: expect.stringContaining("'visits.log' was added or changed"),
    })
    expect(await store.invalidPaths([pkg.outPath])).toHaveLength(1)
    expect(await building.build([pkg])).toEqual([{ kind: 'built' }])
    // It stays until its replacement is there, except where builds write in place.
    expect([existsSync(join(there(), 'visits.log')), hidden('set-aside').length === 1]).toContain(true)
    expect(await fetching()).toMatchObject({ paths: 1 })
    expect(readdirSync(there()).toSorted()).toEqual(['lib', 'link'])
    expect(hidden('set-aside')).toHaveLength(1)
    expect(await missing()).toEqual([])
  })

  test.runIf(isNew)('a copy of one that was altered there is refused, and it is marked', async () => {
    await sent()
    alter(there(), 'lib/a')
    for (const path of [pkg.outPath, recordOf(building.store, pkg.outPath)]) removeTree(path)
    const bringing = targetStore(await reopened()).bring([pkg.outPath], { signal })
    await expect(bringing).rejects.toMatchObject({
      code: 'altered-package',
      message: expect.stringContaining("'lib/a' was added or changed"),
    })
    expect((await look()).marked).toEqual([pkg.outPath])
  })

  testCalls(shell, 'altered-packages')
})

function recordOf({ reference }: NativeStore, path: string): string {
  return join(storeLayout(reference.directory).registrations, `${basename(path)}.json`)
}

/** Writes into a package, as root can. */
function alter(path: string, name: string): void {
  const file = join(path, name)
  for (const place of [path, file]) if (existsSync(place)) chmodSync(place, lstatSync(place).mode | 0o200)
  writeFileSync(file, 'mine')
}
