import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { scratchDirectory } from '@davit/testing/scratch'
import { pax, type TarBlock, tarOf } from '@davit/testing/tar-blocks'
import { until } from '@davit/testing/wait'
import { expect, test } from 'vitest'
import { unpackArchive } from '../src/files.ts'
import type { UnpackLimits } from '../src/unpack-archive.ts'

const LIMITS = { maxEntries: 10, maxBytes: 1000 }
const DIRECTORY: TarBlock = { name: 'd/', type: '5', mode: 0o755 }

test('unpackArchive() keeps names, contents, links and the executable bit', async () => {
  const directory = await unpack(
    tarOf(
      { ...DIRECTORY, name: './' },
      DIRECTORY,
      { name: './d/run', type: '0', content: 'run', mode: 0o755 },
      { name: 'd/hard', type: '1', linkname: 'd/run' },
      { name: 'd/soft', type: '2', linkname: '/anywhere/else' },
      { ...DIRECTORY, mode: 0o555 },
    ),
  )
  expect(readdirSync(join(directory, 'd'))).toStrictEqual(['hard', 'run', 'soft'])
  expect(readFileSync(join(directory, 'd/hard'), 'utf8')).toBe('run')
  expect(statSync(join(directory, 'd/run')).mode & 0o7777).toBe(0o755)
})

test.each([
  ['a link', (place: string, outside: string) => symlinkSync(outside, place)],
  ['a link to nothing', (place: string, outside: string) => symlinkSync(`${outside}.new`, place)],
  ['another name of a file', (place: string, outside: string) => linkSync(outside, place)],
] as const)('unpackArchive() writes to no file that somebody else has put there, not through %s', async (_, put) => {
  const [directory, outside] = [join(scratchDirectory(), 'unpacked'), join(scratchDirectory(), 'outside')]
  writeFileSync(outside, 'kept')
  const archive = tarOf(DIRECTORY, { name: 'f', type: '0', content: 'x' })
  async function* meanwhile() {
    yield archive.subarray(0, 512)
    await until(() => expect(existsSync(join(directory, 'd'))).toBe(true))
    put(join(directory, 'f'), outside)
    yield archive.subarray(512)
  }
  const unpacking = unpackArchive(Readable.from(meanwhile()), directory, LIMITS)
  await expect(unpacking).rejects.toMatchObject({ code: 'cannot-unpack' })
  expect(readFileSync(outside, 'utf8')).toBe('kept')
  expect(readdirSync(join(outside, '..'))).toEqual(['outside'])
})

