import { cpSync, mkdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { withAside } from '../src/aside.ts'
import { putBack } from '../src/install-tree.ts'
import { stackFiles } from '../src/stack-files.ts'
import { filesIn, makeRepository, makeShop, type Shop, stack, textIn, user, writeTree } from './testing.ts'

const NAMESPACE = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]
/** What a killed run has left, by its name: a repository may have it as well. */
const LEFT = `.fetching-${NAMESPACE}.4194999.5`

/** A workspace in `src/shop` of a directory with documents, as if it was cloned, with a link in it. */
function clonedShop(link: string, target: string, tree = {}): { readonly shop: Shop; readonly outside: string } {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('evil.org/Documents') })
  const shop = makeShop({ 'Mu.yaml': user('evil.org/Documents'), ...tree }, { 'evil.org/Documents': repository.url })
  const outside = dirname(shop.root)
  writeTree(outside, { 'Documents/thesis': 'years of work', 'Documents/old/thesis': 'of old' })
  mkdirSync(dirname(join(shop.root, link)), { recursive: true })
  symlinkSync(target, join(shop.root, link))
  return { shop, outside }
}

const DOCUMENTS = ['Documents/old/thesis', 'Documents/thesis']

function documentsIn(outside: string): readonly string[] {
  return filesIn(outside).filter((path) => path.startsWith('Documents'))
}

test.each([
  ['a directory on the way', '.Mudeps/evil.org', '../..', '.Mudeps/evil.org'],
  ['the directory of fetched stacks', '.Mudeps', '..', '.Mudeps'],
  ['the place itself', '.Mudeps/evil.org/Documents', '../../../Documents', '.Mudeps/evil.org/Documents'],
])('nothing is written, replaced or removed behind a link: %s', async (_, link, target, named) => {
  const { shop, outside } = clonedShop(link, target)
  for (const isUpdate of [false, true]) {
    await expect(shop.fetch({ isUpdate })).rejects.toMatchObject({
      code: 'cannot-create',
      exitStatus: 73,
      message: expect.stringContaining(`'${join(shop.root, named)}' is a link, which may lead anywhere`) as string,
      hint: expect.stringContaining(`rm ${join(shop.root, named)}`) as string,
    })
  }
  expect(documentsIn(outside)).toStrictEqual(DOCUMENTS)
  expect(filesIn(outside).filter((path) => path.includes('.fetching-'))).toStrictEqual([])
})

test('what looks like the rest of a killed run puts nothing back behind a link, and removes nothing there', async () => {
  const left = join('.Mudeps', LEFT, 'replaced/evil.org/Documents')
  const tree = { [`${left}/.origin.json`]: '', [`${left}/old/.origin.json`]: '' }
  const { shop, outside } = clonedShop('.Mudeps/evil.org', '../..', tree)
  await expect(shop.fetch()).rejects.toMatchObject({ code: 'cannot-create' })
  expect(documentsIn(outside)).toStrictEqual(DOCUMENTS)
})

test('a link that is called like the rest of a killed run is none', async () => {
  const { shop, outside } = clonedShop(`.Mudeps/${LEFT}`, '../..', {})
  writeTree(outside, { 'replaced/mine/.origin.json': '' })
  await shop.fetch()
  expect(filesIn(join(outside, 'replaced'))).toStrictEqual(['mine/.origin.json'])
  expect(documentsIn(outside)).toStrictEqual(DOCUMENTS)
})

test('a directory of fetched stacks that is a link is not looked through for the rest of killed runs', async () => {
  const { shop, outside } = clonedShop('.Mudeps', '../mine', {})
  writeTree(outside, { [`mine/${LEFT}/stack/a`]: '' })
  await expect(shop.fetch()).rejects.toMatchObject({ code: 'cannot-create' })
  expect(filesIn(join(outside, 'mine'))).toStrictEqual([`${LEFT}/stack/a`])
})

test('nothing is unpacked behind a directory of fetched stacks that is a link', async () => {
  const directory = scratchDirectory()
  symlinkSync('.', join(directory, 'link'))
  let isUsed = false
  const use = async () => {
    isUsed = true
  }
  await expect(withAside(join(directory, 'link'), use)).rejects.toMatchObject({ code: 'cannot-create' })
  expect(isUsed).toBe(false)
})

