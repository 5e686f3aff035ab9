import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { scratchDirectory } from '@davit/testing/scratch'
import { assert, asyncProperty, dictionary, stringMatching, uint8Array } from 'fast-check'
import { NOBODY } from '@davit/testing/nobody'
import { expect, test } from 'vitest'
import { packArchive, unpackArchive } from '../src/files.ts'

const LONG = 'a-name-that-does-not-fit-into-the-header-of-a-tar-archive-'.repeat(3)
const TARS = [
  { tar: 'GNU tar', argv: ['tar'] },
  { tar: 'busybox tar', argv: ['busybox', 'tar'] },
].filter(({ argv }) => spawnSync(argv[0] ?? '', ['--help']).status === 0)
const USERS: readonly { user: string; ids: { uid?: undefined } | { uid: number; gid: number } }[] = [
  { user: 'this user', ids: {} },
  ...(isRoot() ? [{ user: 'nobody', ids: NOBODY }] : []),
]
const CASES = TARS.flatMap((tar) => USERS.map((user) => ({ ...tar, ...user })))

test('packArchive() gives the same bytes for the same trees, whatever their times and modes', async () => {
  const [first, second] = [scratchDirectory(), scratchDirectory()]
  writeTree(first)
  writeTree(second)
  utimesSync(join(second, 'tree/file'), 12, 34)
  chmodSync(join(second, 'tree/file'), 0o640)

  expect(await archiveOf(second)).toStrictEqual(await archiveOf(first))
})

test.each(CASES)('packArchive() is understood by $tar as $user', async ({ argv, ids }) => {
  const root = scratchDirectory()
  writeTree(root)
  const unpacked = scratchDirectory()
  chmodSync(unpacked, 0o755)
  if (ids.uid !== undefined) chownSync(unpacked, ids.uid, ids.gid)

  const [program = '', ...rest] = argv
  const input = await archiveOf(root)
  const { status, stderr } = spawnSync(program, [...rest, '-xf', '-'], { cwd: unpacked, input, ...ids })

  expect(stderr.toString()).toBe('')
  expect(status).toBe(0)
  expect(listing(unpacked)).toStrictEqual([
    'd755 tree',
    `d755 tree/${LONG}`,
    `f444 tree/${LONG}/${LONG} deep`,
    'd755 tree/bin',
    'f555 tree/bin/run run me',
    'f444 tree/empty ',
    'f444 tree/file content',
    'l tree/link bin/run',
    `l tree/long-link ${LONG}/${LONG}`,
    'f444 tree/zwölf ünïcödé',
  ])
})

test('packArchive() fails for a path that does not exist', async () => {
  await expect(buffer(packArchive([{ name: 'absent', tree: join(scratchDirectory(), 'absent') }]))).rejects.toThrow(
    'ENOENT',
  )
})

test('unpackArchive() undoes packArchive()', async () => {
  const name = stringMatching(/^[a-zé ü.-]{1,120}$/).filter((text) => !['.', '..'].includes(text))
  const tree = dictionary(name, uint8Array({ maxLength: 2000 }), { maxKeys: 8 })
  await assert(
    asyncProperty(tree, async (files) => {
      const root = scratchDirectory()
      mkdirSync(join(root, 'tree'))
      for (const [file, content] of Object.entries(files)) writeFileSync(join(root, 'tree', file), content)
      const archive = await archiveOf(root)
      const copy = join(root, 'copy')
      await unpackArchive(packArchive([{ name: 'tree', tree: join(root, 'tree') }]), copy, {
        maxEntries: 100,
        maxBytes: 1e6,
      })
      expect(await archiveOf(copy)).toStrictEqual(archive)
    }),
    { numRuns: 20 },
  )
})

test('packArchive() streams files that are larger than its buffers', async () => {
  const root = scratchDirectory()
  writeFileSync(join(root, 'large'), Buffer.alloc(3_000_001, 'davit'))
  await unpackArchive(packArchive([{ name: 'large', tree: join(root, 'large') }]), join(root, 'copy'), {
    maxEntries: 1,
    maxBytes: 1e7,
  })
  const { status } = spawnSync('cmp', [join(root, 'large'), join(root, 'copy/large')])
  expect(status).toBe(0)
})

function writeTree(root: string): void {
  const tree = join(root, 'tree')
  mkdirSync(join(tree, 'bin'), { recursive: true })
  mkdirSync(join(tree, LONG))
  writeFileSync(join(tree, 'file'), 'content')
  writeFileSync(join(tree, 'empty'), '')
  writeFileSync(join(tree, 'zwölf'), 'ünïcödé')
  writeFileSync(join(tree, LONG, LONG), 'deep')
  writeFileSync(join(tree, 'bin/run'), 'run me', { mode: 0o755 })
  symlinkSync('bin/run', join(tree, 'link'))
  symlinkSync(`${LONG}/${LONG}`, join(tree, 'long-link'))
}

function archiveOf(root: string): Promise<Buffer> {
  return buffer(packArchive([{ name: 'tree', tree: join(root, 'tree') }]))
}

function listing(directory: string): readonly string[] {
  const script = `find tree | LC_ALL=C sort | while IFS= read -r path; do
    if [ -L "$path" ]; then printf 'l %s %s\\n' "$path" "$(readlink "$path")"
    elif [ -d "$path" ]; then printf 'd%s %s\\n' "$(stat -c %a "$path")" "$path"
    else printf 'f%s %s %s\\n' "$(stat -c %a "$path")" "$path" "$(cat "$path")"; fi
  done`
  return spawnSync('sh', ['-c', script], { cwd: directory, encoding: 'utf8' }).stdout.trimEnd().split('\n')
}

function isRoot(): boolean {
  return spawnSync('id', ['-u'], { encoding: 'utf8' }).stdout.trim() === '0'
}

test.each([
  ['before a tree', 'tree', 0],
  ['in the middle of a tree', 'tree', 1],
  ['before a text', 'text', 0],
  ['in the middle of a text', 'text', 1],
] as const)('packArchive() fails only for its reader when that goes away %s', async (_, kind, chunks) => {
  const file = join(scratchDirectory(), 'large')
  writeFileSync(file, Buffer.alloc(4_000_000))
  const failures: unknown[] = []
  const note = (error: unknown) => void failures.push(error)
  process.on('uncaughtException', note)
  try {
    const part = kind === 'tree' ? { name: 'large', tree: file } : { name: 'large', text: 'x'.repeat(4_000_000) }
    const archive = packArchive([part])
    const sink = new Writable({ write: () => void setImmediate(() => sink.destroy(new Error('lost'))) })
    if (chunks === 0) sink.destroy(new Error('lost'))
    await expect(pipeline(archive, sink)).rejects.toThrow(/lost|destroyed/)
    // The packer notices a few turns later.
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  } finally {
    process.off('uncaughtException', note)
  }
  expect(failures).toEqual([])
})