test.each<{ attack: string; blocks: readonly TarBlock[]; message: string | RegExp }>([
  {
    attack: 'a name that leads outside',
    blocks: [{ name: '../escaped', type: '0' }],
    message: "contains '../escaped', which leads outside",
  },
  {
    attack: 'a hidden way outside',
    blocks: [DIRECTORY, { name: 'd/../../escaped', type: '0' }],
    message: 'leads outside',
  },
  {
    attack: 'an absolute name',
    blocks: [{ name: '/tmp/escaped', type: '0' }],
    message: "the absolute name '/tmp/escaped'",
  },
  {
    attack: 'writing through a link',
    blocks: [
      { name: 'd', type: '2', linkname: '..' },
      { name: 'd/escaped', type: '0' },
    ],
    message: "contains 'd/escaped', which goes through a link",
  },
  {
    attack: 'a link in place of a directory',
    blocks: [DIRECTORY, { name: 'd', type: '2', linkname: '..' }],
    message: "contains 'd' twice",
  },
  {
    attack: 'a directory in place of a link',
    blocks: [{ name: 'd', type: '2', linkname: '..' }, DIRECTORY],
    message: "contains 'd' twice",
  },
  {
    attack: 'a file over a file',
    blocks: [
      { name: 'f', type: '0' },
      { name: './f', type: '0' },
    ],
    message: "contains 'f' twice",
  },
  {
    attack: 'a hard link to outside',
    blocks: [{ name: 'f', type: '1', linkname: '/etc/passwd' }],
    message: "the absolute name '/etc/passwd'",
  },
  {
    attack: 'a hard link through a link',
    blocks: [
      { name: 'd', type: '2', linkname: '/etc' },
      { name: 'f', type: '1', linkname: 'd/passwd' },
    ],
    message: 'not a file of the archive',
  },
  { attack: 'a device', blocks: [{ name: 'f', type: '3' }], message: "contains 'f', which is not a file" },
  { attack: 'a named pipe', blocks: [{ name: 'f', type: '6' }], message: "contains 'f', which is not a file" },
  { attack: 'set-user-ID', blocks: [{ name: 'f', type: '0', mode: 0o4755 }], message: 'set-user-ID' },
  { attack: 'a file without its directory', blocks: [{ name: 'd/f', type: '0' }], message: 'without its directory' },
  {
    attack: 'a link with content',
    blocks: [{ name: 'f', type: '2', linkname: 'x', content: 'x' }],
    message: 'has content but is not a file',
  },
  {
    attack: 'too many entries',
    blocks: Array.from({ length: 11 }, (_, index) => ({ name: `f${index}`, type: '0' })),
    message: 'more than 10 entries',
  },
  { attack: 'too many bytes', blocks: [{ name: 'f', type: '0', content: 'x'.repeat(1001) }], message: 'too large' },
  {
    attack: 'a way outside in a pax header',
    blocks: [
      { name: 'x', type: 'x', content: '19 path=../escaped\n' },
      { name: 'f', type: '0' },
    ],
    message: 'leads outside',
  },
  {
    attack: 'a way outside in a long name',
    blocks: [
      { name: '././@LongLink', type: 'L', content: `${'a/'.repeat(100)}../../../escaped\0` },
      { name: 'f', type: '0' },
    ],
    message: 'leads outside',
  },
  {
    attack: 'a hard link to outside in a pax header',
    blocks: [
      { name: 'x', type: 'x', content: pax('linkpath=../../etc/passwd') },
      { name: 'f', type: '1', linkname: 'f' },
    ],
    message: 'leads outside',
  },
  {
    attack: 'a hard link to itself',
    blocks: [{ name: 'f', type: '1', linkname: 'f' }],
    message: "the hard link 'f' to 'f', which is not a file of the archive",
  },
  {
    attack: 'a hard link to a link, which would be another way in',
    blocks: [
      { name: 's', type: '2', linkname: '/etc' },
      { name: 'd', type: '1', linkname: 's' },
      { name: 'd/escaped', type: '0' },
    ],
    message: "the hard link 'd' to 's'",
  },
  {
    attack: 'writing through a link whose name begins like that of a directory',
    blocks: [
      { name: 'abcd/', type: '5' },
      { name: 'abc', type: '2', linkname: '..' },
      { name: 'abc/escaped', type: '0' },
    ],
    message: "contains 'abc/escaped', which goes through a link",
  },
  {
    attack: 'a directory below a link',
    blocks: [
      { name: 'd', type: '2', linkname: '..' },
      { name: 'd/escaped/', type: '5' },
    ],
    message: "contains 'd/escaped', which goes through a link",
  },
  {
    attack: 'a link in place of its root',
    blocks: [{ name: './', type: '2', linkname: '..' }],
    message: "contains '' twice",
  },
  {
    attack: 'a file in place of a directory',
    blocks: [DIRECTORY, { name: 'd', type: '0' }],
    message: "contains 'd' twice",
  },
  {
    attack: 'a directory in place of a file',
    blocks: [{ name: 'd', type: '0' }, DIRECTORY],
    message: "contains 'd' twice",
  },
  {
    attack: 'a file below a file',
    blocks: [
      { name: 'f', type: '0' },
      { name: 'f/g', type: '0' },
    ],
    message: "contains 'f/g' without its directory",
  },
  { attack: 'a block device', blocks: [{ name: 'f', type: '4' }], message: "contains 'f', which is not a file" },
  { attack: 'set-group-ID', blocks: [{ name: 'f', type: '0', mode: 0o2755 }], message: 'set-group-ID' },
  {
    attack: 'a file of a kind that nobody knows',
    blocks: [{ name: 'f', type: 'S', content: 'x' }],
    message: 'has content but is not a file',
  },
  {
    attack: 'a sparse file, whose content would differ',
    blocks: [
      { name: 'x', type: 'x', content: pax('GNU.sparse.major=1') + pax('GNU.sparse.name=f') },
      { name: 'GNUSparseFile.0/f', type: '0' },
    ],
    message: 'without its directory',
  },
  {
    attack: 'a sparse file at its place',
    blocks: [
      { name: 'x', type: 'x', content: pax('GNU.sparse.realsize=1099511627776') },
      { name: 'f', type: '0', content: 'x' },
    ],
    message: "contains 'f', which is sparse",
  },
  {
    attack: 'a directory with content',
    blocks: [{ ...DIRECTORY, content: 'x' }],
    message: 'has content but is not a file',
  },
  {
    attack: 'a size beyond all limits in a pax header',
    blocks: [
      { name: 'x', type: 'x', content: pax('size=99999999999999999999') },
      { name: 'f', type: '0', content: 'x' },
    ],
    message: 'too large',
  },
  {
    attack: 'a negative size in a pax header',
    blocks: [
      { name: 'x', type: 'x', content: pax('size=-512') },
      { name: 'f', type: '0', content: 'x' },
    ],
    message: 'damaged',
  },
  {
    attack: 'a size that is no number in a pax header',
    blocks: [
      { name: 'x', type: 'x', content: pax('size=many') },
      { name: 'f', type: '0', content: 'x' },
    ],
    message: 'damaged',
  },
  {
    attack: 'a size beyond the archive',
    blocks: [{ name: 'f', type: '0', content: 'x', size: 900 }],
    message: 'is truncated',
  },
  ...['\x8e0000000226', '\x81'].map((size) => ({
    attack: `the size ${JSON.stringify(size)}`,
    blocks: [{ name: 'f', type: '0', content: 'x', size }, DIRECTORY],
    message: "contains 'f', whose size cannot be read",
  })),
  {
    attack: 'a pax header that is larger than all that it may say',
    blocks: [{ name: 'x', type: 'x', size: 2 ** 33 - 1 }],
    message: /damaged|too large/,
  },
  {
    attack: 'a name with NUL',
    blocks: [
      { name: 'x', type: 'x', content: pax('path=a\0b') },
      { name: 'f', type: '0' },
    ],
    message: 'is not text in UTF-8',
  },
  {
    attack: 'a link to NUL',
    blocks: [
      { name: 'x', type: 'x', content: pax('linkpath=a\0b') },
      { name: 'f', type: '2', linkname: 'x' },
    ],
    message: "the link 'f' without a target",
  },
  {
    attack: 'a name of 256 bytes',
    blocks: [
      { name: '././@LongLink', type: 'L', content: 'a'.repeat(256) },
      { name: 'f', type: '0' },
    ],
    message: 'is longer than 255 bytes',
  },
  {
    attack: 'a name of 100,000 bytes, which it does not repeat',
    blocks: [
      { name: '././@LongLink', type: 'L', content: `/${'a'.repeat(50_000)}` },
      { name: 'f', type: '0' },
    ],
    message: /^.{200,300}$/,
  },
  { attack: 'a wrong checksum', blocks: [{ name: 'f', type: '0', checksum: 1 }], message: 'damaged' },
  {
    attack: 'endless headers without entries',
    blocks: Array.from({ length: 300 }, () => ({ name: 'x', type: 'x', content: `1009 a=${'b'.repeat(1001)}\n` })),
    message: 'too large',
  },
])('unpackArchive() refuses $attack', async ({ blocks, message }) => {
  const parent = scratchDirectory()
  await expect(unpack(tarOf(...blocks), parent)).rejects.toThrow(message)
  expect(readdirSync(parent)).toStrictEqual(['new'])
})

