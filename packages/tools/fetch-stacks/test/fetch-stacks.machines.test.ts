import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { filesIn, makeRepository, makeShop, type Shop, stack, user } from '@davit/stack-workspace/testing'
import { runHere } from '@davit/tool/testing'
import { until } from '@davit/testing/wait'
import { expect, test } from 'vitest'
import { tool } from '../src/main.ts'

/** Runs the tool in a workspace, with a configuration of git that is nobody's. */
function fetchIn({ root, home }: Shop, ...words: readonly string[]) {
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  return runHere(tool, words, { environment, directory: root })
}

function shopWithDatabase() {
  const repository = makeRepository()
  repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.0.0') }, '1.0.0')
  return { repository, shop: makeShop({ 'Mu.yaml': user('acme/db@^1.0.0') }, { 'acme/...': repository.url }) }
}

test('davit-fetch-stacks fetches, tells it, and is silent when there is nothing to do', async () => {
  const { repository, shop } = shopWithDatabase()
  expect(await fetchIn(shop)).toStrictEqual({
    status: 0,
    stdout: '',
    stderr: expect.stringContaining(`fetched 'acme/db' 1.0.0 from '${repository.url}'`) as string,
  })
  expect(await fetchIn(shop, '--pins')).toStrictEqual({
    status: 0,
    stdout: 'dependencies:\n  acme/db: "1.0.0"\n',
    stderr: '',
  })
})

test('davit-fetch-stacks --dry-run tells the same, and writes nothing', async () => {
  const { shop } = shopWithDatabase()
  const { status, stdout, stderr } = await fetchIn(shop, '--dry-run', '--pins')
  expect({ status, stdout }).toStrictEqual({ status: 0, stdout: 'dependencies:\n  acme/db: "1.0.0"\n' })
  expect(stderr).toContain("would fetch 'acme/db' 1.0.0")
  expect(existsSync(join(shop.root, '.Mudeps'))).toBe(false)
})

test('davit-fetch-stacks -g fetches for all workspaces', async () => {
  const { repository, shop } = shopWithDatabase()
  expect((await fetchIn(shop, '-g')).status).toBe(0)
  expect(readdirSync(shop.home)).toStrictEqual(['.Mudeps'])
  expect(existsSync(join(shop.root, '.Mudeps'))).toBe(false)
  repository.commit({ 'db/Mu.yaml': stack('acme/db', '1.2.0') }, 'v1.2.0')
  expect((await fetchIn(shop, '-g', '--update')).stderr).toContain("fetched 'acme/db' v1.2.0")
})

test('davit-fetch-stacks -g needs a home directory', async () => {
  const { shop } = shopWithDatabase()
  const { status, stderr } = await runHere(tool, ['-g'], { environment: { HOME: 'home' }, directory: shop.root })
  expect([status, stderr]).toStrictEqual([64, expect.stringContaining('--global needs a home directory')])
})

test('davit-fetch-stacks fetches what templates refer to by the cluster', async () => {
  const repository = makeRepository()
  repository.commit({ 'b_aws/Mu.yaml': stack('acme/b_aws') })
  const workspace = { repositories: { 'acme/...': repository.url }, clusters: { b: { cloud: 'aws' } } }
  const text = user('acme/{{.Cluster.Name}}_{{.Arch.Cloud}}')
  const shop = makeShop({ 'Mu.yaml': text, 'Muspace.json': JSON.stringify(workspace) }, {})
  expect((await fetchIn(shop, '-c', 'b')).status).toBe(0)
  expect(readdirSync(join(shop.root, '.Mudeps/hub.mu.com/acme'))).toStrictEqual(['b_aws'])
})

test('davit-fetch-stacks passes arguments and cluster to templates, on which references depend', async () => {
  const repository = makeRepository()
  repository.commit({ 'a/Mu.yaml': stack('acme/a'), 'b/Mu.yaml': stack('acme/b') })
  const text =
    'name: shop\nproperties: { kind: { type: string } }\nservices: { public: { s: { type: "acme/{{.Properties.kind}}" } } }\n'
  const shop = makeShop({ 'Mu.yaml': text }, { 'acme/...': repository.url })
  const missing = await fetchIn(shop)
  expect(missing.status).toBe(65)
  expect(missing.stderr).toContain('Mu.yaml:3:53: error: MU153')
  const fetched = await fetchIn(shop, '.', '--', 'kind=a', '--kind', 'b')
  expect([fetched.status, fetched.stderr]).toStrictEqual([
    0,
    expect.stringContaining("warning: the argument 'kind' is given more than once: the last one counts") as string,
  ])
  expect(readdirSync(join(shop.root, '.Mudeps/hub.mu.com/acme'))).toStrictEqual(['b'])
  const unknown = await fetchIn(shop, '-c', 'none', '--', 'kind=a')
  expect([unknown.status, unknown.stderr]).toStrictEqual([
    65,
    expect.stringContaining("MU124: the workspace has no cluster 'none'"),
  ])
})

