import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'
import { readTextFile, walkTree, withTemporaryDirectory, writeFileAtomic } from '../src/files.ts'

const compile = programCompiler()

test('writeFileAtomic() replaces a file and leaves nothing else', async () => {
  const directory = scratchDirectory()
  const path = join(directory, 'file')
  await writeFileAtomic(path, 'old')
  await writeFileAtomic(path, Buffer.from('new'), { mode: 0o604 })
  expect(readdirSync(directory)).toStrictEqual(['file'])
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(statSync(path).mode & 0o777).toBe(0o604)
})

test('writeFileAtomic() leaves the file alone when it cannot write', async () => {
  const directory = scratchDirectory()
  mkdirSync(join(directory, 'taken'))
  await expect(writeFileAtomic(join(directory, 'taken'), 'x')).rejects.toMatchObject({
    code: 'cannot-write',
    exitStatus: 73,
    message: `cannot write '${directory}/taken': it is a directory`,
  })
  expect(readdirSync(directory)).toStrictEqual(['taken'])
})

test.each([
  { name: 'absent', exitStatus: 66, message: 'no such file or directory' },
  { name: '.', exitStatus: 66, message: 'it is a directory' },
  { name: 'binary', exitStatus: 65, message: 'it is not text in UTF-8' },
  { name: 'utf-16', exitStatus: 65, message: 'it is not text in UTF-8' },
  { name: 'utf-16-without-mark', exitStatus: 65, message: 'it is not text in UTF-8' },
  { name: 'latin-1', exitStatus: 65, message: 'it is not text in UTF-8' },
  { name: 'sparse', exitStatus: 65, message: 'it is larger than 256 MiB' },
  { name: 'endless', exitStatus: 65, message: 'it is larger than 256 MiB' },
])('readTextFile() reports why it cannot read $name', async ({ name, exitStatus, message }) => {
  const directory = scratchDirectory()
  writeFileSync(join(directory, 'binary'), Uint8Array.of(0xff, 0xfe, 0))
  writeFileSync(join(directory, 'utf-16'), Buffer.from('\ufeff<a>\u00e4</a>', 'utf16le'))
  writeFileSync(join(directory, 'utf-16-without-mark'), Buffer.from('<a>\u00e4</a>', 'utf16le'))
  writeFileSync(join(directory, 'latin-1'), Buffer.from('<a>\u00e4</a>', 'latin1'))
  writeFileSync(join(directory, 'sparse'), '')
  truncateSync(join(directory, 'sparse'), 2 ** 33)
  symlinkSync('/dev/zero', join(directory, 'endless'))
  const path = join(directory, name)
  await expect(readTextFile(path)).rejects.toMatchObject({
    exitStatus,
    message: `cannot read '${path}': ${message}`,
  })
})

test('readTextFile() leaves out a byte order mark', async () => {
  const path = join(scratchDirectory(), 'marked')
  writeFileSync(path, '\ufefftext')
  expect(await readTextFile(path)).toBe('text')
})

test('withTemporaryDirectory() removes read-only directories too, after a failure as well', async () => {
  const parent = scratchDirectory()
  const failure = withTemporaryDirectory({ TMPDIR: parent }, async (directory) => {
    mkdirSync(join(directory, 'sub'))
    writeFileSync(join(directory, 'sub/file'), '')
    chmodSync(join(directory, 'sub'), 0o555)
    throw new Error('no')
  })
  await expect(failure).rejects.toThrow('no')
  expect(readdirSync(parent)).toStrictEqual([])
})

test('withTemporaryDirectory() tells the path without the links in it', async () => {
  const directory = scratchDirectory()
  symlinkSync('.', join(directory, 'link'))
  const parent = await withTemporaryDirectory({ TMPDIR: join(directory, 'link') }, async (made) => dirname(made))
  expect(parent).toBe(directory)
})

test('withTemporaryDirectory() says that the directory of TMPDIR is not there', async () => {
  const parent = join(scratchDirectory(), 'none')
  await expect(withTemporaryDirectory({ TMPDIR: parent }, async () => {})).rejects.toMatchObject({
    code: 'cannot-create',
    exitStatus: 73,
    message: `cannot create a directory in '${parent}': no such file or directory`,
    hint: expect.stringContaining('set TMPDIR to another directory') as string,
  })
})

test.runIf(spawnSync('id', ['-u'], { encoding: 'utf8' }).stdout.trim() === '0')(
  'removeTree() removes read-only and very deep directories as an unprivileged user',
  async () => {
    const parent = scratchDirectory()
    chmodSync(parent, 0o777)
    const setup = `part=$(printf '%0200d/' 1 2 3 4 5 6 7 8 9 10 11 12); mkdir -p "tree/sub/$part" "deeper/$part"
      touch "deeper/$part/file"; mv deeper "tree/sub/$part"; chmod -R a-w tree`
    spawnSync('sh', ['-c', setup], { cwd: parent, uid: 65_534, gid: 65_534 })
    const { pathname } = new URL('../src/remove-tree.ts', import.meta.url)
    const program = await compile(`import { removeTree } from '${pathname}'\nremoveTree('tree')\n`)
    const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', TMPDIR: parent, HOME: parent }
    const options = { cwd: parent, uid: 65_534, gid: 65_534, env: environment, encoding: 'utf8' } as const
    expect(spawnSync('node', [program], options).stderr).toBe('')
    expect(existsSync(join(parent, 'tree'))).toBe(false)
  },
)

test('walkTree() refuses what is neither file, directory nor link', async () => {
  const directory = scratchDirectory()
  const server = createServer().listen(join(directory, 'socket'))
  expect(() => [...walkTree(directory)]).toThrow(`'${directory}/socket' is a socket`)
  await new Promise((resolve) => server.close(resolve))
  spawnSync('mkfifo', [join(directory, 'pipe')])
  expect(() => [...walkTree(directory)]).toThrow(`'${directory}/pipe' is a named pipe`)
})
