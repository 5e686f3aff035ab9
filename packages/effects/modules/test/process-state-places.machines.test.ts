import { chmodSync, chownSync, existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Shell } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import { FOREVER, installedShells, scratchPath } from './scene.ts'
import { Stateful } from './stateful.ts'

const shells = installedShells()
const isRoot = process.getuid?.() === 0
if (!isRoot) console.warn('SKIPPED: state directories of others, since only root can make them')

const STRANGER = 4711
const ACTIVITIES = ['activate', 'snapshot', 'restore', 'collect-garbage']

function stateful(shell: Shell, stateDirectory: string, properties: Readonly<Record<string, string>> = {}) {
  const scene = new Stateful(shell, 'process', { files: { 'bin/web': FOREVER }, properties })
  return { scene, state: join(scene.directory, stateDirectory), victim: scene.make('victim') }
}

/** Everything that an activity says of a state directory that it does not use. */
async function refusals(scene: Stateful, stateDirectory: string) {
  const properties = { stateDirectory, stateOwner: `${STRANGER}:${STRANGER}`, stateMode: '0777' }
  const dump = scene.make('dump/state')
  const outcomes: string[] = []
  for (const activity of ACTIVITIES) {
    const { status, stderr } = await scene.call(activity, { ...properties, DAVIT_SNAPSHOT: join(dump, '..') })
    outcomes.push(`${status}: ${stderr.replaceAll(scene.directory, '{}')}`)
  }
  return outcomes
}

function factsOf(path: string): readonly [mode: string, owner: number] {
  const { mode, uid } = lstatSync(path)
  return [(mode & 0o7777).toString(8), uid]
}

describe.runIf(isRoot).each(shells)('the place of a state under $name', (shell) => {
  test('is not in a directory of the service', async () => {
    const { scene, state, victim } = stateful(shell, 'home/data')
    chownSync(scene.make('home'), STRANGER, STRANGER)
    const expected = expect.stringMatching(
      /^1: [^]*stateDirectory '\{\}\/home\/data': '\{\}\/home' belongs to '4711', who can replace 'data'; chown root '\{\}\/home'\n$/,
    ) as string
    expect(await refusals(scene, state)).toEqual(ACTIVITIES.map(() => expected))
    expect(existsSync(state)).toBe(false)
    symlinkSync(victim, state)
    const before = factsOf(victim)
    expect(await refusals(scene, state)).toEqual(ACTIVITIES.map(() => expected))
    expect(factsOf(victim)).toEqual(before)
    expect(readdirSync(join(scene.directory, 'home'))).toEqual(['data'])
  })

  test('is neither a link of the service nor behind one', async () => {
    const { scene, state, victim } = stateful(shell, 'lib/data')
    scene.make('lib')
    symlinkSync(victim, state)
    lchownSync(state, STRANGER, STRANGER)
    const expected = expect.stringContaining(
      "the link '{}/lib/data' belongs to '4711', who can lead it elsewhere",
    ) as string
    expect(await refusals(scene, state)).toEqual(ACTIVITIES.map(() => expected))
    expect(await refusals(scene, join(state, 'inner'))).toEqual(ACTIVITIES.map(() => expected))
    expect([factsOf(victim)[1], readdirSync(victim)]).toEqual([0, []])
  })

  test('is not in a directory for everybody if it belongs to somebody', async () => {
    const { scene, state } = stateful(shell, 'tmp/data')
    chmodSync(scene.make('tmp'), 0o1777)
    const owned = { stateDirectory: state, stateOwner: `${STRANGER}:${STRANGER}` }
    const { status, stderr } = await scene.call('activate', owned)
    expect([status, stderr]).toEqual([1, expect.stringContaining("belongs to '4711', who can replace it")])
    expect(readdirSync(join(scene.directory, 'tmp'))).toEqual([])
    expect(await scene.call('activate', { stateDirectory: state })).toMatchObject({ status: 0, stderr: '' })
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
  })

  test('may belong to the service, and be behind links of root', async () => {
    const { scene, state } = stateful(shell, 'lib/data')
    scene.make('disk')
    symlinkSync('disk', join(scene.directory, 'lib'))
    const owned = { stateDirectory: state, stateOwner: `${STRANGER}:${STRANGER}`, stateMode: '2770' }
    for (const activity of ['activate', 'deactivate', 'activate', 'deactivate'])
      expect(await scene.call(activity, owned)).toMatchObject({ status: 0, stderr: '' })
    expect(factsOf(join(scene.directory, 'disk/data'))).toEqual(['2770', STRANGER])
    for (const activity of ['snapshot', 'collect-garbage'])
      expect(await scene.call(activity, { ...owned, DAVIT_SNAPSHOT: scene.make(activity) })).toMatchObject({
        status: 0,
      })
    expect(readdirSync(join(scene.directory, 'disk'))).toEqual([])
  })

  // The shell of busybox calls no other programs of these names.
  test.runIf(shell.name !== 'busybox').each(['chown', 'chmod'])(
    'is meant by %s itself, not what has taken its name',
    async (tool) => {
      const { scene, state, victim } = stateful(shell, 'data')
      mkdirSync(state)
      chmodSync(victim, 0o700)
      const path = scratchPath({
        [tool]: `#!/bin/sh\n/bin/mv "$stateDirectory" "$stateDirectory.old"\n/bin/ln -s '${victim}' "$stateDirectory"\nexec /bin/${tool} "$@"\n`,
      })
      const owned = { stateDirectory: state, stateOwner: `${STRANGER}:${STRANGER}`, stateMode: '0777' }
      const argv = ['-c', `PATH=${path}:$PATH; exec sh "$@"`, 'sh', ...scene.argv('activate')]
      await scene.run(argv, owned)
      expect(factsOf(victim)).toEqual(['700', 0])
      expect(factsOf(`${state}.old`)[tool === 'chown' ? 1 : 0]).toBe(tool === 'chown' ? STRANGER : '777')
      await scene.call('deactivate')
    },
  )
})
