import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noSmallDisk, smallDisk } from '@davit/testing/small-disk'
import { describe, expect, test } from 'vitest'

import { fileset, targetOf, write } from './fileset.ts'
import { installedShells } from './scene.ts'
import { contentOf } from './stateful.ts'

const [dash] = installedShells()

test.skipIf(noSmallDisk !== undefined)('keeps the state when the disk is too small for two', async () => {
  const disk = smallDisk(2_000_000)
  try {
    const scene = fileset(dash!, 'mkdir a', 'mkdir b')
    const properties = { targetDir: join(disk.directory, 'target') }
    expect(await scene.call('activate', properties)).toMatchObject({ status: 0, stderr: '' })
    const dump = scene.make('dump')
    writeFileSync(join(dump, 'directories'), '1 a\n2 b\n')
    for (const name of ['1', '2']) scene.write(join(dump, name, 'large'), 'x'.repeat(500_000))
    scene.write(join(properties.targetDir, 'a/old'), 'old')
    const before = contentOf(properties.targetDir)
    disk.fill(800_000)
    const restore = () => scene.call('restore', { ...properties, DAVIT_SNAPSHOT: scene.copyOf(dump) })
    const { status, stderr } = await restore()
    expect([status, stderr]).toEqual([1, expect.stringContaining('No space left on device')])
    expect(contentOf(properties.targetDir)).toEqual(before)
    disk.free()
    expect(await restore()).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(properties.targetDir)).toEqual(['a', 'b', 'bin'])
    expect(readdirSync(join(properties.targetDir, 'a'))).toEqual(['large'])
  } finally {
    disk.remove()
  }
})

test.skipIf(noSmallDisk !== undefined)('neither replaces nor removes a directory that is another disk', async () => {
  const disk = smallDisk(1_000_000)
  try {
    const scene = fileset(dash!, 'mkdir inner/files')
    await scene.succeed('activate')
    write(scene, { 'inner/files/a': '1' })
    const snapshot = await scene.snapshot()
    spawnSync('mount', ['--bind', disk.directory, join(targetOf(scene), 'inner/files')])
    write(scene, { 'inner/files/b': '2' })
    const refused = { status: 1, stderr: expect.stringContaining('on another file system') as string }
    expect(await scene.restore(snapshot)).toMatchObject(refused)
    expect(await scene.call('collect-garbage')).toMatchObject(refused)
    expect(scene.read('target/inner/files/b')).toBe('2')
    spawnSync('umount', ['-l', join(targetOf(scene), 'inner/files')])
  } finally {
    disk.remove()
  }
})

test.skipIf(noSmallDisk !== undefined)(
  'puts everything back when one directory of several cannot be renamed',
  async () => {
    const scene = fileset(dash!, 'mkdir a', 'mkdir b')
    await scene.succeed('activate')
    write(scene, { 'a/1': 'new', 'b/1': 'new' })
    const snapshot = await scene.snapshot()
    write(scene, { 'a/1': 'old', 'b/1': 'old' })
    const place = join(targetOf(scene), 'b')
    // A mount of the same file system: only renaming it fails.
    spawnSync('mount', ['--bind', place, place])
    const { status, stderr } = await scene.restore(snapshot)
    spawnSync('umount', ['-l', place])
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`cannot replace '${place}'; the old state is in place`),
    ])
    expect([scene.read('target/a/1'), scene.read('target/b/1')]).toEqual(['old', 'old'])
    expect(readdirSync(targetOf(scene))).toEqual(['a', 'b', 'bin'])
  },
)

describe.concurrent('killed before any of its changes, fileset', () => {
  test('restores all of the state or nothing of it', async () => {
    const { scene, states } = await replaced()
    const seen = new Set<string>()
    for (let n = 1; ; n += 1) {
      await scene.restore(states.old)
      const { status } = await scene.killed('restore', n, { DAVIT_SNAPSHOT: scene.copyOf(states.new) })
      const state = contentOf(await scene.snapshot())
      const which = Object.keys(states).filter((name) => sameContent(state, contentOf(states[name as 'old' | 'new'])))
      expect([n, ...which]).toEqual([n, expect.stringMatching(/^(old|new)$/)])
      seen.add(which.join(' '))
      expect(await scene.restore(states.new)).toMatchObject({ status: 0, stderr: '' })
      expect(contentOf(await scene.snapshot())).toEqual(contentOf(states.new))
      if (status === 0) break
    }
    expect(seen).toEqual(new Set(['old', 'new']))
    expect(readdirSync(targetOf(scene))).not.toContainEqual(expect.stringMatching(/^\./))
  })

  test('destroys all of the state or nothing of it', async () => {
    const { scene, states } = await replaced()
    await scene.succeed('deactivate')
    for (let n = 1; ; n += 1) {
      await scene.restore(states.old)
      const { status } = await scene.killed('collect-garbage', n)
      const left = contentOf(await scene.snapshot())
      const isWhole = sameContent(left, contentOf(states.old))
      expect([n, isWhole || left.length]).toEqual([n, isWhole || 1])
      await scene.succeed('collect-garbage')
      expect(readdirSync(targetOf(scene))).toEqual([])
      if (status === 0) break
    }
  })

  test.each(['activate', 'deactivate'])('repeats what it did in %s', async (activity) => {
    const scene = fileset(dash!, 'mkdir files', 'mkdir var/log')
    const opposite = activity === 'activate' ? 'deactivate' : 'activate'
    await scene.succeed('activate', activity)
    const done = contentOf(targetOf(scene))
    for (let n = 1; ; n += 1) {
      await scene.succeed(opposite)
      const { status } = await scene.killed(activity, n)
      await scene.succeed(activity)
      expect(contentOf(targetOf(scene))).toEqual(done)
      if (status === 0) break
    }
  })

  async function replaced() {
    const scene = fileset(dash!, 'mkdir a', 'mkdir b/c', 'mkdir d')
    await scene.succeed('activate')
    write(scene, { 'a/1': 'new', 'b/c/1': 'new', 'b/c/2': 'new' })
    rmSync(join(targetOf(scene), 'd'), { recursive: true })
    const fresh = await scene.snapshot()
    write(scene, { 'a/1': 'old', 'b/c/1': 'old', 'b/c/3': 'old', 'd/1': 'old' })
    return { scene, states: { old: await scene.snapshot(), new: fresh } }
  }
})

function sameContent(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
