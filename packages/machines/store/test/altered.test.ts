import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { ReportEvent } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import type { Isolation } from '@davit/isolation'
import { expect, test } from 'vitest'
import { type NativeStore, timeOfContent } from '../src/store.ts'
import { build } from './package-specs.ts'
import { instantiated, quietly, realised, temporaryStore, writeTree } from './temporary-store.ts'

const TREE = { 'bin/run': '#!/bin/sh\n', 'lib/a': 'one\n', 'lib/b': 'two\n', link: '->lib/a' }

/** A store with a package, and what is done to it as root would. */
async function scene() {
  const store = await temporaryStore()
  const origin = writeTree(TREE)
  const [source] = await instantiated(store, { kind: 'source', path: origin })
  const path = source!.outPath
  const open = (file: string) => {
    for (const place of [path, join(path, 'lib'), file])
      if (existsSync(place)) chmodSync(place, lstatSync(place).mode | 0o200)
  }
  const write = (name: string, use: (file: string) => void) => {
    const file = join(path, name)
    open(file)
    use(file)
  }
  return { store, origin, path, write }
}

const inHidden = ({ reference }: NativeStore, place: string): readonly string[] => {
  const directory = join(reference.directory, '.davit', place)
  return existsSync(directory) ? readdirSync(directory) : []
}

const again = ({ reference }: NativeStore, isolation?: Isolation) => temporaryStore(isolation, reference.directory)

test.each<readonly [string, string, (file: string) => void, string]>([
  ['an added file', 'lib/new.log', (file) => writeFileSync(file, 'x'), "'lib/new.log' was added or replaced on "],
  ['a file that grew', 'lib/a', (file) => appendFileSync(file, 'x'), "'lib/a' was changed on "],
  ['a file of the same length', 'lib/a', (file) => writeFileSync(file, 'eno\n'), "'lib/a' was changed on "],
  ['a removed file', 'lib/a', (file) => rmSync(file), "something was removed from 'lib' on "],
  ['a named pipe', 'lib/pipe', (file) => void spawnSync('mkfifo', [file]), 'is a named pipe'],
  ['a data file rather than a cache', 'visits', cacheAndData, "'visits' was added or replaced on "],
])('refuseAltered() finds %s, and the path is not valid any more', async (_, name, change, what) => {
  const { store, path, write } = await scene()
  write(name, change)
  await expect(store.refuseAltered([path])).rejects.toMatchObject({
    code: 'altered-package',
    fields: { altered: [path] },
    message: expect.stringMatching(new RegExp(`^'${path}' is not what it was when it was made: .*${what}`)),
    hint: expect.stringContaining('.davit/set-aside'),
  })
  expect(await store.invalidPaths([path])).toEqual([path])
  const other = await again(store)
  expect(await other.invalidPaths([path])).toEqual([path])
  await expect(other.closure([path])).rejects.toMatchObject({ code: 'altered-package' })
})

function cacheAndData(file: string): void {
  writeTree({ '__pycache__/x.pyc': 'x' }, dirname(file))
  writeFileSync(file, 'ann@example.org\n')
}

test('refuseAltered() names all that were altered', async () => {
  const store = await temporaryStore()
  const packages = await realised(store, build('one', 'echo 1 >$out'), build('two', 'echo 2 >$out'))
  const paths = packages.map(({ outPath }) => outPath)
  for (const path of paths) {
    chmodSync(path, 0o644)
    appendFileSync(path, 'x')
  }
  await expect(store.refuseAltered(paths)).rejects.toMatchObject({ fields: { altered: paths }, diagnostics: [{}, {}] })
})

test('refuseAltered() returns what only got other times, which stays valid', async () => {
  const { store, path, write } = await scene()
  write('lib/a', (file) => utimesSync(file, 2e9, 2e9))
  expect(await store.refuseAltered([path])).toEqual([path])
  expect(await store.invalidPaths([path])).toEqual([])
})

test('packages of earlier versions of davit, whose time is the second 1, are as they should be', async () => {
  const { store, path } = await scene()
  spawnSync('find', [path, '-exec', 'touch', '-h', '-d', '@1', '{}', '+'])
  expect(await store.refuseAltered([path])).toEqual([])
  expect((await buffer(store.export([path]))).length).toBeGreaterThan(0)
})

test('export() fails at the end of a package whose sizes and times are as they should be, but not its content', async () => {
  const { store, path, write } = await scene()
  write('lib/a', (file) => {
    const { mtime } = statSync(file)
    writeFileSync(file, 'eno\n')
    utimesSync(file, mtime, mtime)
  })
  expect(await store.refuseAltered([path])).toEqual([])
  await expect(buffer(store.export([path]))).rejects.toMatchObject({
    code: 'altered-package',
    message: expect.stringContaining('a disk may have altered it'),
  })
  expect(await (await again(store)).invalidPaths([path])).toEqual([path])
})