test('unpackArchive() keeps names apart that differ in case or in what they begin with, as the file system does', async () => {
  const names = [
    'a',
    'A',
    'ab',
    'a b',
    'a\\b',
    '-rf',
    '$(touch x)',
    'a\nb',
    '__proto__',
    'constructor',
    '\u00e9',
    'e\u0301',
  ]
  const files = names.map((name): TarBlock => ({ name, type: '0', content: name }))
  const directory = await unpack(tarOf(...files), scratchDirectory(), { maxEntries: 20, maxBytes: 1000 })
  expect(readdirSync(directory).toSorted()).toStrictEqual(names.toSorted())
  for (const name of names) expect(readFileSync(join(directory, name), 'utf8')).toBe(name)
})

test('unpackArchive() takes neither the owner nor odd bits of directories and links', async () => {
  const directory = await unpack(
    tarOf({ ...DIRECTORY, mode: 0o7777 }, { name: 'd/soft', type: '2', linkname: 'x', mode: 0o7777 }),
  )
  expect(statSync(join(directory, 'd')).mode & 0o7000).toBe(0)
})

test('unpackArchive() refuses an archive of a million entries when it meets the first one too many', async () => {
  const [entry] = [tarOf(DIRECTORY).subarray(0, 512)]
  let sent = 0
  const archive = Readable.from(
    (function* () {
      for (; sent < 1_000_000; sent += 1) yield entry
    })(),
  )
  const unpacking = unpackArchive(archive, join(scratchDirectory(), 'new'), { maxEntries: 1000, maxBytes: 1000 })
  await expect(unpacking).rejects.toThrow('the archive has more than 1000 entries')
  expect(sent).toBeLessThan(2000)
})

test.each([0, 100, 512, 1024, 1536])('unpackArchive() refuses an archive that ends after %i bytes', async (length) => {
  const archive = tarOf(DIRECTORY, { name: 'd/f', type: '0', content: 'content' })
  await expect(unpack(archive.subarray(0, length))).rejects.toThrow(/is truncated|damaged/)
})

test('unpackArchive() does not take the end of a file for the end of the archive', async () => {
  const zeros = tarOf({ name: 'f', type: '0', content: '\0'.repeat(2048) })
  const limits = { maxEntries: 1, maxBytes: 2048 }
  await expect(unpack(zeros.subarray(0, -1024), scratchDirectory(), limits)).rejects.toThrow('is truncated')
  await expect(unpack(zeros, scratchDirectory(), limits)).resolves.toMatch(/new$/)
})

test('unpackArchive() refuses anything but an archive', async () => {
  await expect(unpack(Buffer.alloc(2048, 'x'))).rejects.toThrow(/is damaged|is truncated/)
})

test('unpackArchive() refuses a directory that exists', async () => {
  const parent = scratchDirectory()
  mkdirSync(join(parent, 'new'))
  await expect(unpack(tarOf(), parent)).rejects.toThrow('it exists already')
})

async function unpack(archive: Buffer, parent = scratchDirectory(), limits: UnpackLimits = LIMITS): Promise<string> {
  const directory = join(parent, 'new')
  await unpackArchive(Readable.from([archive.subarray(0, 700), archive.subarray(700)]), directory, limits)
  return directory
}
