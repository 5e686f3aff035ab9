import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { withoutPassword } from '../src/git.ts'
import {
  commitTree,
  gitOf,
  makeRepository,
  makeShop,
  programsOf,
  stack,
  textIn,
  type Tree,
  user,
  writeTree,
} from './testing.ts'

/** A repository, and a commit in it that nothing leads to. */
function withLooseCommit() {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db', '2.0.0') }, '2.0.0')
  const commit = repository.commit({ 'Mu.yaml': stack('acme/db', '1.0.0') })
  repository.git(['reset', '--quiet', '--hard', 'HEAD~'])
  return { repository, commit }
}

test('a commit that no branch or tag leads to is fetched by its whole hash', async () => {
  const { repository, commit } = withLooseCommit()
  repository.commit({ 'Mu.yaml': stack('acme/db', '3.0.0') }, 'later')
  const shop = makeShop({ 'Mu.yaml': user(`acme/db@${commit}`) }, { 'acme/db': repository.url })
  expect((await shop.fetch()).failures).toStrictEqual([])
  expect(JSON.parse(textIn(shop.root, '.Mudeps/hub.mu.com/acme/db/.origin.json'))).toStrictEqual({
    repository: repository.url,
    commit,
  })
  const short = makeShop({ 'Mu.yaml': user(`acme/db@${commit.slice(0, 7)}`) }, { 'acme/db': repository.url })
  const trace = join(scratchDirectory(), 'trace')
  const { failures } = await short.fetch({ git: gitOf({}, { GIT_TRACE: trace }) })
  expect(failures).toMatchObject([{ error: { code: 'no-such-stack' } }])
  expect(readFileSync(trace, 'utf8')).not.toContain(' fetch ')
})

test('a password of an address is written nowhere', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db') })
  const url = 'https://user:secret@stacks.example/db'
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': url })
  expect((await shop.fetch({ git: gitOf({ [`url.${repository.url}.insteadOf`]: url }) })).failures).toStrictEqual([])
  expect(JSON.parse(textIn(shop.root, '.Mudeps/hub.mu.com/acme/db/.origin.json'))).toMatchObject({
    repository: 'https://stacks.example/db',
  })
  expect(shop.reports.join()).not.toContain('secret')
})

test('a commit of the repository whose hook this is does not belong to another one', async () => {
  const [repository, other] = [makeRepository(), makeRepository()]
  repository.commit({ 'Mu.yaml': stack('acme/db') })
  const commit = other.commit({ 'Mu.yaml': stack('acme/db'), x: '' })
  const git = gitOf({}, { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(other.directory, '.git/objects') })
  const shop = makeShop({ 'Mu.yaml': user(`acme/db@${commit}`) }, { 'acme/db': repository.url })
  expect((await shop.fetch({ git })).failures).toMatchObject([{ error: { code: 'no-such-stack' } }])
})

test('no setting of the user, and no variable of a hook, leads git astray', async () => {
  const { repository, commit } = withLooseCommit()
  const directory = scratchDirectory()
  const trace = join(directory, 'trace')
  const hook = programsOf({ 'reference-transaction': `touch '${directory}/called'` }).split(':')[0]!
  const settings = {
    'safe.bareRepository': 'explicit',
    'clone.defaultRemoteName': 'upstream',
    'core.hooksPath': hook,
  }
  const names = ['GIT_DIR', 'GIT_OBJECT_DIRECTORY', 'GIT_COMMON_DIR', 'GIT_NAMESPACE', 'GIT_QUARANTINE_PATH']
  const nowhere = Object.fromEntries(names.map((name) => [name, '/proc/nowhere']))
  const git = gitOf(settings, { GIT_TRACE: trace, ...nowhere })
  const shop = makeShop({ 'Mu.yaml': user(`acme/db@${commit}`) }, { 'acme/db': repository.url })
  expect((await shop.fetch({ git })).failures).toStrictEqual([])
  const other = makeShop({ 'Mu.yaml': user('acme/db@^2.0.0') }, { 'acme/db': repository.url })
  expect((await other.fetch({ git })).failures).toStrictEqual([])
  expect(existsSync(join(directory, 'called'))).toBe(false)
  expect(textIn(directory, 'trace')).not.toMatch(/git (?:maintenance|gc) /)
})

