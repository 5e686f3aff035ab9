import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { chosen, isThorough, sampleOf } from '@davit/testing/effort'
import type { Shell } from '@davit/testing/shells'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { DatabaseKind, DatabaseServer } from './database-kinds.ts'
import { Database, watchArguments } from './database.ts'
import { scratchPath, shippedModule } from './scene.ts'
import { contentOf, exampleOf } from './stateful.ts'

const unchanged = { status: 0, stderr: '' }

/** Registers the scenarios that all databases have in common, for one kind, with a server that is there once tests begin. */
export function testDatabase<Server>(
  kind: DatabaseKind<Server>,
  shells: readonly Shell[],
  started: () => Server,
): void {
  const { module, hello } = kind
  const inDepth = shells.filter((shell) => shell.inDepth)
  const others = shells.filter((shell) => !shell.inDepth)
  let server: DatabaseServer

  beforeAll(() => {
    if (kind.missing === undefined) server = kind.use(started())
  })

  // Quoting is what shells differ in, so one of the others is with it, in turn.
  describe.skipIf(kind.missing).each([...inDepth, ...sampleOf(others, 1)])(`${module} under $name`, (shell) => {
    test('takes any name and any password, and shows the password to nobody', async () => {
      const { properties, passwordProperty, password, refusal, cause, option } = server.login(shell)
      const shop = database(shell, kind.oddName, { '-a $b': kind.slow }, properties)
      const argumentsSeen = watchArguments()
      await shop.succeed('activate', 'activate')
      const seen = argumentsSeen()
      expect(seen).toContain(option)
      expect(seen).not.toContain(password)
      expect(server.databases()).toEqual([shop.name])
      const snapshot = await shop.snapshot()
      await server.insert(shop.name, 2, 'more')
      expect(await shop.restore(snapshot)).toMatchObject(unchanged)
      expect(server.ask(shop.name)).toBe('Hello world\n')
      await shop.succeed('collect-garbage')
      expect(server.databases()).toEqual([])
      const { status, stderr } = await shop.call('activate', { [passwordProperty]: `${password}?` })
      expect([status, stderr]).toEqual([1, expect.stringContaining(refusal)])
      expect(stderr).toMatch(cause)
      expect(stderr).not.toContain(password)
    })

    test.each(kind.failing)('leaves nothing of a database that gets %j', async (seed, message) => {
      const shop = database(shell, 'failing', { 10: hello, 2: seed })
      const { status, stderr } = await shop.call('activate')
      expect([status, stderr]).toEqual([1, expect.stringMatching(message)])
      expect(server.databases()).toEqual([])
      expect(recordsOf(shop)).toEqual([])
      shop.write(join(shop.component, `${kind.seeds}/2.sql`), kind.second)
      await shop.succeed('activate')
      expect(server.ask(shop.name)).toBe('Hello world\nsecond\n')
      await shop.succeed('collect-garbage')
    })

    test('says that the server is down, and where it was looked for', async () => {
      const [properties, message] = kind.down
      const shop = database(shell, 'down', {}, { ...properties, timeout: '0' })
      for (const activity of ['activate', 'snapshot', 'restore', 'collect-garbage', 'status']) {
        const { status, stderr } = await shop.call(activity, { DAVIT_SNAPSHOT: shop.directory })
        expect([status, stderr]).toEqual([1, expect.stringMatching(message)])
      }
      await shop.succeed('deactivate')
    })
  })

  // In the other shells, the proofs of the module call every activity.
  describe.skipIf(kind.missing).each(inDepth)(`${module} in depth`, (shell) => {
    test('keeps the rows from the first activation until the garbage is collected', async () => {
      const shop = database(shell, 'shop', { 1: hello })
      expect(await shop.call('status')).toMatchObject({ status: 1, stderr: expect.stringContaining('is absent') })
      await shop.succeed('activate', 'activate', 'status')
      expect(server.ask(shop.name)).toBe('Hello world\n')
      const first = await shop.snapshot()
      expect(readdirSync(first)).toEqual(kind.snapshotFiles)
      await server.insert(shop.name, 2, 'changed')
      const second = await shop.snapshot()
      expect(contentOf(second)).not.toEqual(contentOf(first))
      await shop.succeed('deactivate', 'deactivate', 'activate', 'deactivate')
      expect(server.ask(shop.name)).toBe('Hello world\nchanged\n')
      await shop.succeed('collect-garbage', 'collect-garbage', 'deactivate')
      expect(server.databases()).toEqual([])
      await shop.succeed('activate')
      expect(server.ask(shop.name)).toBe('Hello world\n')
      await server.extend(shop.name)
      expect(await shop.restore(second)).toMatchObject(unchanged)
      expect(server.ask(shop.name)).toBe('Hello world\nchanged\n')
      expect(contentOf(await shop.snapshot())).toEqual(contentOf(second))
      await shop.succeed('status', 'collect-garbage')
      expect(server.databases()).toEqual([])
    })

    const LATER = 'Hello world\nsnapshot\nlater\n'
    const killed: readonly [string, readonly string[]][] = [
      ['activate', ['Hello world\n']],
      ['restore', [LATER, 'Hello world\nsnapshot\n']],
      ['collect-garbage', [LATER, 'Hello world\n']],
    ]
    test.each(killed)('is old or new after %s was killed anywhere', async (activity, outcomes) => {
      const shop = database(shell, `killed ${activity}`, { 1: hello })
      await shop.succeed('activate')
      await server.insert(shop.name, 2, 'snapshot')
      const snapshot = await shop.snapshot()
      const step = isThorough ? 1 : kind.step
      for (let n = 1 + chosen(step, 'points of a database'), done = false; !done; n += step) {
        if (activity === 'activate') await shop.succeed('collect-garbage')
        else await insertMissing(shop)
        done = (await shop.killed(activity, n, { DAVIT_SNAPSHOT: shop.copyOf(snapshot) })).status === 0
        expect(n).toBeLessThan(100)
        const isMade = (await shop.call('status')).status === 0
        expect(isMade ? outcomes : ['']).toContain(isMade ? server.ask(shop.name) : '')
        await shop.succeed('activate', 'status')
        expect(outcomes).toContain(server.ask(shop.name))
        const own = server.databases().filter((name) => name === shop.name || name.startsWith('davit-'))
        expect(own).toEqual([shop.name])
        expect(recordsOf(shop)).toEqual([])
      }
      expect(await shop.restore(snapshot)).toMatchObject({ status: 0 })
      expect(server.ask(shop.name)).toBe('Hello world\nsnapshot\n')
      await shop.succeed('collect-garbage')
    })

    describe('keeps what it has', () => {
      // What fails changes nothing, so one database is enough.
      let shop: Database
      beforeAll(async () => {
        shop = database(shell, 'unharmed', { 1: hello })
        await shop.succeed('activate')
        await server.insert(shop.name, 2, 'kept')
      })
      afterAll(() => shop.succeed('status', 'collect-garbage'))

      test.each(kind.broken)('when a snapshot %s', async (_, files, message) => {
        const { status, stderr } = await shop.restore(shop.handMade(files))
        expect([status, stderr]).toEqual([1, expect.stringMatching(message)])
        expect(stderr).toContain(`${module}: `)
        expect(server.ask(shop.name)).toBe('Hello world\nkept\n')
        const nothing = database(shell, 'nothing', {})
        expect(await nothing.restore(nothing.handMade(files))).toMatchObject({ status: 1 })
        expect(server.databases()).not.toContain(nothing.name)
      })
    })

    test('makes the database of the example', async () => {
      const [name, query, answer] = kind.example
      const directory = scratchPath({})
      chmodSync(directory, 0o755)
      expect(spawnSync('sh', ['-e'], { cwd: directory, input: exampleOf(module) }).status).toBe(0)
      const shop = database(shell, 'unused', {})
      const argv = (activity: string) => [shippedModule(module), activity, join(directory, name)]
      expect(await shop.run(argv('activate'), shop.properties)).toMatchObject(unchanged)
      expect(server.ask(name, query)).toMatch(answer)
      expect(await shop.run(argv('collect-garbage'), shop.properties)).toMatchObject({ status: 0 })
    })
  })

  /** The database of a test: names of different shells differ. */
  function database(
    shell: Shell,
    name: string,
    seeds: Readonly<Record<string, string>>,
    properties: Readonly<Record<string, string>> = {},
  ): Database {
    return new Database(shell, module, {
      name: `${name}_${shell.name}`,
      seeds: Object.fromEntries(Object.entries(seeds).map(([file, text]) => [`${kind.seeds}/${file}.sql`, text])),
      properties: { ...server.properties(shell), ...properties },
    })
  }

  /** Has all rows again that a killed activity may have replaced, without what a restore costs. */
  async function insertMissing(shop: Database): Promise<void> {
    const words = server.ask(shop.name)
    if (!words.includes('snapshot\n')) await server.insert(shop.name, 2, 'snapshot')
    if (!words.includes('later\n')) await server.insert(shop.name, 3, 'later')
  }

  /** What the module keeps for itself. */
  function recordsOf(shop: Database): readonly string[] {
    const directory = join(shop.directory, 'run', module, module, shop.name)
    return existsSync(directory) ? readdirSync(directory) : []
  }
}
