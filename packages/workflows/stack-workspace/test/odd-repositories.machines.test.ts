import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { makeRepository, makeShop, stack, textIn, user } from './testing.ts'

const DB = '.Mudeps/hub.mu.com/acme/db'

async function fetched(reference: string, url: string) {
  const shop = makeShop({ 'Mu.yaml': user(reference) }, { 'acme/db': url })
  const { failures, outcome } = await shop.fetch()
  if (failures.length > 0) return failures.map(({ error: { message, hint } }) => ({ message, hint }))
  expect(outcome.kind).toBe('compiled')
  const { commit, tag } = JSON.parse(textIn(shop.root, join(DB, '.origin.json'))) as { commit: string; tag?: string }
  return { commit, ...(tag === undefined ? {} : { tag }) }
}

test('branches and tags that are called like the beginning of a hash are not that commit', async () => {
  const repository = makeRepository()
  const wanted = repository.commit({ 'Mu.yaml': stack('acme/db') })
  const other = repository.commit({ 'Mu.yaml': stack('acme/db'), x: '' })
  const short = wanted.slice(0, 7)
  for (const ref of [`refs/heads/${short}`, `refs/tags/${short}`]) repository.git(['update-ref', ref, other])
  expect(await fetched(`acme/db@${short}`, repository.url)).toStrictEqual({ commit: wanted })
})

test('a hash of what is no commit, such as an annotated tag, is none', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db') })
  repository.git(['tag', '-a', '-m', 'x', 'some'])
  for (const object of ['refs/tags/some', 'HEAD^{tree}']) {
    const hash = repository.git(['rev-parse', object])
    expect(await fetched(`acme/db@${hash.slice(0, 7)}`, repository.url)).toMatchObject([
      { message: `no version of 'acme/db' in '${repository.url}' is '${hash.slice(0, 7)}'` },
    ])
  }
})

/** Returns two texts of commits whose hashes begin with the same seven digits, which are found among some ten thousand. */
function collidingCommits(head: string): readonly [digits: string, one: string, other: string] {
  const seen = new Map<string, string>()
  for (let number = 0; ; number += 1) {
    const text = `${head}\n\n${number}\n`
    const digits = createHash('sha1').update(`commit ${text.length}\0${text}`).digest('hex').slice(0, 7)
    const other = seen.get(digits)
    if (other !== undefined) return [digits, other, text]
    seen.set(digits, text)
  }
}

test('seven digits that are those of several commits are none of them', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db') })
  const [head = ''] = repository.git(['cat-file', 'commit', 'HEAD']).split('\n\n')
  const [digits, ...texts] = collidingCommits(head)
  for (const [index, text] of texts.entries())
    repository.git(['tag', `t${index}`, repository.git(['hash-object', '-w', '-t', 'commit', '--stdin'], text)])
  expect(await fetched(`acme/db@${digits}`, repository.url)).toMatchObject([
    { message: `no version of 'acme/db' in '${repository.url}' is '${digits}'` },
  ])
  repository.git(['tag', '--delete', 't1'])
  expect(await fetched(`acme/db@${digits}`, repository.url)).toMatchObject({
    commit: expect.stringContaining(digits) as string,
  })
})

test('a tag leads to its commit through other tags, and one of a file is no version', async () => {
  const repository = makeRepository()
  const commit = repository.commit({ 'Mu.yaml': stack('acme/db') })
  repository.git(['tag', '-a', '-m', 'x', 'inner'])
  repository.git(['-c', 'advice.nestedTag=false', 'tag', '-a', '-m', 'x', '1.0.0', 'inner'])
  repository.git(['tag', '2.0.0', 'HEAD:Mu.yaml'])
  repository.git(['tag', '3.0.0', 'HEAD^{tree}'])
  repository.commit({ x: '' })
  expect(await fetched('acme/db@>=1.0.0', repository.url)).toStrictEqual({ commit, tag: '1.0.0' })
})

test('a branch with the name of a tag is not that version', async () => {
  const repository = makeRepository()
  const commit = repository.commit({ 'Mu.yaml': stack('acme/db') }, '1.0.0')
  repository.git(['update-ref', 'refs/heads/1.0.0', repository.commit({ x: '' })])
  repository.git(['update-ref', 'refs/heads/2.0.0', 'refs/heads/1.0.0'])
  expect(await fetched('acme/db@>=1.0.0', repository.url)).toStrictEqual({ commit, tag: '1.0.0' })
})

test('an update takes a tag that has moved', async () => {
  const repository = makeRepository()
  const first = repository.commit({ 'Mu.yaml': stack('acme/db') }, '1.0.0')
  const shop = makeShop({ 'Mu.yaml': user('acme/db@1.0.0') }, { 'acme/db': repository.url })
  const commitOf = () => (JSON.parse(textIn(shop.root, join(DB, '.origin.json'))) as { commit: string }).commit
  await shop.fetch()
  const second = repository.commit({ x: '' })
  repository.git(['tag', '--force', '1.0.0'])
  await shop.fetch()
  expect(commitOf()).toBe(first)
  await shop.fetch({ isUpdate: true })
  expect(commitOf()).toBe(second)
  expect(shop.reports.at(-2)).toBe(`tag-has-moved acme/db 1.0.0 ${repository.url}`)
})

