import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { scratchDirectory } from '@davit/testing/scratch'
import { afterAll, expect, test } from 'vitest'
import { fetchedOrigin } from '../src/origin-file.ts'
import { stackFiles } from '../src/stack-files.ts'
import {
  filesIn,
  makeRepository,
  makeRepositoryIn,
  makeShop,
  makeShopIn,
  stack,
  textIn,
  user,
  writeTree,
} from './testing.ts'

const TAG_AGAIN =
  "whoever maintains it changes 'version' in that file to the version of the tag, commits that, and tags again"

const DB = '.Mudeps/hub.mu.com/acme/db'

const directory = mkdtempSync(join(tmpdir(), 'davit-fetch-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Returns what is made once for several tests, each of which only reads it, or leaves it as it was. */
function once<Made>(make: () => Made): () => Made {
  let made: { readonly it: Made } | undefined
  return () => (made ??= { it: make() }).it
}

function origin(root: string, place = DB): unknown {
  return JSON.parse(textIn(root, join(place, '.origin.json')))
}

test('fetchStacks() fetches the highest version that fits, and says where it comes from', async () => {
  const repository = makeRepository()
  repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.0.0'), 'db/lib/a': 'old' }, '1.0.0')
  const commit = repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.1.0'), 'db/lib/a': 'new' }, 'v1.1.0')
  repository.commit({ 'db/Mu.yaml': stack('acme/db', '2.0.0') }, 'db/v2.0.0')
  const shop = makeShop({ 'Mu.yaml': user('acme/db@^1.0.0') }, { 'acme/...': repository.url })
  const { outcome, failures } = await shop.fetch()
  expect({ kind: outcome.kind, failures }).toStrictEqual({ kind: 'compiled', failures: [] })
  expect(filesIn(join(shop.root, '.Mudeps'))).toStrictEqual(
    ['.origin.json', 'Mu.yaml', 'lib/a'].map((file) => `hub.mu.com/acme/db/${file}`),
  )
  expect(textIn(shop.root, `${DB}/lib/a`)).toBe('new')
  expect(origin(shop.root)).toStrictEqual({ repository: repository.url, commit, tag: 'v1.1.0' })
  expect(statSync(join(shop.root, DB, '.origin.json')).mode & 0o777).toBe(0o644)
  expect(shop.reports).toStrictEqual([`stack-fetched acme/db v1.1.0 ${repository.url}`])
  expect(shop.pins()).toBe('dependencies:\n  acme/db: "1.1.0"\n')
  shop.reports.length = 0
  await shop.fetch()
  expect(shop.reports).toStrictEqual([])
})

const manyVersions = once(() => {
  const repository = makeRepositoryIn(mkdtempSync(join(directory, 'repository-')))
  const at = (number: string, ...tags: readonly string[]) =>
    repository.commit({ 'db/Mu.yaml': stack('acme/db', number) }, ...tags)
  const hash = at('1.0.0', '1.0.0', 'v0.9.0-not-what-the-file-says')
  at('1.9.0')
  repository.git(['tag', '-a', '-m', 'x', 'v1.9.0'])
  at('1.10.0', 'v1.10.0')
  at('2.1.0', 'db/v2.1.0')
  at('9.0.0', 'web/v9.0.0', 'v9', 'x9.0.0', 'db/9.0.0')
  at('3.0.0-head')
  return { repository, hash }
})

test.each([
  ['latest', 'acme/db', '3.0.0-head'],
  ['a whole hash', 'acme/db@HASH', '1.0.0'],
  ['a short hash', 'acme/db@HASH7', '1.0.0'],
  ['a range', 'acme/db@>=1.0.0 <2.0.0', '1.10.0'],
  ['a tag of the directory alone', 'acme/db@>=2.0.0', '2.1.0'],
  ['a version', 'acme/db@1.0.0', '1.0.0'],
  ['an annotated tag', 'acme/db@1.9.0', '1.9.0'],
])('fetchStacks() fetches %s', async (_, reference, version) => {
  const { repository, hash } = manyVersions()
  const text = reference.replace('HASH7', hash.slice(0, 7)).replace('HASH', hash)
  const shop = makeShop({ 'Mu.yaml': user(text) }, { 'acme/...': repository.url })
  const { outcome } = await shop.fetch()
  expect(outcome).toMatchObject({ kind: 'compiled' })
  expect(textIn(shop.root, `${DB}/Mu.yaml`)).toContain(`version: ${version}\n`)
})

test.each([false, true])(
  'a stack file that states another version than its tag is told: dry run %s',
  async (isDryRun) => {
    const repository = makeRepository()
    repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.2.9') }, '1.3.0')
    const shop = makeShop({ 'Mu.yaml': user('acme/db@^1.0.0') }, { 'acme/...': repository.url })
    await shop.fetch({ isDryRun })
    expect(shop.reports).toStrictEqual([
      `${isDryRun ? 'would-fetch' : 'stack-fetched'} acme/db 1.3.0 ${repository.url}`,
      `version-differs acme/db 1.3.0 ${repository.url} 1.2.9`,
    ])
  },
)

test('fetchStacks() fetches what is referred to by what it has fetched, each repository once', async () => {
  const [one, other] = [makeRepository(), makeRepository()]
  one.commit({
    'a/Mu.yaml': user('acme/b', 'corp/tools/c@1.0.0').replace('shop', 'acme/a'),
    'b/Mu.json': '{"name":"acme/b","services":{"public":{"c":{"type":"mu/container"}}}}',
  })
  other.commit({ 'Mu.yml': stack('corp/tools/c') }, '1.0.0')
  const shop = makeShop({ 'Mu.yaml': user('acme/a') }, { 'acme/...': one.url, 'corp/tools/c': other.url })
  const steps: string[] = []
  const { outcome } = await shop.fetch({ report: (event) => void (event.kind === 'started' && steps.push(event.step)) })
  expect(outcome.kind).toBe('compiled')
  expect(steps).toStrictEqual([`fetch ${one.url}`, `fetch ${other.url}`])
  expect(readdirSync(join(shop.root, '.Mudeps/hub.mu.com/corp/tools/c'))).toStrictEqual(['.origin.json', 'Mu.yml'])
})

test('fetchStacks() changes nothing of what fits, until it is to update', async () => {
  const repository = makeRepository()
  const first = repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.0.0') }, '1.0.0')
  const shop = makeShop({ 'Mu.yaml': user('acme/db@^1.0.0') }, { 'acme/...': repository.url })
  await shop.fetch()
  repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.1.0') }, '1.1.0')
  await shop.fetch()
  expect(origin(shop.root)).toMatchObject({ commit: first })
  await shop.fetch({ isUpdate: true, isDryRun: true })
  expect(origin(shop.root)).toMatchObject({ commit: first })
  await shop.fetch({ isUpdate: true })
  expect(origin(shop.root)).toMatchObject({ tag: '1.1.0' })
  expect((await shop.fetch({ isUpdate: true })).outcome.kind).toBe('compiled')
  expect(shop.reports.map((report) => report.split(' ').slice(0, 3).join(' '))).toStrictEqual([
    'stack-fetched acme/db 1.0.0',
    'would-fetch acme/db 1.1.0',
    'stack-fetched acme/db 1.1.0',
    'stack-is-current acme/db 1.1.0',
  ])
})

test.each([
  ['{"commit":"x"}', 'x'],
  ['{"commit":["x"]}', undefined],
  ['null', undefined],
  ['{', undefined],
])('fetchedOrigin() of a record %s', (record, commit) => {
  const directory = scratchDirectory()
  expect(fetchedOrigin(stackFiles('/'), directory).commit).toBeUndefined()
  writeFileSync(join(directory, '.origin.json'), record)
  expect(fetchedOrigin(stackFiles('/'), directory).commit).toBe(commit)
})

test('pins name what is not of the usual base with its base, and what has neither version nor commit not at all', async () => {
  const repository = makeRepository()
  const commit = repository.commit({ 'Mu.yaml': stack('a/b') })
  const shop = makeShop(
    { 'Mu.yaml': user('git.corp.org/a/b', 'own'), 'own/Mu.yaml': stack('own') },
    { 'git.corp.org/a/b': repository.url },
  )
  await shop.fetch()
  expect(shop.pins()).toBe(`dependencies:\n  git.corp.org/a/b: ${commit}\n`)
})

test('a fetched stack that has lost its stack file is fetched again', async () => {
  const repository = makeRepository()
  repository.commit({ 'db/Mu.yaml': stack('acme/db') })
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/...': repository.url })
  await shop.fetch()
  rmSync(join(shop.root, DB, 'Mu.yaml'))
  expect((await shop.fetch()).outcome.kind).toBe('compiled')
})

test.each([
  ['has lost a file', (directory: string) => rmSync(join(directory, 'server/bin'))],
  ['has lost its stack file', (directory: string) => rmSync(join(directory, 'Mu.yaml'))],
  ['has another file', (directory: string) => writeFileSync(join(directory, 'Mu.yaml'), 'oops: [')],
  [
    'has a directory in place of a file',
    (directory: string) => {
      rmSync(join(directory, 'Mu.yaml'))
      mkdirSync(join(directory, 'Mu.yaml'))
    },
  ],
  ['has a program that nobody may run', (directory: string) => chmodSync(join(directory, 'server/bin'), 0o644)],
  [
    'has another link',
    (directory: string) => {
      rmSync(join(directory, 'link'))
      symlinkSync('Mu.yaml', join(directory, 'link'))
    },
  ],
])('an update fetches a stack again that %s', async (_, damage) => {
  const { shop, intact, untouched } = await intactShop()
  expect(untouched).toContain('stack-is-current')
  damage(join(shop.root, DB))
  expect((await shop.fetch({ isUpdate: true })).outcome.kind).toBe('compiled')
  expect(contentsOf(shop.root)).toStrictEqual(intact)
})

const intactShop = once(async () => {
  const repository = makeRepositoryIn(mkdtempSync(join(directory, 'repository-')))
  writeTree(repository.directory, { 'db/server/bin': '' })
  chmodSync(join(repository.directory, 'db/server/bin'), 0o755)
  symlinkSync('server', join(repository.directory, 'db/link'))
  repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.0.0'), 'db/.origin.json': '{}' }, '1.0.0')
  const place = mkdtempSync(join(directory, 'shop-'))
  const shop = makeShopIn(place, { 'Mu.yaml': user('acme/db@^1.0.0') }, { 'acme/...': repository.url })
  await shop.fetch()
  const intact = contentsOf(shop.root)
  await shop.fetch({ isUpdate: true })
  return { shop, intact, untouched: shop.reports.at(-1) }
})

function contentsOf(root: string) {
  return filesIn(join(root, DB)).map((path) => {
    const file = join(root, DB, path)
    return lstatSync(file).isSymbolicLink()
      ? [path, readlinkSync(file)]
      : [path, statSync(file).mode, readFileSync(file, 'utf8')]
  })
}

test('a dry run tells everything that would be fetched, and writes nothing', async () => {
  const repository = makeRepository()
  repository.commit({ 'a/Mu.yaml': user('acme/b').replace('shop', 'acme/a'), 'b/Mu.yaml': stack('acme/b') })
  const shop = makeShop({ 'Mu.yaml': user('acme/a') }, { 'acme/...': repository.url })
  const { outcome } = await shop.fetch({ isDryRun: true })
  expect(outcome.kind).toBe('compiled')
  expect(shop.reports.map((report) => report.split(' ').slice(0, 2).join(' '))).toStrictEqual([
    'would-fetch acme/a',
    'would-fetch acme/b',
  ])
  expect(existsSync(join(shop.root, '.Mudeps'))).toBe(false)
})

test('what other references ask of the same stack is asked together', async () => {
  const repository = makeRepository()
  for (const version of ['1.0.0', '1.1.0', '1.2.0'])
    repository.commit(
      { 'db/Mu.yaml': stack('acme/db', version), 'web/Mu.yaml': user('acme/db@<1.2.0').replace('shop', 'acme/web') },
      version,
    )
  const shop = makeShop({ 'Mu.yaml': user('acme/db@^1.0.0', 'acme/web') }, { 'acme/...': repository.url })
  const { outcome } = await shop.fetch()
  expect(outcome.kind).toBe('compiled')
  expect(origin(shop.root)).toMatchObject({ tag: '1.1.0' })
})

test.each([
  ['a stack of its own in the repository', 'acme/...', ''],
  ['the root of the repository', 'acme/types', 'types/'],
])('a type that is a schema is fetched with its stack, which is %s', async (_, prefix, root) => {
  const repository = makeRepository()
  const at = (version: string) => {
    const directory = root === '' ? 'types/' : ''
    const schemas = 'Port: { base: number }, Level: { base: string }'
    const text = `name: acme/types\nversion: ${version}\nabstract: true\nschema: { public: { ${schemas} } }\n`
    repository.commit({ [`${directory}Mu.yaml`]: text }, version)
  }
  at('1.0.0')
  const types =
    'properties: { port: { type: acme/types/Port, default: 1 }, level: { type: "acme/types/Level[]", default: [] } }'
  const text = `name: shop\n${types}\nservices: { public: { c: { type: mu/container } } }\n`
  const shop = makeShop({ 'Mu.yaml': text }, { [prefix]: repository.url }, { 'acme/...': '^1.0.0' })
  const { outcome, failures } = await shop.fetch()
  expect({ kind: outcome.kind, failures }).toStrictEqual({ kind: 'compiled', failures: [] })
  at('1.1.0')
  expect((await shop.fetch({ isUpdate: true })).failures).toStrictEqual([])
  expect(shop.reports).toStrictEqual([
    `stack-fetched acme/types 1.0.0 ${repository.url}`,
    `stack-fetched acme/types 1.1.0 ${repository.url}`,
  ])
})

test('a type that is neither a stack nor a schema of a repository is told by its own name', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db') })
  const text =
    'name: shop\nproperties: { p: { type: acme/typos/Port, optional: true } }\nservices: { public: { c: { type: mu/container } } }\n'
  const shop = makeShop({ 'Mu.yaml': text }, { 'acme/...': repository.url })
  const { failures } = await shop.fetch()
  expect(failures.map(({ reference, error }) => [reference.name, error.code])).toStrictEqual([
    ['acme/typos/Port', 'no-such-stack'],
  ])
})

test('a stack that cannot be reached is told, and others are fetched all the same', async () => {
  const repository = makeRepository()
  repository.commit({ 'db/Mu.yaml': stack('acme/db') })
  const nowhere = `${repository.url}-nowhere`
  const shop = makeShop(
    { 'Mu.yaml': user('corp/x', 'acme/db', 'corp/y') },
    { 'acme/...': repository.url, 'corp/...': nowhere },
  )
  const { failures, outcome } = await shop.fetch()
  expect(failures.map(({ reference, error }) => [reference.name, error.code, error.exitStatus])).toStrictEqual([
    ['corp/x', 'unreachable-repository', 69],
    ['corp/y', 'unreachable-repository', 69],
  ])
  expect(failures[0]?.error.message).toMatch(
    /^cannot fetch 'file:\/\/.*-nowhere': .*does not (?:exist|appear to be a git repository)/,
  )
  expect(outcome.kind).toBe('refused')
  expect(existsSync(join(shop.root, DB, 'Mu.yaml'))).toBe(true)
  const again = await shop.fetch({ isUpdate: true })
  expect(again.failures).toHaveLength(2)
  expect(existsSync(join(shop.root, DB, 'Mu.yaml'))).toBe(true)
})

test('with the repository gone, an update keeps what is there, and so does everything that compiles', async () => {
  const repository = makeRepository()
  repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.0.0') }, '1.0.0')
  const shop = makeShop({ 'Mu.yaml': user('acme/db@^1.0.0') }, { 'acme/...': repository.url })
  await shop.fetch()
  const before = filesIn(shop.root)
  repository.git(['symbolic-ref', 'HEAD', 'refs/heads/none'])
  writeFileSync(join(repository.directory, '.git/HEAD'), 'broken')
  const { failures, outcome } = await shop.fetch({ isUpdate: true })
  expect([failures.length, outcome.kind, filesIn(shop.root)]).toStrictEqual([1, 'compiled', before])
})

const liar = once(() => {
  const repository = makeRepositoryIn(mkdtempSync(join(directory, 'repository-')))
  repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.0.0') }, '1.0.0')
  repository.commit({ 'liar/Mu.yaml': stack('acme/liar', '1.5.0') }, 'liar/v2.0.0')
  return repository
})

test.each([
  [
    'a version that no tag has',
    'acme/db@^3.0.0',
    "no version of 'acme/db' in 'URL', directory 'db', is '^3.0.0'",
    'its versions are 1.0.0',
  ],
  [
    'a hash that is no commit',
    'acme/db@0123456',
    "no version of 'acme/db' in 'URL', directory 'db', is '0123456'",
    'its versions are 1.0.0',
  ],
  [
    'a stack that is not there',
    'acme/web',
    "there is no stack 'acme/web': 'URL' has no stack file in a directory 'web'",
    "directories with a stack file are 'db', 'liar'",
  ],
  [
    'a stack whose name is misspelt',
    'acme/lair@^2.0.0',
    "there is no stack 'acme/lair': 'URL' has no stack file in a directory 'lair'",
    "did you mean 'liar'?",
  ],
  [
    'a tag that lies about its version',
    'acme/liar@2.0.0',
    "no version of 'acme/liar' in 'URL', directory 'liar', is '2.0.0' by both its tag and its stack file: the stack file of its tag 'liar/v2.0.0' says '1.5.0'",
    TAG_AGAIN,
  ],
  [
    'a version that only a stack file states',
    'acme/liar@1.5.0',
    "no version of 'acme/liar' in 'URL', directory 'liar', is '1.5.0' by both its tag and its stack file: the stack file of its tag 'liar/v2.0.0' says '1.5.0'",
    TAG_AGAIN,
  ],
])('fetchStacks() says of %s what there is', async (_, reference, message, hint) => {
  const repository = liar()
  const shop = makeShop({ 'Mu.yaml': user(reference) }, { 'acme/...': repository.url })
  const { failures } = await shop.fetch()
  expect(
    failures.map(({ error }) => [
      error.code,
      error.exitStatus,
      error.message.replace(repository.url, 'URL'),
      error.hint,
    ]),
  ).toStrictEqual([['no-such-stack', 65, message, hint]])
})

test('a stack of the repository’s root stays beside one that was fetched below it', async () => {
  const [root, below] = [makeRepository(), makeRepository()]
  root.commit({ 'Mu.yaml': stack('acme/db', '1.0.0') }, '1.0.0')
  below.commit({ 'Mu.yaml': stack('acme/db/backup') })
  const repositories = { 'acme/db': root.url, 'acme/db/backup': below.url }
  const shop = makeShop({ 'Mu.yaml': user('acme/db/backup', 'acme/db@^1.0.0') }, repositories)
  expect((await shop.fetch()).outcome.kind).toBe('compiled')
  root.commit({ 'Mu.yaml': stack('acme/db', '1.1.0') }, '1.1.0')
  expect((await shop.fetch({ isUpdate: true })).outcome.kind).toBe('compiled')
  expect(origin(shop.root)).toMatchObject({ tag: '1.1.0' })
  expect(existsSync(join(shop.root, DB, 'backup/Mu.yaml'))).toBe(true)
})

test('an interrupted run leaves a whole stack or none, and nothing else', async () => {
  const repository = makeRepository()
  repository.commit({ 'a/Mu.yaml': stack('acme/a'), 'b/Mu.yaml': stack('acme/b') })
  const shop = makeShop({ 'Mu.yaml': user('acme/a', 'acme/b') }, { 'acme/...': repository.url })
  const controller = new AbortController()
  const git = { environment: process.env as Record<string, string>, signal: controller.signal }
  const report = (event: { readonly kind: string }) =>
    void (event.kind === 'note' && controller.abort(new Error('stop')))
  await expect(shop.fetch({ git, report })).rejects.toThrow('stop')
  expect(filesIn(join(shop.root, '.Mudeps'))).toStrictEqual([
    'hub.mu.com/acme/a/.origin.json',
    'hub.mu.com/acme/a/Mu.yaml',
  ])
})
