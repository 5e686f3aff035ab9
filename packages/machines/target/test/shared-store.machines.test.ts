import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import type { ProfileName, StorePath, TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { environment } from '@davit/process'
import { type NativeStore, openNativeStore, type StoreLayout, storeLayout } from '@davit/store'
import { shellConnection, type ShellSurroundings } from '@davit/connection/testing'
import { notingShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { collectGarbage, findGarbage, type Machine, openMachine, setProfile, trimProfile } from '../src/target.ts'
import { testCalls } from './functions.ts'

const { signal } = new AbortController()
const place = { target: 't1' as TargetName, profile: 'default' as ProfileName }
const canPose = process.getuid?.() === 0 && spawnSync('/usr/bin/setpriv', ['--version']).status === 0

describe.each(notingShells())('two accounts that share a store, with $name', (shell) => {
  // bash uses the same utilities as dash.
  const isNew = shell.inDepth || shell.name !== 'bash'
  const isNewAndPoses = isNew && canPose
  let directory: string
  let layout: StoreLayout
  let store: NativeStore
  let machines: Pick<Machine, 'close'>[]

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-shared-'))
    layout = storeLayout(join(directory, 'store'))
    store = await openNativeStore({ ...layout, environment: environment(), isolation: { kind: 'none' } })
    machines = []
  })
  afterEach(() => {
    for (const machine of machines) machine.close()
    removeTree(directory)
  })

  const stateOf = (account: string) => join(directory, account, 'state')
  const login = async (account: string, surroundings?: ShellSurroundings) => {
    const connect = async () => shellConnection(shell, stateOf(account), surroundings)
    const [deployer, collector] = [await openMachine(connect), await openMachine(connect, { role: 'collect' })]
    machines.push(deployer, collector)
    return { deployer, collector }
  }
  type Account = Awaited<ReturnType<typeof login>>
  /** Adds profiles that nothing keeps, without the protection of new paths. */
  const profiles = async (...names: readonly string[]) => {
    const contents = names.map((name) => ({ name, packages: [], profileManifest: `<${name}/>`, modules: new Map() }))
    const paths = await store.addProfiles(contents)
    for (const path of paths) rmSync(join(layout.roots, `temporary:${basename(path)}`))
    return paths
  }
  const set = ({ deployer }: Account, path: StorePath) =>
    setProfile(deployer, { ...place, token: '-', path, generations: 'add', store: store.reference })
  const active = (account: string, path: StorePath) => {
    const record = join(stateOf(account), 'targets/t1/active/default/process:key')
    mkdirSync(record, { recursive: true, mode: 0o700 })
    writeFileSync(join(record, 'record'), `format 1\nmodule ${path}/m\npkg ${path}\n`, { mode: 0o600 })
  }
  const collect = async ({ collector }: Account) => {
    const { paths } = await collectGarbage(collector, layout.directory, { signal })
    return paths.map(({ path }) => path)
  }
  const profileRoots = () =>
    readdirSync(layout.roots)
      .filter((name) => name.startsWith('profile:'))
      .map((name) => readlinkSync(join(layout.roots, name)))
      .toSorted()
  const profilesOf = (account: string) => join(stateOf(account), 'targets/t1/profiles/default')

  test('generations of both stay when one collects garbage, even with the same names', async () => {
    const [a, b] = [await login('a'), await login('b')]
    const [one, other] = (await profiles('one', 'other')) as [StorePath, StorePath]
    await set(a, one)
    await set(b, other)
    expect(profileRoots()).toEqual([profilesOf('a'), profilesOf('b')])
    for (const account of [a, b]) expect(await collect(account)).toEqual([])
    const [next] = (await profiles('next')) as [StorePath]
    await set(b, next)
    expect(await trimProfile(b.collector, place, [])).toBe(1)
    expect(await collect(a)).toEqual([other])
  })

  test.runIf(isNew)('active services of both stay, even without a generation', async () => {
    const [a, b] = [await login('a'), await login('b')]
    const [kept, one, rest] = (await profiles('kept', 'one', 'rest')) as [StorePath, StorePath, StorePath]
    await set(a, kept)
    active('a', one)
    expect(await collect(b)).toEqual([rest])
    expect(await collect(a)).toEqual([])
    rmSync(join(stateOf('a'), 'targets'), { recursive: true })
    expect(await collect(b)).toHaveLength(2)
  })

  test.runIf(isNew)('active services stay even if nothing was ever sent', async () => {
    const [a, b] = [await login('a'), await login('b')]
    const [one] = (await profiles('one')) as [StorePath]
    const script = join(directory, 'module')
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 })
    const fields = { module: script, pkg: one, container: 'c' }
    const words = Object.entries(fields).flat()
    await a.deployer.requestActivity('start', ['t1', 'default', '-', 'activate', '0', 'c', 'key', ...words])
    const state = join(stateOf('a'), 'targets/t1/active/default/c:key/state')
    await until(() => expect(readFileSync(state, 'utf8')).toMatch(/^active\n/))
    expect(await collect(b)).toEqual([])
  })

  test.runIf(isNew)('roots of earlier versions count, and are replaced by their account', async () => {
    const [a, b] = [await login('a'), await login('b')]
    const [one, other] = (await profiles('one', 'other')) as [StorePath, StorePath]
    await set(a, one)
    await set(b, other)
    for (const root of readdirSync(layout.roots)) rmSync(join(layout.roots, root))
    const former = join(layout.roots, 'profile:t1:default')
    symlinkSync(profilesOf('a'), former)
    symlinkSync(join(directory, 'nobody'), join(layout.roots, 'profile:t2:default'))
    expect(await set(b, other)).toBe('unchanged')
    expect(existsSync(former)).toBe(true)
    for (const account of [a, b]) expect(await collect(account)).toEqual([])
    expect(await set(a, one)).toBe('unchanged')
    expect(existsSync(former)).toBe(false)
    for (const account of [a, b]) expect(await collect(account)).toEqual([])
  })

  test.runIf(isNew)('a preview distinguishes the generations of both', async () => {
    const [a, b] = [await login('a'), await login('b')]
    const [one, other] = (await profiles('one', 'other')) as [StorePath, StorePath]
    await set(a, one)
    await set(b, other)
    const isRoot = ({ by }: { readonly by: string }) => !by.startsWith('profile:t1:default/')
    const { paths } = await findGarbage(b.collector, layout.directory, { signal, isRoot })
    expect(paths.map(({ path }) => path)).toEqual([other])
  })

  test.runIf(isNewAndPoses)(
    'an account that cannot read what another one keeps collects nothing; root does',
    async () => {
      const accounts = await Promise.all(['a', 'b'].map((name, index) => login(name, posing(name, 20_001 + index))))
      const root = await login('root')
      const [one, other, rest] = (await profiles('one', 'other', 'rest')) as [StorePath, StorePath, StorePath]
      spawnSync('chmod', ['-R', 'a+rwX', layout.directory])
      await set(accounts[0]!, one)
      await set(accounts[1]!, other)
      for (const account of accounts) {
        await expect(collect(account)).rejects.toMatchObject({
          code: 'cannot-read',
          exitStatus: 77,
          hint: 'other accounts use this store as well: only root can collect its garbage',
        })
      }
      expect(await store.invalidPaths([one, other, rest])).toEqual([])
      expect(await collect(root)).toEqual([rest])
    },
  )

  test.runIf(isNewAndPoses).each(['t1', 't1/active', 't1/active/default', 't1/active/default/process:key'])(
    'an account that cannot read what another one has in %s collects nothing',
    async (part) => {
      const account = await login('b', posing('b', 20_002))
      const [one] = (await profiles('one')) as [StorePath]
      active('a', one)
      const targets = join(stateOf('a'), 'targets')
      spawnSync('chmod', ['-R', 'a+rwX', layout.directory, join(directory, 'a')])
      symlinkSync(targets, join(layout.roots, 'state:0123456789abcdef'))
      chmodSync(join(targets, part), 0o711)
      await expect(collect(account)).rejects.toMatchObject({ code: 'cannot-read' })
      expect(await store.invalidPaths([one])).toEqual([])
      chmodSync(join(targets, part), 0o755)
      expect(await collect(account)).toEqual([])
    },
  )

  test.runIf(isNew)('protected paths stay while a deployment of the other account holds a lock', async () => {
    const b = await login('b')
    const [one] = (await profiles('one')) as [StorePath]
    await store.protect([one])
    const anHourAgo = new Date(Date.now() - 3_600_000)
    lutimesSync(join(layout.roots, `temporary:${basename(one)}`), anHourAgo, anHourAgo)
    // As if its owner, this process, had ended.
    rmSync(join(layout.directory, '.davit/needed'), { recursive: true })
    symlinkSync(join(stateOf('a'), 'targets'), join(layout.roots, 'state:0123456789abcdef'))
    const lock = join(stateOf('a'), 'targets/t1/lock/default')
    mkdirSync(lock, { recursive: true })
    writeFileSync(join(lock, 'holder'), `token x\nowner y\nrenewed ${Math.floor(Date.now() / 1000)}\nlease 600\n`)
    const collectNow = () => collectGarbage(b.collector, layout.directory, { signal, leftovers: 'collect' })
    expect((await collectNow()).paths).toEqual([])
    rmSync(lock, { recursive: true })
    expect((await collectNow()).paths.map(({ path }) => path)).toEqual([one])
  })

  test.runIf(isNewAndPoses)('an account that cannot move the files of another one leaves them whole', async () => {
    const account = await login('a', posing('a', 20_001))
    const [rest] = (await profiles('rest')) as [StorePath]
    spawnSync('chmod', ['-R', 'a+rwX', join(layout.directory, '.davit')])
    chmodSync(layout.directory, 0o777)
    await expect(collect(account)).rejects.toMatchObject({ code: 'not-owner', exitStatus: 77 })
    expect(await store.invalidPaths([rest])).toEqual([])
  })

  /** Logs in with a home that other accounts may not read. */
  function posing(name: string, user: number): ShellSurroundings {
    for (const path of [directory, dirname(dirname(shell.program))]) chmodSync(path, 0o755)
    const home = join(directory, name)
    mkdirSync(home, { mode: 0o700 })
    spawnSync('chown', [String(user), home])
    const within = join(directory, `as-${name}`)
    writeFileSync(within, `#!/bin/sh\nexec /usr/bin/setpriv --reuid ${user} --regid ${user} --clear-groups -- "$@"\n`, {
      mode: 0o755,
    })
    return { within }
  }

  testCalls(shell, 'shared-store')
})
