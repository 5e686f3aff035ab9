import { lchownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NOBODY } from '@davit/testing/nobody'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { fileOutput } from '../src/file-output.ts'

/** A directory with a link `out` to this target, and a file above it. */
function places(target: string) {
  const above = scratchDirectory()
  const directory = join(above, 'workspace')
  mkdirSync(directory)
  writeFileSync(join(above, 'file'), 'mine')
  writeFileSync(join(directory, 'file'), '')
  symlinkSync(target, join(directory, 'out'))
  return { above, directory, out: join(directory, 'out') }
}

async function write(path: string): Promise<void> {
  const output = fileOutput(path)
  await output.print('result')
  await output.finish()
}

test('a result does not go through a link to a file elsewhere, which may have come with a repository', async () => {
  const { above, out } = places('../file')
  await expect(write(out)).rejects.toMatchObject({
    code: 'cannot-write',
    exitStatus: 73,
    message: `cannot write '${out}': it is a link to '${above}/file'`,
    hint: `name the file itself, or remove the link: rm ${out}`,
  })
  expect(readFileSync(join(above, 'file'), 'utf8')).toBe('mine')
})

test('a result does not go through a link to what is not there', async () => {
  const { out } = places('../new')
  await expect(write(out)).rejects.toMatchObject({ message: `cannot write '${out}': it is a link to nothing` })
})

test('a result goes through a link to a file beside it, and to what is not a file', async () => {
  const { directory, out } = places('file')
  await write(out)
  expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('result')
  await write(places('/dev/null').out)
})

test.runIf(process.getuid?.() === 0)('a result goes through no link of another user', async () => {
  const { directory, out } = places('file')
  lchownSync(out, NOBODY.uid, NOBODY.gid)
  await expect(write(out)).rejects.toMatchObject({
    message: `cannot write '${out}': the link '${out}' belongs to another user`,
  })
  expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('')
  const { directory: other, above } = places('..')
  lchownSync(join(other, 'out'), NOBODY.uid, NOBODY.gid)
  await expect(write(join(other, 'out/new'))).rejects.toMatchObject({ code: 'cannot-write' })
  expect(() => readFileSync(join(above, 'new'))).toThrow('ENOENT')
})
