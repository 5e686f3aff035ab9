import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, onTestFinished, test } from 'vitest'
import { FETCH_LIMITS, type FetchLimits } from '../src/stack-workspace.ts'
import { commitTree, gitOf, makeRepository, makeShop, programsOf, type Repository, stack, user } from './testing.ts'

/** A tree of `width ** depth` copies of a tree, which takes as much space as one of them. */
function bomb(repository: Repository, leaf: string, width: number, depth: number): string {
  let tree = leaf
  for (let level = 0; level < depth; level += 1) {
    const lines = Array.from({ length: width }, (_, index) => `040000 tree ${tree}\td${index}\n`)
    tree = repository.git(['mktree'], lines.join(''))
  }
  return tree
}

/** Fetches a stack with a tree beside its stack file; returns what is said of it. */
async function fetchWith(repository: Repository, tree: string, limits: Partial<FetchLimits> = {}) {
  commitTree(repository, [
    ['100644', 'Mu.yaml', stack('acme/db')],
    ['040000', 'z', tree],
  ])
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  const { failures } = await shop.fetch({ limits: { ...FETCH_LIMITS, ...limits } })
  expect(failures.filter(({ error }) => error.code !== 'bad-repository' || error.exitStatus !== 65)).toStrictEqual([])
  return failures.map(({ error }) => error.message)
}

/** Makes a tree of a number of empty files. */
function treeOfFiles(repository: Repository, count: number, content = ''): string {
  const blob = repository.git(['hash-object', '-w', '--stdin'], content)
  return repository.git(
    ['mktree'],
    Array.from({ length: count }, (_, index) => `100644 blob ${blob}\tf${index}\n`).join(''),
  )
}

test('limits leave room for large stacks', () => {
  expect(FETCH_LIMITS).toMatchObject({ bytes: 4e9, listed: 300_000, stackEntries: 100_000, stackBytes: 1024 ** 3 })
})

test.each([
  ['files', 1],
  ['empty directories', 0],
])('a commit of more %s than a list may have is refused, long before all are listed', async (_, count) => {
  const repository = makeRepository()
  const tree = bomb(repository, treeOfFiles(repository, count), 100, 6)
  expect(await fetchWith(repository, tree, { listed: 3000 })).toStrictEqual([
    expect.stringMatching(
      /^its commit [0-9a-f]{7} has more than 3000 files and directories, or paths that are too long$/,
    ),
  ])
})

test('paths count as much as files do', async () => {
  const repository = makeRepository()
  let tree = treeOfFiles(repository, 20)
  for (let level = 0; level < 15; level += 1)
    tree = repository.git(['mktree'], `040000 tree ${tree}\t${'x'.repeat(200)}\n`)
  expect(await fetchWith(repository, tree, { listed: 100 })).toStrictEqual([
    expect.stringContaining('paths that are too long'),
  ])
})

test.each([
  ['as many directories as there may be', 3, []],
  ['more', 4, ["stack 'acme/db' is refused: it contains 'z/d0/d0/d0/f0', below more than 3 directories"]],
])('a file below %s', async (_, depth, said) => {
  const repository = makeRepository()
  const tree = bomb(repository, treeOfFiles(repository, 1), 1, depth - 1)
  expect(await fetchWith(repository, tree, { stackDepth: 3 })).toStrictEqual(said)
})

test.each([
  ['files', (repository: Repository) => treeOfFiles(repository, 20), 'it has more than 20 files'],
  [
    'files and directories',
    (repository: Repository) => bomb(repository, treeOfFiles(repository, 1), 10, 1),
    'the archive has more than 20 entries',
  ],
])('a stack of more %s than a stack may have is refused', async (_, treeIn, why) => {
  const repository = makeRepository()
  expect(await fetchWith(repository, treeIn(repository), { stackEntries: 20 })).toStrictEqual([
    `stack 'acme/db' is refused: ${why}`,
  ])
})

test('a stack larger than a stack may be is refused, however small its repository is', async () => {
  const repository = makeRepository()
  const tree = treeOfFiles(repository, 20, '0'.repeat(10_000))
  expect(await fetchWith(repository, tree, { stackBytes: 201_000 })).toStrictEqual([])
  expect(await fetchWith(repository, tree, { stackBytes: 200_000 })).toStrictEqual([
    "stack 'acme/db' is refused: the archive is too large",
  ])
})

test('a repository of more tags than it may have is refused', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db') }, 'a', 'b', 'c')
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  const { failures } = await shop.fetch({ limits: { ...FETCH_LIMITS, tags: 2 } })
  expect(failures.map(({ error }) => [error.code, error.message])).toStrictEqual([
    ['bad-repository', 'it has more than 2 tags, or tags with names that are too long'],
  ])
  expect((await shop.fetch({ limits: { ...FETCH_LIMITS, tags: 3 } })).failures).toStrictEqual([])
})