/** A stack that was fetched with git of these settings and variables, and what git was run with. */
async function environmentWith(settings: Tree, variables: Tree, url?: string) {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db') })
  const directory = scratchDirectory()
  const PATH = programsOf({
    git: `{ env; printf 'WORD=%s\\n' "$@"; } >>'${directory}/environment'\nPATH=/usr/bin:/bin; exec git "$@"`,
  })
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': url ?? repository.url })
  const { failures } = await shop.fetch({ git: gitOf(settings, { ...variables, PATH }) })
  return { shop, repository, failures, lines: textIn(directory, 'environment').split('\n') }
}

test('variables of the user reach git, and none of another repository', async () => {
  const own = { GIT_SSH_COMMAND: 'ssh -v', GIT_SSL_CAINFO: '/x', GIT_TRACE_PACKET: '0', GIT_HTTP_USER_AGENT: 'x' }
  const foreign = {
    GIT_DIR: '/nowhere',
    GIT_WORK_TREE: '/nowhere',
    GIT_INDEX_FILE: '/nowhere',
    GIT_TEMPLATE_DIR: '/nowhere',
    GIT_SHALLOW_FILE: '/nowhere',
    GIT_GRAFT_FILE: '/nowhere',
    GIT_ATTR_SOURCE: 'HEAD',
    GIT_REPLACE_REF_BASE: 'refs/heads/',
    GIT_CONFIG_PARAMETERS: "'core.fsmonitor'='touch /x'",
    GIT_LITERAL_PATHSPECS: '1',
  }
  const { failures, lines } = await environmentWith({}, { ...own, ...foreign })
  expect(failures).toStrictEqual([])
  for (const [name, value] of Object.entries(own)) expect(lines).toContain(`${name}=${value}`)
  for (const name of Object.keys(foreign)) expect(lines.filter((line) => line.startsWith(`${name}=`))).toStrictEqual([])
})

test.each([
  'GIT_TERMINAL_PROMPT=0',
  'GIT_ASKPASS=',
  'SSH_ASKPASS_REQUIRE=never',
  'GIT_NO_REPLACE_OBJECTS=1',
  'GIT_NO_LAZY_FETCH=1',
  'WORD=core.hooksPath=/dev/null',
  'WORD=core.fsmonitor=false',
  'WORD=tar.umask=0022',
  'WORD=transfer.bundleURI=false',
  'WORD=core.bigFileThreshold=16m',
  'WORD=core.packedGitWindowSize=32m',
  'WORD=core.packedGitLimit=512m',
  'WORD=--template=',
  'WORD=--no-local',
])('git is run with %s', async (word) => {
  const asked = { GIT_ASKPASS: '/bin/echo', SSH_ASKPASS_REQUIRE: 'force', GIT_NO_LAZY_FETCH: '0' }
  expect((await environmentWith({}, asked)).lines).toContain(word)
})

test('no template of the user brings hooks, or anything else, into a repository', async () => {
  const template = scratchDirectory()
  writeTree(template, { 'hooks/reference-transaction': '', alien: 'x', config: '[core]\n\tfsmonitor = touch x\n' })
  const directory = scratchDirectory()
  const PATH = programsOf({
    git: `PATH=/usr/bin:/bin; case " $* " in *' archive '*) for word in "$@"; do case $word in --git-dir=*) ls -R "\${word#*=}" >'${directory}/list' ;; esac; done ;; esac; exec git "$@"`,
  })
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db') })
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  const git = gitOf({ 'init.templateDir': template }, { PATH, GIT_TEMPLATE_DIR: template })
  expect((await shop.fetch({ git })).failures).toStrictEqual([])
  expect(textIn(directory, 'list')).not.toMatch(/alien|reference-transaction/)
  expect(textIn(directory, 'list')).toContain('attributes')
})

test('programs keep their mode, whatever modes the user gives to files of archives', async () => {
  const repository = makeRepository()
  commitTree(repository, [
    ['100644', 'Mu.yaml', stack('acme/db')],
    ['100755', 'program', ''],
  ])
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  expect((await shop.fetch({ git: gitOf({ 'tar.umask': '0777' }) })).failures).toStrictEqual([])
  expect(statSync(join(shop.root, '.Mudeps/hub.mu.com/acme/db/program')).mode & 0o777).toBe(0o755)
})

