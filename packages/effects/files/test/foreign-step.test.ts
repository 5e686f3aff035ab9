import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NOBODY } from '@davit/testing/nobody'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import {
  foreignStep,
  isOwnDirectory,
  linkWithin,
  makeDirectories,
  refuseForeign,
  refuseLink,
  withTemporaryDirectory,
} from '../src/files.ts'

const IS_ROOT = process.getuid?.() === 0

/** A directory `a/b` with a file, and links to the directory from beside. */
function places() {
  const directory = scratchDirectory()
  mkdirSync(join(directory, 'a/b'), { recursive: true })
  writeFileSync(join(directory, 'a/b/file'), '')
  symlinkSync('a/b', join(directory, 'relative'))
  symlinkSync(join(directory, 'a/../relative'), join(directory, 'absolute'))
  return { at: (path: string) => join(directory, path) }
}

test.each(['a/b/file', 'a/none/at/all', 'relative/file', 'absolute', 'absolute/none', 'a/b/file/none'])(
  'nobody else controls a path of directories and links of this account: %s',
  (path) => {
    expect(foreignStep(places().at(path))).toBeUndefined()
  },
)

test.runIf(IS_ROOT).each([
  ['a directory on the way', 'a/b/file', 'a'],
  ['the directory itself', 'a/b', 'a/b'],
  ['a file', 'a/b/file', 'a/b/file'],
  ['a link', 'relative/file', 'relative'],
  ['a link that a link leads to', 'absolute/none', 'relative'],
  ['what a link leads to', 'absolute', 'a/b'],
  ['a directory that a link passes through', 'absolute', 'a'],
])('%s of another account is foreign', (_, path, foreign) => {
  const { at } = places()
  lchownSync(at(foreign), NOBODY.uid, NOBODY.gid)
  expect(foreignStep(at(path))).toStrictEqual({ path: at(foreign), why: 'owner', uid: NOBODY.uid })
})

test.runIf(IS_ROOT)('what belongs to root, or to the account itself, is not foreign to it', () => {
  const { at } = places()
  chmodSync(at('.'), 0o755)
  chownSync(at('a'), NOBODY.uid, NOBODY.gid)
  process.seteuid?.(NOBODY.uid)
  try {
    expect([foreignStep(at('a/b/file')), isOwnDirectory(at('a')), isOwnDirectory(at('a/b'))]).toStrictEqual([
      undefined,
      true,
      false,
    ])
  } finally {
    process.seteuid?.(0)
  }
})

test.each([
  [0o777, 'mode'],
  [0o757, 'mode'],
  [0o1777, undefined],
  [0o755, undefined],
])('a directory of mode %o is %s', (mode, why) => {
  const { at } = places()
  chmodSync(at('a'), mode)
  expect([foreignStep(at('a/b/file'))?.why, isOwnDirectory(at('a'))]).toStrictEqual([why, why === undefined])
})

test.runIf(IS_ROOT).each([
  [NOBODY.gid, 'mode'],
  [0, undefined],
])('a directory that group %i may write to is %s for root', (gid, why) => {
  const { at } = places()
  chownSync(at('a'), 0, gid)
  chmodSync(at('a'), 0o775)
  expect(foreignStep(at('a/b'))?.why).toBe(why)
})

test('links that lead in a circle end', () => {
  const directory = scratchDirectory()
  symlinkSync('two', join(directory, 'one'))
  symlinkSync('one', join(directory, 'two'))
  expect(foreignStep(join(directory, 'one/file'))).toBeUndefined()
})

test('linkWithin() finds the first link from a directory on, but none above it', () => {
  const { at } = places()
  symlinkSync('nowhere', at('a/b/link'))
  const found = (root: string, path: string) => linkWithin(at(root), at(path))
  expect(found('a', 'a/b/file')).toBeUndefined()
  expect(found('a', 'a/none/b')).toBeUndefined()
  expect(found('relative/..', 'a/b/file')).toBeUndefined()
  expect(found('a', 'a/b/link')).toBe(at('a/b/link'))
  expect(found('.', 'relative/link/x')).toBe(at('relative'))
  expect(found('relative', 'relative/file')).toBe(at('relative'))
})

test('refusals name the step, and the command that mends it', () => {
  const { at } = places()
  symlinkSync('b', at("a/it's"))
  expect(() => refuseLink(at('a'), at("a/it's/x"))).toThrow(
    expect.objectContaining({
      code: 'cannot-create',
      exitStatus: 73,
      message: `cannot use '${at("a/it's/x")}': '${at("a/it's")}' is a link, which may lead anywhere`,
      hint: `remove it, and run the same command: rm '${at("a/it'\\''s")}'`,
    }),
  )
  refuseLink(at('a'), at('a/b/file'))
  refuseForeign(at('a'))
  chmodSync(at('a'), 0o777)
  expect(() => refuseForeign(at('a/b'))).toThrow(
    expect.objectContaining({
      message: `cannot use '${at('a/b')}': other users may write to '${at('a')}', and could lead it elsewhere`,
      hint: `choose another directory, or: chmod go-w ${at('a')}`,
    }),
  )
})

test.runIf(IS_ROOT)('makeDirectories() does not use what another user has made in its place', () => {
  const { at } = places()
  chownSync(at('a/b'), NOBODY.uid, NOBODY.gid)
  expect(() => makeDirectories(at('a/b'))).toThrow(
    expect.objectContaining({
      message: `cannot use '${at('a/b')}': '${at('a/b')}' belongs to another user (65534), who could lead it elsewhere`,
      hint: `run the same command as that user, or, as root, take it from them: chown -h root ${at('a/b')}`,
    }),
  )
})

test('no temporary directory is made where others could replace it', async () => {
  const { at } = places()
  chmodSync(at('a/b'), 0o777)
  const used = withTemporaryDirectory({ TMPDIR: at('a/b') }, async () => {})
  await expect(used).rejects.toMatchObject({
    code: 'cannot-create',
    hint: expect.stringContaining('chmod go-w') as string,
  })
})