test('stacks that refer to others without end are refused at some time', async () => {
  const repository = makeRepository()
  for (let number = 0; number < 6; number += 1) {
    const next = `services: { public: { next: { type: acme/s${number + 1} } } }`
    repository.commit({ [`s${number}/Mu.yaml`]: `name: acme/s${number}\n${next}\n` })
  }
  const shop = makeShop({ 'Mu.yaml': user('acme/s0') }, { 'acme/...': repository.url })
  const { failures } = await shop.fetch({ limits: { ...FETCH_LIMITS, stacks: 4 } })
  expect(failures.map(({ error }) => error.message)).toStrictEqual([
    "stack 'acme/s4' is refused: this run has looked for 4 stacks already, and each may refer to others",
  ])
})

test('the lists of commits that are remembered have no more entries together than one may have', async () => {
  const repository = makeRepository()
  const tags = ['1.0.0', '1.1.0', '1.2.0']
  for (const tag of tags) repository.commit({ 'Mu.yaml': stack('acme/db', `0.${tag}`), x: tag }, tag)
  const directory = scratchDirectory()
  const PATH = programsOf({ git: `echo "$@" >>'${directory}/calls'\nPATH=/usr/bin:/bin; exec git "$@"` })
  const shop = makeShop({ 'Mu.yaml': user('acme/db@^1.0.0') }, { 'acme/db': repository.url })
  const listed = async (limit: number) => {
    writeFileSync(join(directory, 'calls'), '')
    await shop.fetch({ git: gitOf({}, { PATH }), limits: { ...FETCH_LIMITS, listed: limit } })
    return readFileSync(join(directory, 'calls'), 'utf8').match(/ ls-tree /g)?.length
  }
  // All tags are looked at, and again to find out why none fits.
  expect(await listed(6)).toBe(3)
  expect(await listed(4)).toBeGreaterThan(3)
})

test('a repository larger than the limit is refused, and with those that were fetched before', async () => {
  const repositories = ['a', 'b'].map((name) => {
    const repository = makeRepository()
    const noise = spawnSync('head', ['-c', '300000', '/dev/urandom'], { encoding: 'latin1' }).stdout
    repository.commit({ 'Mu.yaml': stack(`acme/${name}`), noise })
    return [`acme/${name}`, repository.url] as const
  })
  const shop = makeShop({ 'Mu.yaml': user('acme/a', 'acme/b') }, Object.fromEntries(repositories))
  const failed = async (bytes: number) => {
    const { failures } = await shop.fetch({ limits: { ...FETCH_LIMITS, bytes }, isDryRun: true })
    return failures.map(({ error }) => [error.code, error.hint])
  }
  const refused = ['bad-repository', 'name a smaller repository, or allow more with DAVIT_FETCH_LIMIT']
  expect(await failed(2e6)).toStrictEqual([])
  expect(await failed(5e5)).toStrictEqual([refused])
  expect(await failed(1e5)).toStrictEqual([refused, refused])
})

test.each([
  ['while it goes on', 'exec sleep 1000'],
  ['when it has ended', 'exit 0'],
])('a repository of files that are larger than the limit together is refused %s', async (_, end) => {
  const limits = scratchDirectory()
  const PATH = programsOf({
    git: `PATH=/usr/bin:/bin; { ulimit -f; ulimit -v; } >'${limits}/limits'
      for last in "$@"; do :; done; mkdir "$last"; for n in 1 2 3; do head -c 60000 /dev/zero >"$last/$n"; done; ${end}`,
  })
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': 'file:///x' })
  const { failures } = await shop.fetch({ git: gitOf({}, { PATH }), limits: { ...FETCH_LIMITS, bytes: 102_400 } })
  expect(failures.map(({ error }) => error.message)).toStrictEqual([
    "cannot fetch 'file:///x': with what was fetched before, it is larger than 102 kB",
  ])
  expect(readFileSync(join(limits, 'limits'), 'utf8')).toBe('201\n4194304\n')
})

/** A server of git that accepts connections, and answers nothing. */
async function silentServer(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `git://127.0.0.1:${address.port}/db`
}

test('a server that says nothing is waited for no longer than the limit', async () => {
  const url = await silentServer()
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': url })
  const { failures } = await shop.fetch({ limits: { ...FETCH_LIMITS, silenceSeconds: 1 } })
  expect(failures).toMatchObject([
    {
      error: {
        code: 'unreachable-repository',
        exitStatus: 69,
        message: `cannot fetch '${url}': after 1 seconds, nothing has come`,
      },
    },
  ])
})

test('a server that goes on talking is listened to no longer than the limit', async () => {
  const PATH = programsOf({ git: 'while :; do echo "remote: wait" >&2; /bin/sleep 0.1; done' })
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': 'file:///x' })
  const limits = { ...FETCH_LIMITS, silenceSeconds: 1, seconds: 2 }
  const { failures } = await shop.fetch({ git: gitOf({}, { PATH }), limits })
  expect(failures.map(({ error }) => error.message)).toStrictEqual([
    "cannot fetch 'file:///x': after 2 seconds, it is not complete",
  ])
})