test('a stack below another one does not go back through a link of the new one', () => {
  const directory = scratchDirectory()
  writeTree(directory, { 'place/other/x/Mu.yaml': 'new', 'old/sub/x/.origin.json': '' })
  symlinkSync('other', join(directory, 'place/sub'))
  putBack(join(directory, 'old'), { root: directory, path: 'place' })
  expect(filesIn(directory)).toStrictEqual(['place/other/x/Mu.yaml', 'place/sub'])
})

test('a fetched stack behind a link is not read, in the workspace and below the home directory', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db') })
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  await shop.fetch()
  const moved = join(dirname(shop.root), 'acme')
  renameSync(join(shop.root, '.Mudeps/hub.mu.com/acme'), moved)
  for (const root of [shop.root, shop.home]) {
    mkdirSync(join(root, '.Mudeps/hub.mu.com'), { recursive: true })
    symlinkSync(moved, join(root, '.Mudeps/hub.mu.com/acme'))
    expect(shop.compile()).toMatchObject({ kind: 'refused', findings: [{ code: 'MU150' }] })
  }
  const { outcome } = await shop.fetch()
  expect(outcome).toMatchObject({
    findings: [{ hint: expect.stringContaining(`rm ${join(shop.root, '.Mudeps/hub.mu.com/acme')}`) as string }],
  })
})

test('a stack file that is a link is not read where stacks are fetched', async () => {
  const shop = makeShop({ 'Mu.yaml': user('acme/db'), 'db.yaml': stack('acme/db') }, {})
  mkdirSync(join(shop.root, '.Mudeps/hub.mu.com/acme/db'), { recursive: true })
  symlinkSync('../../../../db.yaml', join(shop.root, '.Mudeps/hub.mu.com/acme/db/Mu.yaml'))
  expect(shop.compile()).toMatchObject({ kind: 'refused', findings: [{ code: 'MU150' }] })
})

test('links above a workspace, and within a fetched stack, are harmless', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db'), 'a/text': 'x' })
  symlinkSync('a', join(repository.directory, 'link'))
  repository.commit({})
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  const link = join(dirname(shop.root), 'link')
  symlinkSync('shop', link)
  for (const isUpdate of [false, true]) {
    const { failures, outcome } = await shop.fetch({ root: link, isUpdate })
    expect([failures, outcome.kind]).toStrictEqual([[], 'compiled'])
  }
  expect(textIn(shop.root, '.Mudeps/hub.mu.com/acme/db/link/text')).toBe('x')
})

test('a record of origin that has no end, or that nobody writes, is none', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db') })
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  const place = join(shop.root, '.Mudeps/hub.mu.com/acme/db')
  for (const target of ['/dev/zero', '/dev/tty', '/proc/kmsg']) {
    writeTree(place, { 'Mu.yaml': stack('acme/db') })
    symlinkSync(target, join(place, '.origin.json'))
    expect(shop.compile().kind).toBe('compiled')
    expect((await shop.fetch({ isUpdate: true })).failures).toStrictEqual([])
    expect(JSON.parse(textIn(place, '.origin.json'))).toMatchObject({ repository: repository.url })
    renameSync(place, join(dirname(shop.root), `before-${target.length}`))
  }
})

test('a file that has no size, and more text than any stack, is read no further than a stack file may be long', () => {
  expect(stackFiles('/').read('/proc/self/pagemap')).toStrictEqual({
    kind: 'unreadable',
    reason: 'it is larger than 16 MiB',
  })
})

test('files of a fetched stack that are links are not as fetched', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db'), text: 'x' })
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  await shop.fetch()
  const place = join(shop.root, '.Mudeps/hub.mu.com/acme/db')
  cpSync(join(place, 'text'), join(shop.root, 'elsewhere'))
  renameSync(join(place, 'text'), join(place, 'other'))
  symlinkSync('../../../../elsewhere', join(place, 'text'))
  await shop.fetch({ isUpdate: true })
  expect(filesIn(place)).toStrictEqual(['.origin.json', 'Mu.yaml', 'text'])
})
