import { lutimesSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import type { ProfileName, StorePath, StoreReference, TargetName } from '@davit/documents'
import type { ServeClient } from '@davit/nix'
import { type NixStore, openStore } from '@davit/store'
import type { Role } from '@davit/target-runtime'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { isAlive } from '@davit/testing/processes'
import { installedShells, type Shell } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { collectNixGarbage, trimProfile } from '../src/collector.ts'
import { type Machine, openMachine } from '../src/machine.ts'
import { nixTargetStore } from '../src/nix/nix-target-store.ts'
import { setProfile } from '../src/profile.ts'
import type { TargetStore } from '../src/target-store.ts'
import { buildClosures, type Closure, nixConnection, nixPrograms, validOf } from './testing.ts'

const { signal } = new AbortController()
const target = 't1' as TargetName
const profile = 'default' as ProfileName
const shells = installedShells()
const MINUTE = 60_000
const [dash] = shells as readonly [Shell]

describe.skipIf(noPrivateNix !== undefined)('with Nix', () => {
  const here = privateNixOfFile()
  const there = privateNixOfFile()
  const programs = nixPrograms()
  let closureOf: (label: string) => Closure
  let directory: string
  let connection: ReturnType<typeof nixConnection>
  let machines: Pick<Machine, 'close'>[]
  let machine: Machine<'carry'>

  beforeAll(() => {
    closureOf = buildClosures(here, ['first', 'second', 'protected', 'yesterday', 'rubbish', 'cut', 'unsent'])
  }, MINUTE)
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'davit-nix-target-'))
    machines = []
  })
  afterEach(async () => {
    for (const one of machines) one.close()
    // While a store process runs, it protects the paths that it handled.
    await until(() => !connection.pids.some(isAlive))
    removeTree(directory)
  })

  const home = () => join(directory, 'home')
  const reference: StoreReference = { kind: 'nix', directory: '/nix/store' }
  async function storeWith(change: (client: ServeClient) => ServeClient = (client) => client): Promise<NixStore> {
    const store = (await openStore(reference, here)) as NixStore
    return { ...store, withServe: (use) => store.withServe((client) => use(change(client))) }
  }

  async function machineFor<R extends Role>(role: R): Promise<Machine<R>> {
    const opened = await openMachine(async () => connection, { role })
    machines.push(opened)
    return opened
  }

  async function targetStore(
    shell: Shell,
    options: { store?: NixStore; programs?: string } = {},
  ): Promise<TargetStore> {
    connection = nixConnection(shell, { nix: there, programs: options.programs ?? programs, home: home() })
    machine = await machineFor('carry')
    return nixTargetStore({ name: target, machine }, options.store ?? (await storeWith()))
  }

  describe.each(shells)('on a machine with $name', (shell) => {
    // Removes paths of tests with another shell.
    beforeEach(() => void there.shell('nix-store --gc'))

    test('a closure is sent once', async () => {
      const store = await targetStore(shell)
      const closure = closureOf('first')
      expect(await store.missing(closure)).toEqual(closure)
      expect(await store.send(closure, { signal })).toMatchObject({ paths: 2 })
      expect(await store.missing(closure)).toEqual([])
      expect(validOf(there, closure)).toEqual(closure)
      // The helper, and one process for all requests to Nix.
      expect(connection.pids).toHaveLength(2)
    })

    test('a closure is brought once, and protected here', async () => {
      const store = await targetStore(shell)
      const closure = buildClosures(there, [`brought-${shell.name}`])(`brought-${shell.name}`)
      expect(validOf(here, closure)).toEqual([])
      expect(await store.bring([closure[1]], { signal })).toMatchObject({ paths: 2 })
      expect(await store.bring([closure[1]], { signal })).toEqual({ paths: 0, bytes: 0 })
      expect(validOf(here, closure)).toEqual(closure)
      expect(here.shell(`nix-store -q --roots ${closure[1]}`)).toContain('temporary:')
      const absent = `/nix/store/${'0'.repeat(32)}-absent` as StorePath
      await expect(store.bring([closure[1], absent], { signal })).rejects.toMatchObject({
        code: 'invalid-path',
        message: `the store of '${shell.name}' does not have '${absent}'`,
      })
    })

    test.runIf(shell.inDepth)('protected paths and those of generations are kept, and nothing else', async () => {
      const store = await targetStore(shell)
      const labels = ['first', 'second', 'protected', 'yesterday', 'rubbish']
      const closures = labels.map((label) => closureOf(label))
      const [first, second, kept, yesterday] = closures as [Closure, Closure, Closure, Closure]
      await store.send(closures.flat(), { signal })
      machine.nixStore.close()
      await until(() => expect(isAlive(connection.pids.at(-1) as number)).toBe(false))

      const deployer = await machineFor('deploy')
      const set = async ([, path]: Closure) =>
        setProfile(deployer, { target, profile, token: '-', path, generations: 'add', store: reference })
      expect(await set(first)).toEqual({ generation: 1 })
      expect(await set(second)).toEqual({ generation: 2 })
      expect(await set(second)).toBe('unchanged')
      const instantiation =
        'nix-instantiate --expr \'derivation { name = "never"; system = "none"; builder = "/bin/sh"; }\''
      const derivation = there.shell(`${instantiation} 2>/dev/null`).trim() as StorePath
      await store.protect([yesterday[1]])
      const protectedLinks = join(home(), 'protected')
      ageLinks(protectedLinks)
      for (const _ of ['once', 'again']) await store.protect([kept[1], derivation])
      expect(
        readdirSync(protectedLinks)
          .map((link) => readlinkSync(join(protectedLinks, link)))
          .toSorted(),
      ).toEqual([kept[1], derivation].toSorted())

      there.shell('nix-store --gc')
      expect(validOf(there, [...closures.flat(), derivation])).toEqual([...first, ...second, ...kept, derivation])
      const collector = await machineFor('collect')
      expect(await trimProfile(collector, { target, profile }, [])).toBe(1)
      expect(await collectNixGarbage(collector, { dryRun: true })).toMatch(/^\d+ store paths|^$/)
      expect(validOf(there, first)).toEqual(first)
      expect(await collectNixGarbage(collector, { dryRun: false })).toMatch(/^\d+ store paths deleted/)
      expect(validOf(there, closures.flat())).toEqual([...second, ...kept])
    })
  })

  test('an interrupted transfer names the machine, and is finished by the next one', async () => {
    const [first, second] = closureOf('cut')
    const killing = await storeWith((client) => ({
      ...client,
      dump(info) {
        if (info.path === second) process.kill(connection.pids.at(-1) as number, 'SIGKILL')
        return client.dump(info)
      },
    }))
    const store = await targetStore(dash, { store: killing })
    await expect(store.send([first, second], { signal })).rejects.toMatchObject({
      code: expect.stringMatching(/nix-store-ended|connection-lost/),
      message: expect.stringContaining("'dash'"),
    })
    const again = nixTargetStore({ name: target, machine }, await storeWith())
    const missing = await again.missing([first, second])
    expect(missing).toContain(second)
    await again.send(missing, { signal })
    expect(validOf(there, [first, second])).toEqual([first, second])
  })

  test('a path that was changed on the way is refused', async () => {
    const changing = await storeWith((client) => ({
      ...client,
      async *dump(info) {
        for await (const chunk of client.dump(info)) {
          const content = Buffer.from(chunk).indexOf('contents') + 'contents'.length + 8
          yield Uint8Array.from(chunk, (byte, index) => (index === content ? byte ^ 1 : byte))
        }
      },
    }))
    const store = await targetStore(dash, { store: changing })
    const closure = closureOf('unsent')
    await expect(store.send(closure, { signal })).rejects.toThrow("on 'dash', a Nix store ended")
    expect(validOf(there, closure)).toEqual([])
  })

  test('an error of the coordinator is not reported as one of the machine', async () => {
    const failing = await storeWith((client) => ({
      ...client,
      async *dump() {
        yield new Uint8Array(8)
        throw new Error('the disk is broken')
      },
    }))
    const store = await targetStore(dash, { store: failing })
    const closure = closureOf('unsent')
    await expect(store.send(closure, { signal })).rejects.toThrow('the disk is broken')
    expect(await store.missing(closure)).toEqual(closure)
  })

  test('a transfer stops on abort', async () => {
    const stop = new AbortController()
    const stopping = await storeWith((client) => ({
      ...client,
      async *dump() {
        yield new Uint8Array(8)
        stop.abort(new Error('enough'))
        await new Promise(() => {})
      },
    }))
    const store = await targetStore(dash, { store: stopping })
    await expect(store.send(closureOf('unsent'), { signal: stop.signal })).rejects.toThrow('enough')
  })

  test.each([
    [
      'says something else',
      'echo welcome to this machine; cat >/dev/null',
      "on 'dash', a Nix store gave an invalid answer",
    ],
    ['ends', 'echo "error: disk full" >&2; exit 1', "on 'dash', a Nix store ended before it answered: disk full"],
  ])('a store that %s is an error that names the machine', async (_, script, message) => {
    mkdirSync(join(directory, 'bin'))
    writeFileSync(join(directory, 'bin/nix-store'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const store = await targetStore(dash, { programs: join(directory, 'bin') })
    const asked = store.missing(closureOf('unsent'))
    await expect(asked).rejects.toThrow(message)
  })

  const busybox = shells.find(({ name }) => name === 'busybox')
  describe.skipIf(busybox === undefined)('where no program of Nix is installed', () => {
    test('each operation reports that, and names the machine', async () => {
      const store = await targetStore(busybox as Shell, { programs: join(directory, 'nothing') })
      const path = '/' as StorePath
      const options = { cores: 1, report: () => {}, signal }
      const deployer = await machineFor('deploy')
      for (const operation of [
        () => store.missing([path]),
        () => store.protect([path]),
        () => store.build([path], options),
        () => setProfile(deployer, { target, profile, token: '-', path, generations: 'add', store: reference }),
      ]) {
        const expected = {
          code: 'nix-missing',
          message: expect.stringContaining("Nix is not installed on 'busybox'"),
          hint: expect.stringContaining('install'),
        }
        await expect(operation()).rejects.toMatchObject(expected)
      }
    })

    test("Nix is found in a user's own profile", async () => {
      mkdirSync(join(home(), '.nix-profile'), { recursive: true })
      symlinkSync(programs, join(home(), '.nix-profile/bin'))
      const store = await targetStore(busybox as Shell, { programs: join(directory, 'nothing') })
      const closure = closureOf('unsent')
      expect(await store.missing(closure)).toEqual(closure)
    })
  })
})

/** Makes links a day and a minute old. */
function ageLinks(directory: string): void {
  const old = new Date(Date.now() - (24 * 60 + 1) * 60_000)
  for (const link of readdirSync(directory)) lutimesSync(join(directory, link), old, old)
}
