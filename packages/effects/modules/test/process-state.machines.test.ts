import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@davit/testing/free-port'
import { noSmallDisk } from '@davit/testing/small-disk'
import type { Shell } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import { configured, FOREVER, installedShells, shippedModule } from './scene.ts'
import { contentOf, exampleOf, Stateful } from './stateful.ts'

const shells = installedShells()
const [dash] = shells
const succeeded = { status: 0, stderr: '' }
const refused = (text: string) => ({ status: 1, stderr: expect.stringContaining(text) as string })

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) console.warn('SKIPPED: tests with redis-server, which is not installed')

describe.concurrent.each(shells)('the state of a process under $name', (shell) => {
  test.runIf(hasRedis)('what redis has confirmed is there after it was moved', async () => {
    const port = String(await freePort())
    const redis = (...words: readonly string[]) => spawnSync('redis-cli', ['-p', port, ...words], { encoding: 'utf8' })
    const scene = stateful(shell, {
      process: `exec /usr/bin/redis-server --port ${port} --dir "$stateDirectory" --save '3600 1'`,
      readyCommand: `/usr/bin/redis-cli -e -p ${port} get x`,
      snapshotCommand: `/usr/bin/redis-cli -e -p ${port} save`,
    })
    await scene.succeed('activate', 'activate', 'status')
    redis('set', 'x', 'first')
    const first = await scene.snapshot()
    expect(readdirSync(join(first, 'state'))).toEqual(['dump.rdb'])
    redis('set', 'x', 'second')
    expect(await scene.restore(first)).toMatchObject(refused('while it runs'))
    expect(await scene.call('collect-garbage')).toMatchObject(refused('while it runs'))
    await scene.succeed('deactivate', 'deactivate')
    const second = await scene.snapshot()
    expect(contentOf(await scene.snapshot())).toEqual(contentOf(second))
    await scene.succeed('collect-garbage', 'collect-garbage')
    expect(readdirSync(join(scene.directory, 'var'))).toEqual([])
    for (const [snapshot, value] of [
      [second, 'second'],
      [first, 'first'],
    ] as const) {
      expect(await scene.restore(snapshot)).toMatchObject(succeeded)
      await scene.succeed('activate')
      expect(redis('get', 'x').stdout).toBe(`${value}\n`)
      await scene.succeed('deactivate')
    }
  })

  test('is made before the start, with owner and mode, and kept afterwards', async () => {
    const scene = stateful(shell, {})
    await scene.succeed('activate')
    expect(modeOf(scene)).toBe('700')
    scene.write(join(stateOf(scene), 'a'), '1')
    await scene.succeed('deactivate')
    expect(await scene.call('activate', { stateMode: '2750' })).toMatchObject(succeeded)
    expect(modeOf(scene)).toBe('2750')
    await scene.succeed('deactivate')
    expect(scene.read('var/data/a')).toBe('1')
    expect(await scene.call('activate', { stateOwner: 'no-such-user' })).toMatchObject(
      refused("/var/data' to 'no-such-user'"),
    )
    expect(scene.read('var/data/a')).toBe('1')
  })

  test('may be absent, and replaced by nothing', async () => {
    const scene = stateful(shell, {})
    const snapshot = await scene.snapshot()
    expect(readdirSync(snapshot)).toEqual([])
    await scene.succeed('activate', 'deactivate')
    scene.write(join(stateOf(scene), 'a'), '1')
    expect(await scene.restore(snapshot)).toMatchObject(succeeded)
    expect(readdirSync(join(scene.directory, 'var'))).toEqual([])
  })

  test('may have any name, and be behind a link', async () => {
    const odd = `-v 'a' "l" $(touch x) ü\\`
    const scene = stateful(shell, { stateDirectory: '$SCENE' })
    symlinkSync(scene.make(`disk/${odd}`), join(scene.directory, odd))
    const properties = { stateDirectory: `${scene.directory}/${odd}//` }
    expect(await scene.call('activate', properties)).toMatchObject(succeeded)
    await scene.succeed('deactivate')
    scene.write(join(scene.directory, 'disk', odd, 'a'), '1')
    const empty = scene.make('empty')
    expect(await scene.call('restore', { ...properties, DAVIT_SNAPSHOT: empty })).toMatchObject(succeeded)
    expect(readdirSync(join(scene.directory, 'disk'))).toEqual([])
    expect(await scene.call('activate', properties)).toMatchObject(refused('a link that leads nowhere'))
  })

  test.each([
    [{ stateDirectory: 'var/lib' }, "stateDirectory 'var/lib' is not an absolute path"],
    [{ stateDirectory: '/var/../lib' }, "stateDirectory '/var/../lib' is not an absolute path"],
    [{ stateDirectory: '/a\nb' }, 'is not an absolute path'],
    [{ stateDirectory: '//' }, "stateDirectory '//' is not a directory of its own"],
    [{ stateDirectory: '/x', stateOwner: '-R' }, "stateOwner '-R' is not of the form"],
    [{ stateDirectory: '/x', stateMode: '8' }, "stateMode '8' is not an octal number"],
    [{ stateDirectory: '/x', snapshotOwners: 'both' }, "snapshotOwners 'both' is neither names nor numbers"],
  ])('is refused with settings %j', async (properties, message) => {
    const scene = new Stateful(shell, 'process', { files: { 'bin/web': FOREVER }, properties })
    for (const activity of ['activate', 'snapshot', 'restore', 'collect-garbage']) {
      expect(await scene.call(activity, { DAVIT_SNAPSHOT: scene.directory })).toMatchObject(refused(message))
    }
  })

  test('has rules for what is saved of it', async () => {
    const scene = stateful(shell, { snapshotExclude: "  'logs/*' **/tmp\n*.pid  ", stateOwner: 'root:' })
    scene.write(join(scene.component, 'dysnomia-support/users/davit-web'), '')
    scene.make('var/data')
    const DAVIT_SNAPSHOT = scene.make('dump')
    expect(await scene.call('snapshot', { DAVIT_SNAPSHOT })).toMatchObject(succeeded)
    const accounts = ['user root', 'user davit-web', 'group davit-web']
    const patterns = ["exclude 'logs/*'", 'exclude **/tmp', 'exclude *.pid']
    const rules = (owners: string) => ['at state .', `owners ${owners}`, ...accounts, ...patterns, ''].join('\n')
    expect(scene.read('dump.rules')).toBe(rules('names'))
    const numbers = { DAVIT_SNAPSHOT: scene.make('more/dump'), snapshotOwners: 'numbers' }
    expect(await scene.call('snapshot', numbers)).toMatchObject(succeeded)
    expect(scene.read('more/dump.rules')).toBe(rules('numbers'))
  })

  test.each(['/abs', 'a//b', '../a', 'a/..', 'a/**/b', 'a[bc]', 'a\\*', './a'])(
    'is refused if the pattern %j is to be left out',
    async (pattern) => {
      const properties = { stateDirectory: '/x', snapshotExclude: `good ${pattern}` }
      const scene = new Stateful(shell, 'process', { files: { 'bin/web': FOREVER }, properties })
      const message = `'${pattern}' of snapshotExclude is not a relative path`
      for (const activity of ['activate', 'snapshot']) {
        expect(await scene.call(activity, { DAVIT_SNAPSHOT: scene.directory })).toMatchObject(refused(message))
      }
    },
  )

  test('needs a stateDirectory only for a snapshot that has one', async () => {
    const scene = new Stateful(shell, 'process', { files: { 'bin/web': FOREVER } })
    const snapshot = await scene.snapshot()
    expect(readdirSync(snapshot)).toEqual([])
    expect(await scene.restore(snapshot)).toMatchObject(succeeded)
    await scene.succeed('collect-garbage')
    mkdirSync(join(snapshot, 'state'))
    expect(await scene.restore(snapshot)).toMatchObject(refused('it has no stateDirectory, but the snapshot has one'))
  })

  test('is read when snapshotCommand has succeeded, which gets properties unharmed', async () => {
    const odd = `"it's" $(touch "$SCENE/bad"); *\n\`x\` ü\\`
    const scene = stateful(shell, {
      snapshotCommand: 'printf %s "$odd" >"$SCENE/var/data/odd"; exit "${result:-0}"',
      workingDirectory: '$SCENE',
    })
    expect(await scene.call('activate', { odd })).toMatchObject(succeeded)
    const dump = { DAVIT_SNAPSHOT: scene.make('dump'), odd }
    expect(await scene.call('snapshot', { ...dump, result: '3' })).toMatchObject(refused('ended with status 3'))
    expect(readdirSync(dump.DAVIT_SNAPSHOT)).toEqual([])
    expect(await scene.call('snapshot', dump)).toMatchObject(succeeded)
    expect(scene.read('dump/state/odd')).toBe(odd)
    await scene.succeed('deactivate')
    rmSync(join(stateOf(scene), 'odd'))
    expect(await scene.call('snapshot', { ...dump, DAVIT_SNAPSHOT: scene.make('rest') })).toMatchObject(succeeded)
    expect(readdirSync(join(scene.directory, 'rest/state'))).toEqual([])
  })
})

