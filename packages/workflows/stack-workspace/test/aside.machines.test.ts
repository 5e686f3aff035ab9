import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { removeTree } from '@davit/files'
import { NOBODY } from '@davit/testing/nobody'
import { scratchDirectory } from '@davit/testing/scratch'
import { noSmallDisk, smallDisk } from '@davit/testing/small-disk'
import { expect, onTestFinished, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'
import { withAside } from '../src/aside.ts'
import { installTree, putBack } from '../src/install-tree.ts'
import { filesIn, makeRepository, makeShop, stack, textIn, user, writeTree } from './testing.ts'

const compile = programCompiler()
const IS_ROOT = process.getuid?.() === 0
const NAMESPACE = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]
/** Names of what a process that is gone has left, and of what another one works on. */
const [GONE, BUSY] = [`.fetching-${NAMESPACE}.4194999.5`, `.fetching-${NAMESPACE}.1.0`]

/** A workspace with a fetched stack and one below it. */
async function shopWithStacks() {
  const [db, backup] = [makeRepository(), makeRepository()]
  db.commit({ 'Mu.yaml': stack('acme/db') })
  backup.commit({ 'Mu.yaml': stack('acme/db/backup') })
  const repositories = { 'acme/db': db.url, 'acme/db/backup': backup.url }
  const shop = makeShop({ 'Mu.yaml': user('acme/db', 'acme/db/backup') }, repositories)
  await shop.fetch()
  shop.reports.length = 0
  const fetched = join(shop.root, '.Mudeps')
  return { shop, fetched, files: filesIn(fetched), repositories: [db, backup] }
}

const move = (from: string, to: string) => {
  mkdirSync(join(to, '..'), { recursive: true })
  renameSync(from, to)
}

test('what a killed run has left is removed, what another one works on is not', async () => {
  const { shop, fetched, files } = await shopWithStacks()
  writeTree(fetched, { [`${GONE}/stack/a`]: '', [`${BUSY}/a`]: '', [`x${GONE.slice(1)}/a`]: '' })
  await shop.fetch({ isDryRun: true })
  expect(existsSync(join(fetched, GONE))).toBe(true)
  await shop.fetch()
  expect(filesIn(fetched)).toStrictEqual([`${BUSY}/a`, ...files, `x${GONE.slice(1)}/a`])
  expect(shop.reports).toStrictEqual([])
})

test('nobody else may look into what is unpacked aside, whatever the umask', async () => {
  const root = join(scratchDirectory(), 'fetched')
  const before = process.umask(0)
  try {
    await withAside(root, async (aside) => {
      expect([root, aside].map((path) => statSync(path).mode & 0o777)).toStrictEqual([0o755, 0o700])
    })
  } finally {
    process.umask(before)
  }
  expect(existsSync(root)).toBe(false)
})

test('nothing stays of a killed run that has fetched nothing', async () => {
  const shop = makeShop({ 'Mu.yaml': user('mu/container'), [`.Mudeps/${GONE}/a`]: '' }, {})
  await shop.fetch()
  expect(readdirSync(shop.root)).toStrictEqual(['Mu.yaml', 'Muspace.json'])
})

test('a stack that a killed run was about to replace goes back, with the repository out of reach', async () => {
  const { shop, fetched, files, repositories } = await shopWithStacks()
  move(join(fetched, 'hub.mu.com/acme/db'), join(fetched, GONE, 'replaced/hub.mu.com/acme/db'))
  for (const { directory } of repositories) rmSync(directory, { recursive: true })
  const { failures } = await shop.fetch()
  expect([failures, filesIn(fetched)]).toStrictEqual([[], files])
})

test('stacks below one that a killed run has replaced go back, unless they are there', async () => {
  const { shop, fetched, files } = await shopWithStacks()
  const at = (path: string) => join(fetched, 'hub.mu.com/acme/db', path)
  const aside = 'replaced/hub.mu.com/acme/db'
  move(at('backup'), join(fetched, GONE, aside, 'backup'))
  writeTree(join(fetched, GONE, aside), { '.origin.json': '{}', 'Mu.yaml': 'old' })
  writeTree(at('backup'), { 'Mu.yaml': 'of the new one' })
  await shop.fetch()
  expect([filesIn(fetched), textIn(at('backup'), 'Mu.yaml')]).toStrictEqual([files, stack('acme/db/backup')])
  const old = { '.origin.json': '{}', 'backup/.origin.json': '{}', 'backup/Mu.yaml': 'old' }
  writeTree(join(fetched, GONE, aside), old)
  await shop.fetch()
  expect([filesIn(fetched), textIn(at('backup'), 'Mu.yaml')]).toStrictEqual([files, stack('acme/db/backup')])
})