test('the configuration of a workspace, which may have come with it, has no say', async () => {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db') })
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': 'https://stacks.invalid/db' })
  spawnSync('git', ['init', '--quiet', shop.root])
  const called = join(shop.home, 'called')
  const program = `touch '${called}'; false`
  appendFileSync(
    join(shop.root, '.git/config'),
    `[url "${repository.url}"]\n\tinsteadOf = https://stacks.invalid/db\n[pager]\n\tclone = "${program}"\n[core]\n\tfsmonitor = "${program}"\n\tsshCommand = "${program}"\n[credential]\n\thelper = "!${program}"\n[protocol]\n\tallow = always\n`,
  )
  const before = process.cwd()
  process.chdir(shop.root)
  try {
    const { failures } = await shop.fetch({ git: gitOf({}) })
    expect(failures).toMatchObject([{ error: { code: 'unreachable-repository' } }])
  } finally {
    process.chdir(before)
  }
  expect(existsSync(called)).toBe(false)
})

test('git asks no questions, and speaks the language in which its reasons are looked for', async () => {
  const repository = makeRepository()
  const directory = scratchDirectory()
  const PATH = programsOf({ git: `env >'${directory}/environment'\nPATH=/usr/bin:/bin; exec git "$@"` })
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  await shop.fetch({ git: gitOf({}, { PATH, LC_ALL: 'de_DE.UTF-8', GIT_TERMINAL_PROMPT: '1' }) })
  const lines = textIn(directory, 'environment').split('\n')
  expect(lines.filter((line) => /^(?:LC_ALL|GIT_TERMINAL_PROMPT)=/.test(line)).toSorted()).toStrictEqual([
    'GIT_TERMINAL_PROMPT=0',
    'LC_ALL=C',
  ])
})

test('the stacks of a repository cost one clone, one list for each commit, and one archive each', async () => {
  const repository = makeRepository()
  repository.commit({ 'a/Mu.yaml': stack('acme/a'), 'b/Mu.yaml': stack('acme/b') }, '1.0.0')
  const directory = scratchDirectory()
  const PATH = programsOf({ git: `echo "$@" >>'${directory}/calls'\nPATH=/usr/bin:/bin; exec git "$@"` })
  const shop = makeShop({ 'Mu.yaml': user('acme/a', 'acme/b') }, { 'acme/...': repository.url })
  expect((await shop.fetch({ git: gitOf({}, { PATH }) })).failures).toStrictEqual([])
  const commands = textIn(directory, 'calls').match(/ (?:clone|for-each-ref|cat-file|ls-tree|archive) /g)
  expect(commands?.map((command) => command.trim())).toStrictEqual([
    'clone',
    'for-each-ref',
    'cat-file',
    'ls-tree',
    'archive',
    'archive',
  ])
})

test.each([
  ['git that cannot be run', 'exit 1', 0o644, { code: 'program-not-executable', exitStatus: 77 }],
  [
    'a full disk',
    "echo 'fatal: write error: No space left on device' >&2; exit 128",
    0o755,
    {
      code: 'cannot-write',
      exitStatus: 73,
      message: expect.stringMatching(/^cannot fetch 'file:.*': there is no space left in '.*\/tmp-\w+'$/) as string,
    },
  ],
])('%s stops everything', async (_, script, mode, error) => {
  const shop = makeShop({ 'Mu.yaml': user('acme/a', 'corp/b') }, { 'acme/...': 'file:///a', 'corp/...': 'file:///b' })
  const [PATH = ''] = programsOf({ git: script }).split(':')
  chmodSync(join(PATH, 'git'), mode)
  await expect(shop.fetch({ git: gitOf({}, { PATH }) })).rejects.toMatchObject(error)
})

test('a full disk elsewhere concerns that repository alone', async () => {
  const PATH = programsOf({ git: "echo 'remote: fatal: No space left on device' >&2; exit 128" })
  const shop = makeShop({ 'Mu.yaml': user('acme/a', 'corp/b') }, { 'acme/...': 'file:///a', 'corp/...': 'file:///b' })
  const { failures } = await shop.fetch({ git: gitOf({}, { PATH }) })
  expect(failures).toMatchObject([
    { error: { code: 'unreachable-repository' } },
    { error: { code: 'unreachable-repository' } },
  ])
})

test.each([
  ['ssh://git@x.y/a', 'ssh://git@x.y/a'],
  ['ssh://git:secret@x.y/a', 'ssh://git@x.y/a'],
  ['ssh://git:sec@ret@x.y/a@b', 'ssh://git@x.y/a@b'],
  ['https://user:secret@x.y/a', 'https://x.y/a'],
  ['HTTP://token@x.y/a', 'HTTP://x.y/a'],
  ['https://x.y/a@b:c@d', 'https://x.y/a@b:c@d'],
  ['git@x.y:a/b', 'git@x.y:a/b'],
])('withoutPassword() of %s is %s', (url, shown) => {
  expect(withoutPassword(url)).toBe(shown)
})