test('a start that fails leaves no directory behind, unless the program has written to it', async () => {
  const scene = stateful(dash!, { process: 'exit 3' })
  expect(await scene.call('activate')).toMatchObject(refused('ended with status 3'))
  expect(existsSync(stateOf(scene))).toBe(false)
  const writing = stateful(dash!, { process: 'echo x >"$SCENE/var/data/x"; exit 3' })
  expect(await writing.call('activate')).toMatchObject(refused('ended with status 3'))
  expect(writing.read('var/data/x')).toBe('x\n')
})

test('a directory in the way of the state is named', async () => {
  const scene = stateful(dash!, {})
  scene.make('var')
  writeFileSync(stateOf(scene), '')
  expect(await scene.call('activate')).toMatchObject(refused(`cannot make stateDirectory '${stateOf(scene)}'`))
  const dump = { DAVIT_SNAPSHOT: scene.make('dump') }
  for (const activity of ['snapshot', 'restore', 'collect-garbage']) {
    expect(await scene.call(activity, dump)).toMatchObject(refused("/var/data' is not a directory"))
  }
})

test.skipIf(noSmallDisk !== undefined)(
  'a state directory that is a mount point is neither replaced nor removed',
  async () => {
    const scene = stateful(dash!, {})
    await scene.succeed('activate', 'deactivate')
    spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', stateOf(scene)])
    scene.write(join(stateOf(scene), 'a'), '1')
    for (const activity of ['restore', 'collect-garbage']) {
      const outcome = await scene.call(activity, { DAVIT_SNAPSHOT: scene.make('dump') })
      expect(outcome).toMatchObject(refused('is on another file system'))
    }
    expect(scene.read('var/data/a')).toBe('1')
    spawnSync('umount', [stateOf(scene)])
  },
)