test('putBack() leaves what is in the place by now, and adds fetched stacks below it', () => {
  const directory = scratchDirectory()
  const records = ['a', 'a/b', 'ab', 'c/d'].map((path) => `${path}/.origin.json`)
  for (const path of ['.origin.json', ...records]) writeTree(join(directory, 'old'), { [path]: '' })
  writeTree(directory, { 'old/Mu.yaml': 'old', 'place/Mu.yaml': 'new' })
  putBack(join(directory, 'old'), { root: directory, path: 'place' })
  expect(filesIn(directory)).toStrictEqual(['Mu.yaml', ...records].map((path) => `place/${path}`))
  expect(textIn(directory, 'place/Mu.yaml')).toBe('new')
})

test.each([
  ['takes that place', (to: string) => writeTree(to, { '.origin.json': '', new: '' }), ['sub/.origin.json', 'sub/new']],
  ['takes away what is around', (to: string) => removeTree(join(to, '..')), ['.origin.json', 'sub/.origin.json']],
])('a stack below another one goes back though another run %s meanwhile', (_, act, files) => {
  const directory = scratchDirectory()
  writeTree(directory, { 'place/Mu.yaml': '', 'old/.origin.json': '', 'old/sub/.origin.json': '' })
  const to = join(directory, 'place/sub')
  beforeMoveTo(to, () => act(to))
  putBack(join(directory, 'old'), { root: directory, path: 'place' })
  expect(filesIn(join(directory, 'place')).filter((file) => file !== 'Mu.yaml')).toStrictEqual(files)
})

test('putBack() makes the directories on the way', () => {
  const directory = scratchDirectory()
  writeTree(directory, { 'old/Mu.yaml': '' })
  putBack(join(directory, 'old'), { root: directory, path: 'a/b' })
  expect(filesIn(directory)).toStrictEqual(['a/b/Mu.yaml'])
})

test('a stack that cannot be replaced is there as before', async () => {
  const directory = scratchDirectory()
  writeTree(directory, { 'aside/x': '', 'fetched/a/db/Mu.yaml': 'old', 'fetched/a/db/sub/.origin.json': '' })
  const place = { root: join(directory, 'fetched'), path: 'a/db' }
  const missing = join(directory, 'none')
  await expect(installTree(missing, place, join(directory, 'aside'))).rejects.toMatchObject({ code: 'cannot-create' })
  expect(filesIn(place.root)).toStrictEqual(['a/db/Mu.yaml', 'a/db/sub/.origin.json'])
})

/** Has something done before a directory is moved to a path for the first time, as by another process. */
function beforeMoveTo(path: string, act: () => void): void {
  const { renameSync: rename } = fs
  let isDone = false
  const use = (move: typeof rename) => {
    fs.renameSync = move
    syncBuiltinESMExports()
  }
  onTestFinished(() => use(rename))
  use((from, to) => {
    if (to === path && !isDone) {
      isDone = true
      act()
    }
    rename(from, to)
  })
}

test.each([
  ['where nothing was', {}, ['a/db/Mu.yaml', 'a/db/other/.origin.json']],
  [
    'where another one was',
    { 'Mu.yaml': 'old', '.origin.json': '', 'sub/.origin.json': '' },
    ['a/db/Mu.yaml', 'a/db/other/.origin.json', 'a/db/sub/.origin.json'],
  ],
])('a stack gets its place though another run takes it meanwhile, %s', async (_, old, files) => {
  const directory = scratchDirectory()
  const place = { root: join(directory, 'fetched'), path: 'a/db' }
  const to = join(place.root, place.path)
  writeTree(to, old)
  writeTree(directory, { 'aside/stack/Mu.yaml': 'new' })
  beforeMoveTo(to, () => writeTree(to, { 'Mu.yaml': 'of the other run', 'other/.origin.json': '' }))
  await installTree(join(directory, 'aside/stack'), place, join(directory, 'aside'))
  expect([filesIn(place.root), textIn(to, 'Mu.yaml')]).toStrictEqual([files, 'new'])
  expect(filesIn(join(directory, 'aside'))).toStrictEqual([])
})

