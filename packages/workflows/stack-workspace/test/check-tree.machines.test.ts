import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { checkTree } from '../src/check-tree.ts'
import { filesIn, writeTree } from './testing.ts'

test.each([
  ['a repository', { '.git/hooks/post-checkout': '' }, "it contains '.git', which git would take for a repository"],
  ['a repository in other case', { 'a/.GIT': '' }, "it contains 'a/.GIT', which git would take for a repository"],
  [
    'a directory for a record',
    { 'a/.origin.json/x': '' },
    "it contains 'a/.origin.json', which is no record of an origin",
  ],
])('checkTree() refuses %s', (_, tree, message) => {
  const directory = scratchDirectory()
  writeTree(directory, tree)
  expect(() => checkTree(directory)).toThrow(message)
})

test.each(['.git.', '.git ', 'GIT~1', '.g\u200cit', '.Git::$INDEX_ALLOCATION', '.git. .'])(
  'checkTree() refuses %j, which other file systems take for .git',
  (name) => {
    const directory = scratchDirectory()
    writeTree(directory, { [`a/${name}/config`]: '' })
    expect(() => checkTree(directory)).toThrow('which git would take for a repository')
  },
)

test.each(['.gitignore', '.github', 'git', '.gitattributes', 'x.git', 'git~10'])('checkTree() accepts %j', (name) => {
  const directory = scratchDirectory()
  writeTree(directory, { [`a/${name}/config`]: '' })
  checkTree(directory)
})

/** What checkTree() says of a tree with this link. */
function judge(path: string, target: string): string {
  const directory = scratchDirectory()
  writeTree(directory, { 'a/b/x': '', '.origin.json': '' })
  symlinkSync(target, join(directory, path))
  try {
    checkTree(directory)
  } catch (error) {
    return String(error)
  }
  return filesIn(directory).join(' ')
}

test.each([
  ['a/link', '../b'],
  ['link', 'a/b'],
  ['link', '.'],
  ['a/b/link', '../../c'],
  ['a/b/link', '..'],
  ['a/link', './../b'],
  ['a/b/link', '..//../c'],
])('checkTree() accepts the link %s to %s, and removes records of origin', (path, target) => {
  expect(judge(path, target)).toBe(['a/b/x', path].toSorted().join(' '))
})

test.each([
  ['a/link', '../../b'],
  ['link', '..'],
  ['link', '/a'],
  ['a/b/link', '../../c/../..'],
])('checkTree() refuses the link %s to %s', (path, target) => {
  expect(judge(path, target)).toBe(`DavitError: it contains '${path}', which is a link out of it`)
})