test('an update to a lower version is told', async () => {
  const repository = makeRepository()
  repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.9.0') }, 'v1.9.0')
  repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.10.0') }, 'db/v1.10.0')
  const shop = makeShop({ 'Mu.yaml': user('acme/db@^1.0.0') }, { 'acme/...': repository.url })
  await shop.fetch()
  repository.git(['tag', '--delete', 'db/v1.10.0'])
  await shop.fetch({ isUpdate: true })
  expect(shop.reports.slice(1)).toStrictEqual([
    `stack-goes-back acme/db v1.9.0 ${repository.url} db/v1.10.0`,
    `stack-fetched acme/db v1.9.0 ${repository.url}`,
  ])
})

const EMPTY = 'its default branch has no commit'

test('an empty repository, and one whose HEAD leads nowhere, have no default branch', async () => {
  const repository = makeRepository()
  const message = `there is no stack 'acme/db' in '${repository.url}' that is 'latest'`
  expect(await fetched('acme/db', repository.url)).toStrictEqual([{ message, hint: EMPTY }])
  const commit = repository.commit({ 'Mu.yaml': stack('acme/db') }, '1.0.0')
  repository.git(['symbolic-ref', 'HEAD', 'refs/heads/none'])
  expect(await fetched('acme/db', repository.url)).toStrictEqual([
    { message, hint: `${EMPTY}; its versions are 1.0.0` },
  ])
  expect(await fetched('acme/db@^1.0.0', repository.url)).toStrictEqual({ commit, tag: '1.0.0' })
})

test('a repository with a part of its history, and one with other hashes, are fetched', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db', '1.0.0') })
  const commit = repository.commit({ 'Mu.yaml': stack('acme/db', '1.1.0') }, '1.1.0')
  const shallow = join(scratchDirectory(), 'shallow')
  repository.git(['clone', '--quiet', '--depth=1', repository.url, shallow])
  expect(await fetched('acme/db@^1.0.0', `file://${shallow}`)).toStrictEqual({ commit, tag: '1.1.0' })
  const other = makeRepository('--object-format=sha256')
  const long = other.commit({ 'Mu.yaml': stack('acme/db', '1.0.0') }, '1.0.0')
  expect(await fetched('acme/db@^1.0.0', other.url)).toStrictEqual({ commit: long, tag: '1.0.0' })
})

test('what different stacks ask of one is asked of its file as well', async () => {
  const repository = makeRepository()
  const commit = repository.commit({ 'Mu.yaml': stack('acme/db', '1.0.0') }, '1.0.0')
  repository.commit({ 'Mu.yaml': stack('acme/db', '0.9.0') }, '1.5.0')
  const tree = {
    'Mu.yaml': user('api', 'web'),
    'api/Mu.yaml': user('acme/db').replace('shop', 'api'),
    'web/Mu.yaml': user('acme/db@^1.0.0').replace('shop', 'web'),
  }
  const shop = makeShop(tree, { 'acme/db': repository.url })
  expect((await shop.fetch()).failures).toStrictEqual([])
  expect(JSON.parse(textIn(shop.root, join(DB, '.origin.json')))).toMatchObject({ commit, tag: '1.0.0' })
})

test('what different stacks ask of one is asked of its tags, if its file states no version', async () => {
  const repository = makeRepository()
  const commit = repository.commit({ 'Mu.yaml': stack('acme/db') }, '1.0.0')
  repository.commit({ x: '' }, '1.5.0')
  const tree = {
    'Mu.yaml': user('api', 'web'),
    'api/Mu.yaml': user('acme/db@<1.5.0').replace('shop', 'api'),
    'web/Mu.yaml': user('acme/db@>=0.1.0').replace('shop', 'web'),
  }
  const shop = makeShop(tree, { 'acme/db': repository.url })
  expect((await shop.fetch()).failures).toStrictEqual([])
  expect(JSON.parse(textIn(shop.root, join(DB, '.origin.json')))).toMatchObject({ commit, tag: '1.0.0' })
})

test('of versions whose files state others, the highest fifty are looked at', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db', '1.0.0') }, '1.0.0')
  repository.commit({ 'Mu.yaml': stack('acme/db', '0.9.0') })
  for (let patch = 1; patch < 50; patch += 1) repository.git(['tag', `1.0.${patch}`])
  expect(await fetched('acme/db@^1.0.0', repository.url)).toMatchObject({ tag: '1.0.0' })
  repository.git(['tag', '1.0.50'])
  expect(await fetched('acme/db@^1.0.0', repository.url)).toStrictEqual([
    {
      message: `no version of 'acme/db' in '${repository.url}' is '^1.0.0' by both its tag and its stack file: the stack file of its tag '1.0.50' says '0.9.0'`,
      hint: expect.stringContaining('tags again') as string,
    },
  ])
})
