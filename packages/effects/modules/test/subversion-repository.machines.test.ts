import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chosen, isThorough, patience } from '@davit/testing/effort'
import type { Shell } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import { Database } from './database.ts'
import { installedShells, scratchPath, shippedModule } from './scene.ts'
import { contentOf, exampleOf, Stateful } from './stateful.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)
const noSubversion = spawnSync('svnadmin', ['--version']).status !== 0
if (noSubversion) console.warn('SKIPPED: tests with subversion, which is not installed')

describe.concurrent.each(noSubversion ? [] : shells)('subversion-repository under $name', (shell) => {
  test('keeps its revisions from the first activation to the last', async () => {
    const scene = repository(shell, { 'a.dump': seed('index.php', 'one') })
    await scene.succeed('activate', 'activate', 'status')
    expect(log(scene)).toEqual(['r1 index.php one'])
    const first = await scene.snapshot()
    expect(contentOf(await scene.snapshot())).toEqual(contentOf(first))
    commit(scene, 'index.php', 'two')
    const second = await scene.snapshot()
    expect(contentOf(second)).not.toEqual(contentOf(first))
    await scene.succeed('deactivate', 'deactivate')
    expect(log(scene)).toEqual(['r2 index.php two', 'r1 index.php one'])
    await scene.succeed('collect-garbage', 'collect-garbage')
    expect(readdirSync(base(scene))).toEqual([])
    expect(await scene.call('status')).toMatchObject({ status: 1 })
    await scene.succeed('activate')
    expect(log(scene)).toEqual(['r1 index.php one'])
    for (const snapshot of [second, first, second]) {
      expect(await scene.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
      expect(contentOf(await scene.snapshot())).toEqual(contentOf(snapshot))
    }
    commit(scene, 'index.php', 'three')
    expect(log(scene)).toEqual(['r3 index.php three', 'r2 index.php two', 'r1 index.php one'])
    expect(readdirSync(base(scene))).toEqual([scene.name])
  })
})

describe.concurrent.each(noSubversion ? [] : shells)('subversion-repository verifies under $name', (shell) => {
  test('what it loads beside the repository, and touches nothing else', async () => {
    const scene = repository(shell, { 'a.dump': seed('index.php', 'one') })
    await scene.succeed('activate')
    commit(scene, 'Revision-number: 99', 'two')
    const taken = await scene.snapshot()
    const xz = spawnSync('xz', ['-c'], { input: seed('old', 'of Dysnomia') }).stdout
    await scene.succeed('collect-garbage')
    for (const snapshot of [taken, scene.handMade({ 'dump.xz': xz })]) {
      const given = scene.copyOf(snapshot)
      expect(await scene.call('verify', { DAVIT_SNAPSHOT: given })).toMatchObject({ status: 0, stderr: '' })
      expect(readdirSync(given)).toEqual(readdirSync(snapshot))
    }
    expect(readdirSync(base(scene))).toEqual([])
  })

  test.each([
    ['is cut off', (text: string) => text.slice(0, -40), 'cannot be loaded'],
    [
      'has another text than its checksum says',
      (text: string) => text.replace(/(PROPS-END\n)one\n/, '$1oxe\n'),
      'cannot be loaded',
    ],
    ['has a revision that a dump of it would not have', (text: string) => `${text}\n\n`, 'differs from it'],
    ['has no dump', () => undefined, "has no file 'dump'"],
  ])('and refuses what %s', async (_, altered, why) => {
    const scene = repository(shell, { 'a.dump': seed('index.php', 'one') })
    await scene.succeed('activate')
    const text = readFileSync(join(await scene.snapshot(), 'dump'), 'utf8')
    const dump = altered(text)
    expect(dump).not.toBe(text)
    const given = scene.handMade(dump === undefined ? { other: '' } : { dump })
    const { status, stderr } = await scene.call('verify', { DAVIT_SNAPSHOT: given })
    expect([status, stderr]).toEqual([1, expect.stringContaining(why)])
    expect(log(scene)).toEqual(['r1 index.php one'])
  })
})

describe.concurrent.each(noSubversion ? [] : inDepth)('subversion-repository in depth under $name', (shell) => {
  test('waits for nobody who uses the repository', async () => {
    const scene = repository(shell, { 'a.dump': seed('index.php', 'one') })
    await scene.succeed('activate')
    const snapshot = await scene.snapshot()
    // Holds the lock that a commit holds.
    const user = spawn('svnadmin', ['freeze', place(scene), '--', 'sh', '-c', 'echo used; read _'])
    await once(user.stdout, 'data')
    await scene.succeed('collect-garbage')
    expect(readdirSync(base(scene))).toEqual([])
    expect(await scene.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    user.stdin.end()
    await once(user, 'exit')
    expect(log(scene)).toEqual(['r1 index.php one'])
    expect(contentOf(await scene.snapshot())).toEqual(contentOf(snapshot))
  })

  test('loads all seeds in their order, and none if one fails', async () => {
    const scene = repository(shell, { 'b.dump': seed('b', 'second'), 'a.dump': seed('a', 'first') })
    await scene.succeed('activate')
    expect(log(scene)).toEqual(['r2 b second', 'r1 a first'])
    const broken = repository(shell, { 'a.dump': seed('a', 'first'), 'b.dump': seed('b', 'second').slice(0, -40) })
    const { status, stderr } = await broken.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringMatching(/cannot load '.*b.dump'; nothing of it is left/)])
    expect(readdirSync(base(broken))).toEqual([])
  })

  test('is empty without seeds, whatever its name', async () => {
    const scene = repository(shell, {}, { name: `-v'a "l" $(touch x) ü` })
    await scene.succeed('activate', 'status')
    commit(scene, 'ü', 'one')
    const snapshot = await scene.snapshot()
    await scene.succeed('collect-garbage')
    expect(await scene.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    await scene.succeed('activate')
    expect(log(scene)).toEqual(['r1 ü one'])
    expect(readdirSync(base(scene))).toEqual([scene.name])
  })

  test('goes on with working copies after a restoration, and keeps hooks and settings', async () => {
    const scene = repository(shell, { 'a.dump': seed('index.php', 'one') })
    await scene.succeed('activate')
    const copy = join(scene.directory, 'working')
    svn('checkout', '-q', url(scene), copy)
    writeFileSync(join(place(scene), 'conf/svnserve.conf'), 'ours')
    scene.write(join(place(scene), 'hooks/post-commit'), '#!/bin/sh\n')
    const snapshot = await scene.snapshot()
    expect(await scene.restore(snapshot)).toMatchObject({ status: 0 })
    expect(readFileSync(join(place(scene), 'conf/svnserve.conf'), 'utf8')).toBe('ours')
    expect(statSync(join(place(scene), 'hooks/post-commit')).mode & 0o111).not.toBe(0)
    writeFileSync(join(copy, 'index.php'), 'changed')
    svn('commit', '-q', '-m', 'from the copy', copy)
    expect(log(scene)[0]).toBe('r2 index.php from the copy')
  })

  test('restores a snapshot of Dysnomia', async () => {
    const scene = repository(shell, {})
    await scene.succeed('activate')
    const dump = spawnSync('xz', ['-c'], { input: seed('old', 'of Dysnomia') }).stdout
    expect(await scene.restore(scene.handMade({ 'dump.xz': dump }))).toMatchObject({ status: 0, stderr: '' })
    expect(log(scene)).toEqual(['r1 old of Dysnomia'])
  })

  test.each([
    ['is cut off', { dump: seed('a', 'late').slice(0, -40) }],
    [
      'is cut off before it is unpacked',
      { 'dump.xz': spawnSync('xz', ['-c'], { input: seed('a', 'late') }).stdout.subarray(0, -9) },
    ],
    ['is something else', { dump: 'rubbish\n' }],
    ['is missing', { other: '' }],
    ['has a path that leads out', { dump: seed('../../../evil', 'late') }],
    ['has a path that goes through another', { dump: seed('a/../../b', 'late') }],
    ['has another name', { dump: seed('a', 'late').replace(/UUID: .*/, 'UUID: ../../x') }],
  ])('keeps what it has when a snapshot %s', async (_, files) => {
    const scene = repository(shell, { 'a.dump': seed('index.php', 'one') })
    await scene.succeed('activate')
    const { status, stderr } = await scene.restore(scene.handMade(files))
    expect([status, stderr]).toEqual([1, expect.stringContaining('subversion-repository: ')])
    expect(log(scene)).toEqual(['r1 index.php one'])
    expect(readdirSync(base(scene))).toEqual([scene.name])
  })

  test('takes no hooks, settings or links from a snapshot, and runs no hooks for it', async () => {
    const scene = repository(shell, { 'a.dump': seed('index.php', 'one') })
    await scene.succeed('activate')
    const ran = join(scene.directory, 'ran')
    for (const hook of ['start-commit', 'pre-commit', 'post-commit', 'pre-revprop-change', 'post-revprop-change'])
      scene.write(join(place(scene), 'hooks', hook), `#!/bin/sh\ntouch '${ran}'\n`)
    const snapshot = await scene.snapshot()
    for (const path of ['hooks/post-lock', 'conf/passwd', 'db/fsfs.conf'])
      scene.write(join(snapshot, path), '#!/bin/sh\n')
    const conf = readFileSync(join(place(scene), 'conf/passwd'), 'utf8')
    expect(await scene.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect([existsSync(ran), existsSync(join(place(scene), 'hooks/post-lock'))]).toEqual([false, false])
    expect(readFileSync(join(place(scene), 'conf/passwd'), 'utf8')).toBe(conf)
    symlinkSync('/etc/passwd', join(scene.make('linked'), 'dump'))
    const { status, stderr } = await scene.restore(join(scene.directory, 'linked'))
    expect([status, stderr]).toEqual([1, expect.stringContaining('is neither a file nor a directory')])
    expect(readdirSync(base(scene))).toEqual([scene.name])
  })

  test('belongs to a group', async () => {
    const scene = repository(shell, {}, { properties: { svnGroup: 'www-data' } })
    await scene.succeed('activate')
    const { gid, mode } = statSync(join(place(scene), 'db'))
    expect([gid, mode & 0o2020]).toEqual([Number(group('www-data')), 0o2020])
    expect(statSync(join(place(scene), 'db/current')).mode & 0o020).not.toBe(0)
    const missing = repository(shell, {}, { properties: { svnGroup: 'davit-missing' } })
    expect(await missing.call('activate')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("group 'davit-missing'"),
    })
    expect(readdirSync(base(missing))).toEqual([])
  })

  test('touches nothing that is not a repository', async () => {
    const scene = repository(shell, {})
    mkdirSync(place(scene), { recursive: true })
    expect(await scene.call('activate')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not a repository'),
    })
    const linked = repository(shell, {})
    mkdirSync(base(linked), { recursive: true })
    symlinkSync(scene.directory, place(linked))
    for (const activity of ['activate', 'collect-garbage'])
      expect(await linked.call(activity)).toMatchObject({ status: 1 })
    expect(existsSync(join(scene.directory, 'run'))).toBe(true)
    const nowhere = new Stateful(shell, 'subversion-repository', { files: {} })
    expect(await nowhere.call('activate')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no property svnBaseDir'),
    })
  })

  test.each(['activate', 'restore', 'snapshot', 'collect-garbage'])(
    'can be killed at any step of %s',
    patience,
    async (activity) => {
      const scene = repository(shell, { 'a.dump': seed('index.php', 'one') })
      await scene.succeed('activate')
      commit(scene, 'index.php', 'two')
      const snapshot = await scene.snapshot()
      await scene.succeed('collect-garbage')
      const step = isThorough ? 1 : 5
      for (let n = 1 + chosen(step, 'points of subversion'), done = false; !done; n += step) {
        if (activity !== 'activate') await scene.succeed('activate')
        const given = { DAVIT_SNAPSHOT: activity === 'snapshot' ? scene.make(`taken-${n}`) : scene.copyOf(snapshot) }
        done = (await scene.killed(activity, n, given)).status === 0
        await scene.succeed('activate', 'status')
        expect(['one', 'two,one']).toContain(
          log(scene)
            .map((line) => line.split(' ')[2])
            .join(','),
        )
        expect(await scene.restore(snapshot)).toMatchObject({ status: 0 })
        expect(log(scene)).toHaveLength(2)
        await scene.succeed('collect-garbage')
        expect(readdirSync(base(scene))).toEqual([])
      }
    },
  )

  test('makes the repository of the example', async () => {
    const directory = scratchPath({})
    const env = { ...process.env, HOME: directory }
    expect(spawnSync('sh', ['-e'], { cwd: directory, env, input: exampleOf('subversion-repository') }).status).toBe(0)
    const scene = repository(shell, {})
    const argv = [shippedModule('subversion-repository'), 'activate', join(directory, 'notes')]
    expect(await scene.run(argv, scene.properties)).toMatchObject({ status: 0, stderr: '' })
    expect(svn('ls', `file://${base(scene)}/notes`)).toBe('trunk/\n')
  })
})

