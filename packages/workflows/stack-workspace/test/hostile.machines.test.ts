import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { commitTree, filesIn, gitOf, makeRepository, makeShop, stack, treeOf, user } from './testing.ts'

const MUFILE = ['100644', 'Mu.yaml', stack('acme/db')] as const

test.each([
  ['a link to an absolute path', [['120000', 'out', '/etc/passwd']], "it contains 'out', which is a link out of it"],
  ['a link upwards', [['120000', 'out', '../../../x']], "it contains 'out', which is a link out of it"],
  [
    'a link upwards through a link',
    [
      ['120000', 'a', '.'],
      ['120000', 'out', 'a/../../x'],
    ],
    "it contains 'out', which is a link out of it",
  ],
])('fetchStacks() refuses %s', async (_, entries, why) => {
  const repository = makeRepository()
  commitTree(repository, [MUFILE, ...(entries as [string, string, string][])])
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  const { failures } = await shop.fetch()
  expect(failures.map(({ error }) => [error.code, error.exitStatus, error.message])).toStrictEqual([
    ['bad-repository', 65, `stack 'acme/db' is refused: ${why}`],
  ])
  expect(existsSync(join(shop.root, '.Mudeps'))).toBe(false)
})

test.each(['..', '.git', '.GIT'])(
  "fetchStacks() refuses a directory '%s', and writes nothing outside",
  async (name) => {
    const repository = makeRepository()
    commitTree(repository, [MUFILE, ['040000', name, treeOf(repository, 'evil', 'x')]])
    const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
    const { failures } = await shop.fetch()
    expect(failures.map(({ error }) => error.exitStatus)).toStrictEqual([65])
    expect(filesIn(shop.root)).toStrictEqual(['Mu.yaml', 'Muspace.json'])
  },
)

test.each([
  ['than paths of stacks may be', 16, /^stack 'acme\/db' is refused: a path in '.*' has \d+ characters/],
  ['than the system takes', 25, /^stack 'acme\/db' is refused: cannot unpack the archive: the name is too long/],
])('a path that is longer %s is refused, and other stacks are fetched', async (_, depth, message) => {
  const repository = makeRepository()
  const other = makeRepository()
  other.commit({ 'Mu.yaml': stack('corp/web') })
  const name = 'x'.repeat(200)
  let tree = treeOf(repository, 'file', '')
  for (let level = 1; level < depth; level += 1) tree = repository.git(['mktree'], `040000 tree ${tree}\t${name}\n`)
  commitTree(repository, [MUFILE, ['040000', name, tree]])
  const shop = makeShop(
    { 'Mu.yaml': user('acme/db', 'corp/web') },
    { 'acme/db': repository.url, 'corp/web': other.url },
  )
  const { failures } = await shop.fetch()
  expect(failures.map(({ error }) => [error.code, error.message])).toStrictEqual([
    ['bad-repository', expect.stringMatching(message)],
  ])
  expect(readdirSync(join(shop.root, '.Mudeps/hub.mu.com'))).toStrictEqual(['corp'])
})

test('links within, strange names and hooks are harmless files; a record of origin is davit’s own', async () => {
  const repository = makeRepository()
  const hooks = treeOf(repository, 'post-checkout', '#!/bin/sh\ntouch /tmp/owned\n')
  const nested = treeOf(repository, '.origin.json', '{"commit":"0000000000000000000000000000000000000000"}')
  commitTree(repository, [
    MUFILE,
    ['100644', '-u', 'u'],
    ['100644', '--upload-pack=touch x', 'u'],
    ['100644', '.origin.json', '{"commit":"0000000000000000000000000000000000000000"}'],
    ['120000', 'link', 'hooks/post-checkout'],
    ['120000', 'dangling', 'nothing'],
    ['040000', 'hooks', hooks],
    ['040000', 'x', nested],
    ['160000', 'module', '1234567890123456789012345678901234567890'],
    ['100644', '.gitmodules', '[submodule "module"]\n\tpath = module\n\turl = -u./x\n'],
  ])
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  const { failures, outcome } = await shop.fetch()
  expect([failures, outcome.kind]).toStrictEqual([[], 'compiled'])
  expect(filesIn(join(shop.root, '.Mudeps/hub.mu.com/acme/db'))).toStrictEqual(
    [
      '--upload-pack=touch x',
      '-u',
      '.gitmodules',
      '.origin.json',
      'Mu.yaml',
      'dangling',
      'hooks/post-checkout',
      'link',
    ].toSorted(),
  )
  expect(shop.reports).toContain('submodule-left-out acme/db module')
})

test.each([
  ['-u./x', 'cannot begin with a hyphen'],
  ['--upload-pack=touch x', 'cannot begin with a hyphen'],
  ['ext::sh -c "touch OWNED"', 'git would run a program'],
  ['https://x\u001b[2J/', 'control characters'],
])('fetchStacks() refuses the address %j', async (url, why) => {
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': url })
  const { failures } = await shop.fetch()
  expect(failures.map(({ error }) => error.code)).toStrictEqual(['bad-repository'])
  expect(failures[0]?.error.message).toContain(why)
  expect(filesIn(shop.root)).toStrictEqual(['Mu.yaml', 'Muspace.json'])
})