test.each([
  ['no stack file', ['/'], 66, 'MU100'],
  ['an operand that is not there', ['none'], 66, 'there is no such file or directory'],
  ['an unknown option', ['--force'], 64, "unknown option '--force'"],
  ['a second operand', ['a', 'b'], 64, "unexpected operand 'b'"],
  ['an argument without a name', ['--', '=5'], 64, "the argument '=5' has no name"],
])('davit-fetch-stacks refuses %s', async (_, words, status, message) => {
  const { shop } = shopWithDatabase()
  const ended = await fetchIn(shop, ...words)
  expect([ended.status, ended.stderr]).toStrictEqual([status, expect.stringContaining(message)])
})

test('davit-fetch-stacks tells what is out of reach, and keeps what is not', async () => {
  const repository = makeRepository()
  repository.commit({ 'db/Mu.yaml': stack('acme/db') })
  const gone = `${repository.url}-gone`
  const shop = makeShop(
    { 'Mu.yaml': user('acme/db', 'corp/x', 'corp/y') },
    { 'acme/...': repository.url, 'corp/...': gone },
  )
  const { status, stdout, stderr } = await fetchIn(shop, '--pins')
  expect({ status, stdout }).toStrictEqual({ status: 69, stdout: '' })
  expect(stderr).toContain(
    `Mu.yaml:5:17: error: stack 'corp/x', 'corp/y': cannot fetch '${gone}': '${gone.slice('file://'.length)}' does not appear to be a git repository`,
  )
  expect(stderr.match(/does not appear/g)).toHaveLength(1)
  expect(stderr).toContain('the same command fetches the rest\n')
  expect(stderr).toContain('2 stacks could not be fetched [unfetched-stacks]')
  expect(existsSync(join(shop.root, '.Mudeps/hub.mu.com/acme/db/Mu.yaml'))).toBe(true)
})

test.each([
  ['a version that is not there', 'acme/db@^2.0.0', "Mu.yaml:4:17: error: no version of 'acme/db'"],
  ['another version than what was fetched', 'acme/db@1.0.1', "Mu.yaml:4:17: error: no version of 'acme/db'"],
])('davit-fetch-stacks tells who refers to %s', async (_, reference, message) => {
  const { shop } = shopWithDatabase()
  await fetchIn(shop)
  writeFileSync(join(shop.root, 'Mu.yaml'), user(reference))
  expect((await fetchIn(shop)).stderr).toContain(message)
})

test('davit-fetch-stacks says how a damaged stack is fetched anew', async () => {
  const { shop } = shopWithDatabase()
  writeFileSync(join(shop.root, 'Mu.yaml'), user('acme/db@^1.0.0', 'acme/db@^1.0.0'))
  await fetchIn(shop)
  const directory = join(shop.root, '.Mudeps/hub.mu.com/acme/db')
  const wayOut = `--update fetches it anew, or remove '${directory}', and run the same command`
  for (const damage of ['oops: [', Buffer.from([0xff])]) {
    writeFileSync(join(directory, 'Mu.yaml'), damage)
    expect((await fetchIn(shop)).stderr.split(wayOut)).toHaveLength(2)
  }
  expect((await fetchIn(shop, '--update')).status).toBe(0)
  expect(await fetchIn(shop)).toMatchObject({ status: 0, stderr: '' })
})

test('davit-fetch-stacks without git is out of reach, too', async () => {
  const { shop } = shopWithDatabase()
  const environment = { HOME: shop.home, PATH: '/nonexistent' }
  const { status, stderr } = await runHere(tool, [], { environment, directory: shop.root })
  expect([status, stderr]).toStrictEqual([69, expect.stringContaining("cannot find the program 'git'")])
})

/** The tool runs in the workspace, where no packages are. */
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const BIN = fileURLToPath(new URL('../src/bin.ts', import.meta.url))