test.concurrent.each(['restore', 'collect-garbage'])(
  '%s that is killed before any of its changes leaves all of the old state or of the new',
  async (activity) => {
    const scene = stateful(dash!, {})
    const states = { old: scene.make('old'), new: scene.make('new') }
    scene.write(join(states.old, 'state/a'), 'old')
    scene.write(join(states.old, 'state/b/c'), 'old')
    if (activity === 'restore') scene.write(join(states.new, 'state/a'), 'new')
    const seen = new Set<string>()
    for (let n = 1; ; n += 1) {
      expect(await scene.restore(states.old)).toMatchObject(succeeded)
      const { status } = await scene.killed(activity, n, { DAVIT_SNAPSHOT: scene.copyOf(states.new) })
      const state = JSON.stringify(contentOf(await scene.snapshot()))
      const which = (['old', 'new'] as const).filter((name) => JSON.stringify(contentOf(states[name])) === state)
      expect([n, which.length]).toEqual([n, 1])
      seen.add(which.join(''))
      if (status === 0) break
    }
    expect(seen).toEqual(new Set(['old', 'new']))
  },
)

test.runIf(hasRedis)('the example of the page works', async () => {
  const port = String(await freePort())
  const scene = new Stateful(dash!, 'process', {})
  const script = exampleOf('process').replaceAll('/var/lib', join(scene.directory, 'var'))
  expect(await scene.run(['-ec', `cd "$SCENE" && ${script}`])).toMatchObject(succeeded)
  const call = (activity: string) =>
    scene.run([shippedModule('process'), activity, join(scene.directory, 'counter')], { port })
  expect(await call('activate')).toMatchObject(succeeded)
  expect(spawnSync('redis-cli', ['-p', port, 'incr', 'visitors'], { encoding: 'utf8' }).stdout).toBe('1\n')
  expect(await call('deactivate')).toMatchObject(succeeded)
  expect(readdirSync(join(scene.directory, 'var/counter'))).toEqual(['dump.rdb'])
})

/** A process with a state directory `var/data` of its scene, unless these settings say otherwise. */
function stateful(shell: Shell, settings: Readonly<Record<string, string>>): Stateful {
  const all = { process: 'exec sleep 1000', stateDirectory: '$SCENE/var/data', ...settings }
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const lines = Object.entries(all).map(([name, value]) =>
    value.startsWith('$SCENE') ? `${name}=\${${name}:-${value}}` : `${name}=${quoted(value)}`,
  )
  const scene = new Stateful(shell, 'process', { files: configured(lines.join('\n')) })
  return Object.assign(scene, { properties: { stateDirectory: stateOf(scene) } })
}

function stateOf(scene: Stateful): string {
  return join(scene.directory, 'var/data')
}

function modeOf(scene: Stateful): string {
  return (statSync(stateOf(scene)).mode & 0o7777).toString(8)
}
