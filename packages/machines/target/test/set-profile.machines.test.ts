import { mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

import type { ProfileName, StorePath, TargetName } from '@davit/documents'
import { installedShells } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { setProfile } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

const place = { target: 't1' as TargetName, profile: 'default' as ProfileName }

afterAll(closeScenes)

describe.each(installedShells())('on a machine with $name', (shell) => {
  test('setProfile() adds a generation only if the profile changed', async () => {
    const { directory, machine } = await Scene.open(shell)
    const [first, second] = ['a', 'b'].map((name) => join(directory, name) as StorePath) as [StorePath, StorePath]
    for (const path of [first, second]) mkdirSync(path)
    const set = (path: StorePath, generations: 'add' | 'reuse' = 'add') =>
      setProfile(machine, { ...place, token: '-', path, generations, store: { kind: 'native', directory } })
    expect(await set(first)).toEqual({ generation: 1 })
    expect(await set(first)).toBe('unchanged')
    expect(await set(second)).toEqual({ generation: 2 })
    const profiles = join(directory, 'state/targets/t1/profiles/default')
    symlinkSync('2-link', join(profiles, 'current.new'))
    expect(await set(first)).toEqual({ generation: 3 })
    expect(readdirSync(profiles).toSorted()).toEqual(['1-link', '2-link', '3-link', 'current'])
    expect(readlinkSync(join(profiles, 'current'))).toBe('3-link')
    const roots = join(directory, '.davit/roots')
    const [root = ''] = readdirSync(roots).filter((name) => /^profile:t1:default:[0-9a-f]+$/.test(name))
    expect(readlinkSync(join(roots, root))).toBe(profiles)
    expect(await set(second, 'reuse')).toEqual({ generation: 2 })
    expect(await set(second, 'reuse')).toBe('unchanged')
    expect(await set(first, 'reuse')).toEqual({ generation: 1 })
    expect(await set(second)).toEqual({ generation: 4 })
    const third = join(directory, 'c') as StorePath
    mkdirSync(third)
    expect(await set(third, 'reuse')).toEqual({ generation: 5 })
    expect(readlinkSync(join(profiles, 'current'))).toBe('5-link')
  })

  test.runIf(shell.inDepth)(
    'setProfile() compares paths of profiles, and refuses one that does not exist',
    async () => {
      const { directory, machine } = await Scene.open(shell)
      mkdirSync(join(directory, 'real', 'a'), { recursive: true })
      symlinkSync('real', join(directory, 'store'))
      const set = (name: string) =>
        setProfile(machine, {
          ...place,
          token: '-',
          path: join(directory, name) as StorePath,
          generations: 'add',
          store: { kind: 'native', directory },
        })
      expect(await set('store/a')).toEqual({ generation: 1 })
      expect(await set('store/a')).toBe('unchanged')
      await expect(set('store/b')).rejects.toMatchObject({ code: 'no-profile' })
    },
  )
})