/** Lets a run with another directory for temporary files find what was compiled before, which takes much longer than the run. */
function shareCompiled(temporary: string): void {
  const compiled = join(tmpdir(), `tsx-${process.getuid?.()}`)
  mkdirSync(compiled, { recursive: true })
  symlinkSync(compiled, join(temporary, basename(compiled)))
}

/** Starts the tool where git is a script that sees GIT, which is the real one. */
function startIn(shop: Shop, script: string) {
  const programs = join(shop.home, 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'git'), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, { mode: 0o755 })
  shareCompiled(shop.home)
  const env = {
    ...process.env,
    HOME: shop.home,
    TMPDIR: shop.home,
    GIT_CONFIG_NOSYSTEM: '1',
    PATH: `${programs}:${process.env['PATH']}`,
  }
  const child = spawn(process.execPath, ['--import', TSX, BIN], { cwd: shop.root, env, stdio: 'ignore' })
  const fetchAgain = () =>
    runHere(tool, [], {
      environment: { HOME: shop.home, TMPDIR: shop.home, GIT_CONFIG_NOSYSTEM: '1' },
      directory: shop.root,
    })
  return { child, exit: once(child, 'exit'), fetchAgain }
}

test('a run that is killed while git waits leaves no git, and the next run removes what it has left', async () => {
  const { shop } = shopWithDatabase()
  const reached = join(shop.home, 'reached')
  const { child, exit, fetchAgain } = startIn(
    shop,
    `case " $* " in *" clone "*) echo $$ >'${reached}.new'; mv '${reached}.new' '${reached}'; sleep 1000 ;; esac`,
  )
  await until(() => existsSync(reached))
  const git = Number(readFileSync(reached, 'utf8'))
  child.kill('SIGKILL')
  await exit
  await until(() => !isRunning(git))
  const left = () => readdirSync(shop.home).filter((name) => name.startsWith('davit-'))
  expect(left()).toMatchObject([expect.stringMatching(/^davit-fetch\.\d+\.\d+\.\d+\.\w{6}$/)])
  const others = [`davit-fetch.${'x'.repeat(6)}`, `davit-fetch.${left()[0]?.split('.')[1]}.1.0.abcdef`]
  for (const name of others) mkdirSync(join(shop.home, name))
  expect((await fetchAgain()).status).toBe(0)
  expect(left()).toStrictEqual(others.toSorted())
})

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test.each(['SIGKILL', 'SIGINT'] as const)(
  '%s leaves no part of a stack, and the same command goes on',
  async (signal) => {
    const { shop } = shopWithDatabase()
    const programs = join(shop.home, 'bin')
    const [reached, release] = [join(shop.home, 'reached'), join(shop.home, 'release')]
    expect(spawnSync('mkdir', [programs]).status).toBe(0)
    expect(spawnSync('mkfifo', [release]).status).toBe(0)
    writeFileSync(
      join(programs, 'git'),
      `#!/bin/sh\nPATH=/usr/bin:/bin\ncase " $* " in\n*" archive "*) git "$@" | head -c 700; : >'${reached}'; read x <'${release}' ;;\n*) exec git "$@" ;;\nesac\n`,
    )
    chmodSync(join(programs, 'git'), 0o755)
    shareCompiled(shop.home)
    const environment = {
      ...process.env,
      HOME: shop.home,
      TMPDIR: shop.home,
      GIT_CONFIG_NOSYSTEM: '1',
      PATH: `${programs}:${process.env['PATH']}`,
    }
    const child = spawn(process.execPath, ['--import', TSX, BIN], {
      cwd: shop.root,
      env: environment,
      stdio: 'ignore',
    })
    const exit = once(child, 'exit')
    await until(() => existsSync(reached))
    child.kill(signal)
    // A killed tool cannot end git.
    if (signal === 'SIGKILL') writeFileSync(release, '\n')
    const [status, ended] = (await exit) as [number | null, string | null]
    expect([status, ended]).toStrictEqual(signal === 'SIGKILL' ? [null, 'SIGKILL'] : [130, null])
    expect(filesIn(shop.root).filter((file) => !file.includes('.fetching-'))).toStrictEqual(['Mu.yaml', 'Muspace.json'])
    expect((await fetchIn(shop)).status).toBe(0)
    expect(filesIn(shop.root).filter((file) => file.startsWith('.Mudeps'))).toStrictEqual([
      '.Mudeps/hub.mu.com/acme/db/.origin.json',
      '.Mudeps/hub.mu.com/acme/db/Mu.yaml',
    ])
  },
)