test('a source that was altered is copied again, and what was there is set aside', async () => {
  const { store, origin, path, write } = await scene()
  write('visits.log', (file) => writeFileSync(file, 'ann@example.org\n'))
  await expect(store.refuseAltered([path])).rejects.toMatchObject({ code: 'altered-package' })
  const [made] = await instantiated(await again(store), { kind: 'source', path: origin })
  expect(made!.outPath).toBe(path)
  expect(readdirSync(path).toSorted()).toEqual(['bin', 'lib', 'link'])
  const [aside = ''] = inHidden(store, 'set-aside')
  expect(aside).toMatch(new RegExp(`^${basename(path)}\\.\\d+$`))
  const log = join(store.reference.directory, '.davit/set-aside', aside, 'visits.log')
  expect(readFileSync(log, 'utf8')).toBe('ann@example.org\n')
  expect(inHidden(store, 'altered')).toEqual([])
  const fresh = await again(store)
  expect(await fresh.refuseAltered([path])).toEqual([])
  expect(lstatSync(path).mode & 0o777).toBe(0o555)
})

test.each<Isolation>([{ kind: 'none' }, { kind: 'bubblewrap', program: '/usr/bin/bwrap' }])(
  'an output that was altered is built again with isolation $kind; if that fails, it is still there',
  async (isolation) => {
    if (isolation.kind === 'bubblewrap' && !existsSync('/usr/bin/bwrap')) return
    const store = await temporaryStore(isolation)
    const [pkg] = await realised(store, build('web', 'mkdir $out; echo x >$out/file; sleep 1'))
    const path = pkg!.outPath
    const alter = () => {
      chmodSync(path, 0o755)
      writeFileSync(join(path, 'data'), 'mine')
    }
    alter()
    await expect(store.refuseAltered([path])).rejects.toMatchObject({ code: 'altered-package' })
    const stop = new AbortController()
    const report = ({ kind }: ReportEvent) => {
      if (kind === 'started') setTimeout(() => stop.abort(new Error('enough')), 500)
    }
    const stopped = { maxJobs: 1, report, signal: stop.signal }
    await expect((await again(store, isolation)).realise([pkg!], stopped)).rejects.toThrow('enough')
    expect(readFileSync(join(path, 'data'), 'utf8')).toBe('mine')
    await (await again(store, isolation)).realise([pkg!], quietly())
    expect(readdirSync(path)).toEqual(['file'])
    const [aside = ''] = inHidden(store, 'set-aside')
    const kept = join(store.reference.directory, '.davit/set-aside', aside, 'data')
    expect(readFileSync(kept, 'utf8')).toBe('mine')
    expect(inHidden(store, 'altered')).toEqual([])
  },
)

test('everything in a package has one time, which its content determines, in every store', async () => {
  const timesIn = (path: string) => {
    const { stdout } = spawnSync('find', [path, '-printf', '%T@\n'], { encoding: 'utf8' })
    return [...new Set(stdout.trim().split('\n').map(Number))]
  }
  const spec = { kind: 'source', path: writeTree(TREE) } as const
  const made: StorePath[] = []
  for (const directory of ['one', 'two']) {
    const store = await temporaryStore(undefined, join(writeTree({}), directory))
    const [{ outPath } = { outPath: '' as StorePath }] = await instantiated(store, spec)
    const [registration] = await store.registrations([outPath])
    expect(timesIn(outPath)).toEqual([timeOfContent(registration!.contentHash)])
    made.push(outPath)
  }
  expect(timesIn(made[0]!)).toEqual(timesIn(made[1]!))
  writeTree({ 'lib/a': 'eno\n' }, spec.path)
  const other = await temporaryStore()
  const [changed] = await instantiated(other, spec)
  expect(timesIn(changed!.outPath)).not.toEqual(timesIn(made[0]!))
  expect(Math.max(...timesIn(changed!.outPath))).toBeLessThan(1_300_000_000)
})

test('an archive has the times of the contents, not those of the disk', async () => {
  const { store, path } = await scene()
  const [registration] = await store.registrations([path])
  const before = await buffer(store.export([path]))
  spawnSync('find', [path, '-exec', 'touch', '-h', '-d', '@1', '{}', '+'])
  expect(await buffer(store.export([path]))).toStrictEqual(before)
  const { stdout } = spawnSync('tar', ['-tv', '--full-time', '--utc'], { input: before, encoding: 'utf8' })
  const time = new Date(timeOfContent(registration!.contentHash) * 1000).toISOString().slice(0, 19).replace('T', ' ')
  const lines = stdout.split('\n').filter((line) => line.includes(' paths/'))
  expect(lines.every((line) => line.includes(time))).toBe(true)
  expect(lines.length).toBe(7)
})