test.each(['ext::sh -c touch% x://a.b/acme/db', '.git/hooks', '../x', 'a..b/c'])(
  'fetchStacks() fetches nothing for the reference %j',
  async (reference) => {
    const shop = makeShop({ 'Mu.yaml': user(reference) }, {})
    const { failures, outcome } = await shop.fetch()
    expect(outcome.kind).toBe('refused')
    for (const { error } of failures) expect(error.code).toBe('bad-repository')
    expect(filesIn(shop.root)).toStrictEqual(['Mu.yaml', 'Muspace.json'])
  },
)

test('a program that git would run for a protocol is run only if the workspace names the repository, and the user allows it', async () => {
  const programs = scratchDirectory()
  const called = join(programs, 'called')
  writeFileSync(join(programs, 'git-remote-stacks'), `#!/bin/sh\ntouch '${called}'\nexit 1\n`, { mode: 0o755 })
  const environment = { ...process.env, PATH: `${programs}:${process.env['PATH']}` } as Record<string, string>
  const git = { environment, signal: new AbortController().signal }
  const shop = makeShop({ 'Mu.yaml': user('stacks://a.example/acme/db') }, {})
  const { failures } = await shop.fetch({ git })
  expect(failures.map(({ error }) => error.message)).toStrictEqual([
    expect.stringContaining("git would run a program to fetch with 'stacks://'"),
  ])
  expect(existsSync(called)).toBe(false)
  const named = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/...': 'stacks://a.example/acme' })
  expect((await named.fetch({ git })).failures).toMatchObject([
    {
      error: {
        message: "cannot fetch 'stacks://a.example/acme': transport 'stacks' not allowed",
        hint: 'if the program git-remote-stacks may run for that: git config --global protocol.stacks.allow always',
      },
    },
  ])
  expect(existsSync(called)).toBe(false)
  const allowed = gitOf({ 'protocol.stacks.allow': 'always' }, { PATH: environment['PATH'] ?? '' })
  await named.fetch({ git: allowed })
  expect(existsSync(called)).toBe(true)
})

test('a stack file that is a link is none, wherever the link leads', async () => {
  const repository = makeRepository()
  for (const target of ['real.yaml', '/etc/passwd']) {
    commitTree(repository, [
      ['120000', 'Mu.yaml', target],
      ['100644', 'real.yaml', stack('acme/db')],
    ])
    const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
    const { failures } = await shop.fetch()
    expect(failures).toMatchObject([{ error: { code: 'no-such-stack', hint: 'it has no stack file at all' } }])
    expect(filesIn(shop.root)).toStrictEqual(['Mu.yaml', 'Muspace.json'])
  }
})

test('names that differ in case alone are other files, and never one that is written through a link', async () => {
  const repository = makeRepository()
  commitTree(repository, [
    MUFILE,
    ['120000', 'A', 'b'],
    ['040000', 'a', treeOf(repository, 'x', 'x')],
    ['040000', 'b', treeOf(repository, 'y', 'y')],
  ])
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  expect((await shop.fetch()).failures).toStrictEqual([])
  expect(filesIn(join(shop.root, '.Mudeps/hub.mu.com/acme/db'))).toStrictEqual([
    '.origin.json',
    'A',
    'Mu.yaml',
    'a/x',
    'b/y',
  ])
})

test('a stack file larger than stack files may be is not read', async () => {
  const repository = makeRepository()
  const stated = 'name: acme/db\nversion: 1.0.0\n'
  const large = `${stated}${'#'.repeat(16 * 1024 * 1024)}`
  repository.commit({ 'Mu.yaml': large }, '1.0.0')
  const shop = makeShop({ 'Mu.yaml': user('acme/db@^1.0.0') }, { 'acme/db': repository.url })
  const { failures } = await shop.fetch()
  expect(failures.map(({ error }) => [error.code, error.message])).toStrictEqual([
    ['bad-repository', "cannot read 'Mu.yaml': it is larger than 16 MiB"],
  ])
  repository.commit({ 'Mu.yaml': large.slice(0, 16 * 1024 * 1024) }, '1.1.0')
  const { failures: others, outcome } = await shop.fetch()
  expect([others, outcome]).toMatchObject([[], { kind: 'refused', findings: [{ code: 'MU504' }] }])
})

test('tags whose names look like options are no versions, and the configuration of the user counts', async () => {
  const repository = makeRepository()
  const commit = repository.commit({ 'Mu.yaml': stack('acme/db') }, '1.0.0')
  repository.git(['update-ref', 'refs/tags/-u', commit])
  repository.git(['update-ref', 'refs/tags/1.0.0-$HOME;x', commit])
  const directory = scratchDirectory()
  const shop = makeShop({ 'Mu.yaml': user('acme/db@>=1.0.0') }, { 'acme/db': 'https://stacks.example/db' })
  const environment = {
    ...process.env,
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${repository.url}.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://stacks.example/db',
    GIT_DIR: '/nowhere',
  } as Record<string, string>
  const { failures } = await shop.fetch({ git: { environment, signal: new AbortController().signal } })
  expect(failures).toStrictEqual([])
})
