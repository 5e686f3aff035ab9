import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { unpackArchive } from '../src/files.ts'
import { scratchDirectory } from './scratch.ts'
import { type TarBlock, tarOf } from './tar-blocks.ts'

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

test.each<{ attack: string; blocks: readonly TarBlock[]; message: string }>([
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
    message: 'no file of the archive',
  },
  { attack: 'a device', blocks: [{ name: 'f', type: '3' }], message: "contains 'f', which is no file" },
  { attack: 'a named pipe', blocks: [{ name: 'f', type: '6' }], message: "contains 'f', which is no file" },
  { attack: 'set-user-ID', blocks: [{ name: 'f', type: '0', mode: 0o4755 }], message: 'set-user-ID' },
  { attack: 'a file without its directory', blocks: [{ name: 'd/f', type: '0' }], message: 'without its directory' },
  {
    attack: 'a link with content',
    blocks: [{ name: 'f', type: '2', linkname: 'x', content: 'x' }],
    message: 'has content but is no file',
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
    attack: 'endless headers without entries',
    blocks: Array.from({ length: 300 }, () => ({ name: 'x', type: 'x', content: `1009 a=${'b'.repeat(1001)}\n` })),
    message: 'too large',
  },
])('unpackArchive() refuses $attack', async ({ blocks, message }) => {
  const parent = scratchDirectory()
  await expect(unpack(tarOf(...blocks), parent)).rejects.toThrow(message)
  expect(existsSync(join(parent, 'escaped'))).toBe(false)
})

test.each([0, 100, 512, 1024, 1536])('unpackArchive() refuses an archive that ends after %i bytes', async (length) => {
  const archive = tarOf(DIRECTORY, { name: 'd/f', type: '0', content: 'content' })
  await expect(unpack(archive.subarray(0, length))).rejects.toThrow(/ends in the middle|damaged/)
})

test('unpackArchive() refuses what is no archive', async () => {
  await expect(unpack(Buffer.alloc(2048, 'x'))).rejects.toThrow(/is damaged|ends in the middle/)
})

test('unpackArchive() refuses a directory that exists', async () => {
  const parent = scratchDirectory()
  mkdirSync(join(parent, 'new'))
  await expect(unpack(tarOf(), parent)).rejects.toThrow('it exists already')
})

async function unpack(archive: Buffer, parent = scratchDirectory()): Promise<string> {
  const directory = join(parent, 'new')
  await unpackArchive(Readable.from([archive.subarray(0, 700), archive.subarray(700)]), directory, LIMITS)
  return directory
}