function repository(
  shell: Shell,
  seeds: Readonly<Record<string, string>>,
  { name = 'notes', properties = {} }: { name?: string; properties?: Readonly<Record<string, string>> } = {},
): Database {
  const scene = new Database(shell, 'subversion-repository', {
    name,
    seeds: Object.fromEntries(Object.entries(seeds).map(([file, text]) => [`subversion-repositories/${file}`, text])),
    properties: { PATH: `${shell.path}:/usr/bin`, ...properties },
  })
  Object.assign(scene.properties, { svnBaseDir: join(scene.directory, 'base dir') })
  return scene
}

function base(scene: Stateful): string {
  return join(scene.directory, 'base dir')
}

function place(scene: Database): string {
  return join(base(scene), scene.name)
}

function url(scene: Database): string {
  return `file://${encodeURI(place(scene)).replaceAll("'", '%27').replaceAll('$', '%24')}`
}

function group(name: string): string {
  return spawnSync('getent', ['group', name], { encoding: 'utf8' }).stdout.split(':')[2] ?? ''
}

function svn(...argv: readonly string[]): string {
  const env = { ...process.env, HOME: scratchPath({}), LC_ALL: 'C.UTF-8' }
  const { status, stdout, stderr } = spawnSync('svn', [...argv], { encoding: 'utf8', env })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

/** Adds a file, or replaces it, with this message. */
function commit(scene: Database, file: string, message: string): void {
  const source = join(scratchPath({}), 'file')
  writeFileSync(source, message)
  const env = { ...process.env, HOME: scratchPath({}), LC_ALL: 'C.UTF-8' }
  const argv = ['-U', url(scene), '-m', message, 'put', source, file]
  const { status, stderr } = spawnSync('svnmucc', argv, { encoding: 'utf8', env })
  if (status !== 0) throw new Error(stderr)
}

/** The revisions, newest first: number, file and message. */
function log(scene: Database): readonly string[] {
  const text = svn('log', '-v', url(scene))
  const entries = text.split(/^-+\n/m).filter((entry) => entry.includes('|'))
  return entries.map((entry) => {
    const [revision = '', , path = '', , message = ''] = entry.split('\n')
    return [revision.split(' ')[0], path.replace(/^ +\w+ \//, '').replace(/ \(.*/, ''), message].join(' ')
  })
}

/** A dump with one revision, which adds a file. */
function seed(file: string, message: string): string {
  const properties = (table: Readonly<Record<string, string>>) => {
    const lines = Object.entries(table).map(
      ([name, value]) => `K ${name.length}\n${name}\nV ${value.length}\n${value}\n`,
    )
    return `${lines.join('')}PROPS-END\n`
  }
  const revision = properties({ 'svn:date': '2020-01-01T00:00:00.000000Z', 'svn:log': message })
  const none = properties({})
  return `SVN-fs-dump-format-version: 2

UUID: 11111111-2222-3333-4444-555555555555

Revision-number: 1
Prop-content-length: ${revision.length}
Content-length: ${revision.length}

${revision}
Node-path: ${file}
Node-kind: file
Node-action: add
Prop-content-length: ${none.length}
Text-content-length: ${message.length}
Content-length: ${none.length + message.length}

${none}${message}

`
}
