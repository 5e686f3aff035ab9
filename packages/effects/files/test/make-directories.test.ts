import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { AS_NOBODY } from '@davit/testing/nobody'
import { until } from '@davit/testing/wait'
import { expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'
import { makeDirectories } from '../src/files.ts'

test('makeDirectories() makes parents, with the same mode, and accepts existing directories', () => {
  const path = join(scratchDirectory(), 'a', 'b', 'c')
  makeDirectories(path, 0o700)
  makeDirectories(path)
  expect([path, join(path, '..')].map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o700])
})

test('makeDirectories() makes no directory that others may write to, whatever the umask', () => {
  const path = join(scratchDirectory(), 'a', 'b')
  const before = process.umask(0)
  try {
    makeDirectories(path)
  } finally {
    process.umask(before)
  }
  expect(statSync(path).mode & 0o777).toBe(0o755)
})

test.each([
  [
    '/proc/davit/state',
    "cannot create '/proc/davit/state': directories cannot be created on its file system",
    'another directory',
  ],
  [
    '/proc/self/fdinfo/a/b/c',
    "'/proc/self/fdinfo/a/b/c': directories cannot be created on its file system",
    'another directory',
  ],
])('makeDirectories() refuses %s immediately', (path, message, hint) => {
  expect(() => makeDirectories(path)).toThrow(
    expect.objectContaining({
      code: 'cannot-create',
      exitStatus: 73,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    }),
  )
})

test('makeDirectories() refuses what stands in the way of a directory', () => {
  const directory = scratchDirectory()
  writeFileSync(join(directory, 'file'), '')
  symlinkSync('nowhere', join(directory, 'link'))
  for (const [path, obstacle] of [
    ['file', 'file'],
    ['file/a/b', 'file'],
    ['link/a', 'link'],
  ] as const) {
    expect(() => makeDirectories(join(directory, path))).toThrow(
      expect.objectContaining({
        message: `cannot create '${join(directory, path)}': '${join(directory, obstacle)}' is not a directory`,
        hint: 'choose another directory, or remove what is there',
      }),
    )
  }
})

const compile = programCompiler()
const program = new URL('../src/files.ts', import.meta.url).pathname

test.skipIf(process.getuid?.() !== 0)(
  'makeDirectories() names account, directory, and the command that mends it',
  async () => {
    const directory = scratchDirectory()
    mkdirSync(join(directory, 'there'))
    const script = `import { makeDirectories } from '${program}'
    try { makeDirectories('${directory}/there/a/b') } catch (error) { console.log(error.message + '\\n' + error.hint) }`
    const node = [process.execPath, await compile(script)]
    const { stdout, stderr } = spawnSync(AS_NOBODY[0] ?? '', [...AS_NOBODY.slice(1), ...node], { encoding: 'utf8' })
    expect([stdout, stderr]).toEqual([
      `cannot create '${directory}/there/a/b': 'nobody' may not write to '${directory}'\n` +
        `as root: install -d -o nobody '${directory}/there'\n`,
      '',
    ])
  },
)

test('makeDirectories() does not mind that another process makes and removes the same directory', async () => {
  const path = join(scratchDirectory(), 'shared')
  const program =
    'const { mkdirSync, rmdirSync } = require("fs"); for (;;) for (const change of [mkdirSync, rmdirSync]) try { change(process.argv[1]) } catch {}'
  const other = spawn(process.execPath, ['-e', program, path])
  try {
    await until(() => existsSync(path))
    for (let round = 0; round < 5_000; round += 1) makeDirectories(path)
  } finally {
    other.kill('SIGKILL')
    await once(other, 'exit')
  }
})
