import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { notingShells } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { lackingModules, referenceToDysnomia, observeMachine, performActivity, resolveModules } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'
import { testCalls } from './functions.ts'

const directory = mkdtempSync(join(tmpdir(), 'davit-dysnomia-'))
let scenes = 0

afterAll(() => {
  closeScenes()
  rmSync(directory, { recursive: true, force: true })
})

const TYPE = 'mongo-database'
const REFERENCE = referenceToDysnomia(TYPE)

describe.concurrent.each(notingShells())('a module of the Dysnomia of a machine with $name', (shell) => {
  /** The directory `given` is in `DYSNOMIA_MODULES_PATH`; the program `dysnomia` is that of the installation `prefix`. */
  const open = async (...files: readonly string[]) => {
    const root = join(directory, String((scenes += 1)))
    const environment = {
      DYSNOMIA_MODULES_PATH: `relative:${root}/missing:${root}/given`,
      PATH: `${shell.path}:${root}/bin`,
    }
    for (const file of ['prefix/bin/dysnomia', ...files]) writeModule(root, file)
    mkdirSync(join(root, 'bin'))
    symlinkSync('../prefix/bin/dysnomia', join(root, 'bin/dysnomia'))
    return { root, scene: await Scene.open(shell, { environment }) }
  }
  const installed = `prefix/libexec/dysnomia/${TYPE}`

  test('is found where DYSNOMIA_MODULES_PATH says, then beside the program', async () => {
    const { root, scene } = await open(installed)
    expect(await resolveModules(scene.machine, [REFERENCE])).toEqual(new Map([[REFERENCE, join(root, installed)]]))
    writeModule(root, `given/${TYPE}`)
    const found = await resolveModules(scene.machine, [REFERENCE])
    expect(found).toEqual(new Map([[REFERENCE, join(root, `given/${TYPE}`)]]))
  })

  test.runIf(shell.inDepth)('takes the place of a module that declares it, and is what the record names', async () => {
    const { root, scene } = await open(installed, `store/${TYPE}`)
    const declared = join(root, `store/${TYPE}`)
    writeFileSync(`${declared}.activities`, 'activate\nof-dysnomia\n')
    const begun = await performActivity(scene.machine, scene.request('activate', declared))
    expect(begun).toEqual({ kind: 'succeeded' })
    expect(readFileSync(join(root, 'calls'), 'utf8')).toBe(`${installed} activate\n`)
    const { records } = await observeMachine(scene.machine, scene.profile)
    expect(records.map(({ definition }) => definition.module)).toEqual([join(root, installed)])
  })

  test.runIf(shell.inDepth)('that is missing begins nothing, and is told apart from a missing profile', async () => {
    const { root, scene } = await open('profile/modules/other', 'given/other')
    const failed = await performActivity(scene.machine, scene.request('activate', REFERENCE))
    expect(failed).toMatchObject({ kind: 'failed', message: `Dysnomia has no module '${TYPE}' here` })
    const [there, none, server] = ['profile/modules', 'none/modules', 'server'].map((path) => join(root, path))
    const expected = new Map([
      [referenceToDysnomia('../given/other'), 'profile'],
      [REFERENCE, 'profile'],
      [`${there}/${TYPE}`, 'module'],
      [`${server}/${there}/${TYPE}`, 'module'],
      [`${none}/other`, 'profile'],
      [`${server}/${none}/other`, 'profile'],
    ])
    expect(await lackingModules(scene.machine, [...expected.keys(), `${there}/other`])).toEqual(expected)
  })

  testCalls(shell, 'modules-of-dysnomia')
})

/** A module that tells which one it is. */
function writeModule(root: string, file: string): void {
  const path = join(root, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\necho '${file}' "$1" >>'${root}/calls'\n`, { mode: 0o755 })
}