test('runs at the same time put one whole stack into its place', async () => {
  const directory = scratchDirectory()
  const words = [await compile(new URL('programs/install.ts', import.meta.url)), directory]
  const names = ['one', 'two', 'three']
  const runs = names.map((name) => {
    const run = spawn(process.execPath, [...words, name, ...names], { stdio: ['ignore', 'ignore', 'pipe'] })
    run.stderr.setEncoding('utf8')
    return run
  })
  const said = await Promise.all(
    runs.map(async (run) => [...(await run.stderr.toArray()), ...(await once(run, 'exit'))]),
  )
  expect(said).toStrictEqual(runs.map(() => [0, null]))
  const stackDirectory = join(directory, 'fetched/a/b')
  expect(filesIn(join(directory, 'fetched'))).toStrictEqual(['a/b/.origin.json', 'a/b/file', 'a/b/sub/.origin.json'])
  expect(textIn(stackDirectory, 'file')).toBe(textIn(stackDirectory, '.origin.json'))
})

test.skipIf(noSmallDisk !== undefined)('a full disk stops the run, and what was fetched stays', async () => {
  const disk = smallDisk(1024 * 1024)
  onTestFinished(() => disk.remove())
  const repository = makeRepository()
  repository.commit({ 'a/Mu.yaml': stack('acme/a'), 'b/Mu.yaml': stack('acme/b'), 'b/x': 'x'.repeat(2_000_000) })
  const shop = makeShop({ 'Mu.yaml': user('acme/a', 'acme/b') }, { 'acme/...': repository.url })
  await expect(shop.fetch({ root: disk.directory })).rejects.toMatchObject({
    code: 'cannot-write',
    exitStatus: 73,
    message: "cannot write stack 'acme/b': no space left on the device",
  })
  expect(filesIn(join(disk.directory, '.Mudeps')).map((file) => file.replace('hub.mu.com/acme/', ''))).toStrictEqual([
    'a/.origin.json',
    'a/Mu.yaml',
  ])
})

test.runIf(IS_ROOT)('root does not write below a directory of another user', async () => {
  const { shop, fetched, repositories, files } = await shopWithStacks()
  for (const { commit } of repositories) commit({ x: '' })
  chownSync(fetched, NOBODY.uid, NOBODY.gid)
  await expect(shop.fetch({ isUpdate: true })).rejects.toMatchObject({
    code: 'cannot-create',
    exitStatus: 73,
    message: expect.stringContaining(`'${fetched}' belongs to another user (65534)`) as string,
    hint: `run the same command as that user, or, as root, take it from them: chown -h root ${fetched}`,
  })
  expect(filesIn(fetched)).toStrictEqual(files)
})

test.runIf(IS_ROOT)('root does not replace a stack of another user', async () => {
  const { shop, fetched, repositories, files } = await shopWithStacks()
  for (const { commit } of repositories) commit({ x: '' })
  const place = join(fetched, 'hub.mu.com/acme/db')
  chownSync(place, NOBODY.uid, NOBODY.gid)
  await expect(shop.fetch({ isUpdate: true })).rejects.toMatchObject({
    message: expect.stringContaining(`'${place}' belongs to another user (65534)`) as string,
  })
  expect(filesIn(fetched)).toStrictEqual(files)
})

test.runIf(IS_ROOT)('what a killed run of another user has left is left to that user', async () => {
  const { shop, fetched } = await shopWithStacks()
  writeTree(join(fetched, GONE), { a: '' })
  chownSync(join(fetched, GONE), NOBODY.uid, NOBODY.gid)
  await shop.fetch()
  expect(existsSync(join(fetched, GONE, 'a'))).toBe(true)
})

test('a place that cannot be written is told with what to do', async () => {
  const repository = makeRepository()
  repository.commit({ 'db/Mu.yaml': stack('acme/db') })
  const shop = makeShop({ 'Mu.yaml': user('acme/db'), '.Mudeps': 'a file' }, { 'acme/...': repository.url })
  await expect(shop.fetch()).rejects.toMatchObject({ code: 'cannot-create', exitStatus: 73 })
  mkdirSync(join(shop.home, 'x'))
  symlinkSync('/nowhere/at/all', join(shop.home, '.Mudeps'))
  await expect(shop.fetch({ root: shop.home })).rejects.toMatchObject({ code: 'cannot-create' })
})
