import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isThorough, sampleOf } from '@davit/testing/effort'
import type { Shell } from '@davit/testing/shells'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { builtInModules } from '../src/modules.ts'
import type { Outcome } from './scene.ts'
import { contentOf, type Stateful } from './stateful.ts'

type Now<T> = T | Promise<T>

/**
 * What a module of state has to give for its proofs. `Server` is what its services share, started once for a file; `Service` is a
 * component of it.
 */
export interface StateKind<Server, Service extends Stateful> {
  readonly module: string
  /** Why it cannot be tried here, if so. */
  readonly missing: string | undefined
  start(): Promise<Server>
  stop(server: Server): Promise<void>
  /** A service with some state of its own once it is activated; nothing is activated yet. */
  service(server: Server, shell: Shell, name: string): Service
  /** All of the state of an active service, as its users see it. */
  read(server: Server, service: Service): Now<string>
  /** Changes the state: another word gives another state. */
  change(server: Server, service: Service, word: string): Now<void>
  /** Everything that the server has of this service and of others: names of databases and accounts, files, and so on. */
  around(server: Server): Now<string>
  /** Spoils a snapshot, so that it cannot be loaded. */
  readonly unloadable: readonly (readonly [what: string, spoil: (snapshot: string) => void, message: RegExp])[]
  /** Makes what an activation finds and has not made itself. It is in use, and stays as `read` has it. */
  readonly theirs: readonly (readonly [what: string, make: (server: Server, service: Service) => Now<void>])[]
  /** Properties, or whatever else, with which the state cannot be replaced although the snapshot is good. */
  readonly failures: readonly (readonly [
    what: string,
    prepare: (server: Server, service: Service) => Now<Readonly<Record<string, string>>>,
  ])[]
  readonly leaks: readonly Leak<Server, Service>[]
  /** State of kinds that are easily forgotten. */
  readonly treasures: readonly Treasure<Server, Service>[]
  /** State of sizes and shapes that are easily read, and hard to load. */
  readonly burdens: readonly Treasure<Server, Service>[]
  /** State that is not saved: a snapshot is refused, or says what it leaves out. */
  readonly omissions: readonly Omission<Server, Service>[]
  /** Servers with settings that others have for good reasons. */
  readonly odd: readonly OddServer<Server>[]
}

/** What fails over content with a secret, for which SECRET stands in texts, and what is said instead: which error it was, and where. */
export type Leak<Server, Service> = { readonly what: string; readonly said: RegExp } & (
  | {
      readonly kind: 'seed' | 'end of a snapshot'
      readonly file: string
      readonly text: string
      readonly activity: string
    }
  | {
      readonly kind: 'other'
      /** Calls an activity of an active service. */
      fail(server: Server, service: Service, secret: string): Promise<Outcome>
    }
)

/** A new service that has this text in a file of its component. */
export function seeded(what: string, file: string, text: string, said: RegExp): Leak<unknown, unknown> {
  return { kind: 'seed', activity: 'activate', what, file, text, said }
}

/** A snapshot that has this text at the end of a file. */
export function restored(activity: string, file: string, text: string, said: RegExp): Leak<unknown, unknown> {
  return { kind: 'end of a snapshot', activity, what: `${activity} reads ${file}: ${said.source}`, file, text, said }
}

export interface Treasure<Server, Service> {
  readonly what: string
  make(server: Server, service: Service): Now<void>
  /** Where it is made: those with the same place are made in one service, in turn. */
  readonly place?: string
  /** How its users see it. */
  ask(server: Server, service: Service): Now<string>
}

export interface Omission<Server, Service> {
  readonly what: string
  make(server: Server, service: Service): Now<void>
  readonly status: 'refused' | 'left out'
  /** What names it, on standard output or standard error. */
  readonly said: RegExp
}

export interface OddServer<Server> {
  readonly what: string
  /** Starts one, or changes the settings of the shared one until `end` is called. */
  start(server: Server): Promise<{ readonly server: Server; end(): Now<void> }>
  /** What an activation is refused with, if it has to be. */
  readonly refused?: RegExp
}

const SECRET = 'Wahlgeheimnis'
const unchanged = { status: 0, stderr: '' }

/** Declares what has to hold for every module that keeps state: all of it in the first shell, and each operation once in the others. */
export function proveState<Server, Service extends Stateful>(
  kind: StateKind<Server, Service>,
  shells: readonly Shell[],
): void {
  const [first, ...others] = shells
  const scene: Scene<Server, Service> = {
    kind,
    shell: first!,
    server: undefined!,
    verifies: false,
    count: { services: 0 },
  }
  beforeAll(async () => {
    if (kind.missing !== undefined) return
    scene.verifies = (await builtInModules()).get(kind.module)!.activities.includes('verify')
    scene.server = await kind.start()
  })
  afterAll(async () => {
    if (kind.missing === undefined) await kind.stop(scene.server)
  })
  describe.skipIf(kind.missing)(`${kind.module} under ${scene.shell.name}`, () => {
    declareReplacing(scene)
    declareContent(scene)
    declareSaving(scene)
    declareOddServers(scene)
  })
  describe.skipIf(kind.missing).each(others)(`${kind.module} under $name`, (shell) => {
    test('does each operation, and nothing else', () => liveAndDie({ ...scene, shell }))
  })
}

interface Scene<Server, Service extends Stateful> {
  readonly kind: StateKind<Server, Service>
  readonly shell: Shell
  server: Server
  /** Whether the module has the activity `verify`. */
  verifies: boolean
  /** How many services there were. */
  readonly count: { services: number }
}

function declareReplacing<Server, Service extends Stateful>(scene: Scene<Server, Service>): void {
  const { kind } = scene
  describe('proves before it replaces', () => {
    describe('and keeps everything', () => {
      // What fails changes nothing, so one service is enough.
      let service: Service
      let snapshot: string
      let before: readonly string[]
      const [inDepth = []] = sampleOf(kind.unloadable, 1)
      beforeAll(async () => {
        service = await active(scene)
        await kind.change(scene.server, service, 'kept')
        snapshot = await service.snapshot()
        await kind.change(scene.server, service, 'new')
        before = await everything(scene, service)
      })
      afterAll(() => service.succeed('deactivate', 'collect-garbage'))

      test.each(kind.unloadable)('when a snapshot %s', async (what, spoil, message) => {
        const spoiled = service.copyOf(snapshot)
        spoil(spoiled)
        const isInDepth = isThorough || inDepth[0] === what
        for (const activity of isInDepth && scene.verifies ? ['restore', 'verify'] : ['restore']) {
          const { status, stderr } = await service.call(activity, { DAVIT_SNAPSHOT: service.copyOf(spoiled) })
          expect([activity, status === 0, stderr]).toEqual([activity, false, expect.stringMatching(message)])
          expect(await everything(scene, service)).toEqual(before)
        }
        if (!isInDepth) return
        await service.succeed('activate', 'status')
        expect(await everything(scene, service)).toEqual(before)
      })

      test.each(kind.failures)('when %s', async (_, prepare) => {
        const properties = await prepare(scene.server, service)
        const { status } = await service.call('restore', { DAVIT_SNAPSHOT: service.copyOf(snapshot), ...properties })
        expect(status).not.toBe(0)
        await service.succeed('activate', 'status')
        expect(await everything(scene, service)).toEqual(before)
      })
    })

    // An activation may refuse them as well.
    test.each(kind.theirs)('and makes nothing instead of %s', async (_, make) => {
      const service = unused(scene)
      await make(scene.server, service)
      const before = await kind.read(scene.server, service)
      for (const activity of ['activate', 'status', 'activate']) {
        await service.call(activity)
        expect(await kind.read(scene.server, service)).toBe(before)
      }
      await service.call('collect-garbage')
    })

    test('and verifies beside what there is', async (context) => {
      context.skip(!scene.verifies, 'the snapshots of this module are files')
      const service = await active(scene)
      await kind.change(scene.server, service, 'old')
      const snapshot = await service.snapshot()
      await kind.change(scene.server, service, 'new')
      const before = await everything(scene, service)
      expect(await verify(scene, service, snapshot)).toMatchObject(unchanged)
      expect(await everything(scene, service)).toEqual(before)
      await service.succeed('deactivate', 'collect-garbage')
      const nothing = await kind.around(scene.server)
      expect(await verify(scene, service, snapshot)).toMatchObject(unchanged)
      expect(await kind.around(scene.server)).toBe(nothing)
    })
  })
}

function declareContent<Server, Service extends Stateful>(scene: Scene<Server, Service>): void {
  // A snapshot that fails changes nothing, so one service is enough.
  const taken = once(async () => {
    const service = await active(scene)
    return { service, snapshot: await service.snapshot() }
  })
  describe.skipIf(scene.kind.leaks.length === 0)('prints no content', () => {
    test.each(scene.kind.leaks)('when $what', async (leak) => {
      const { service, outcome } = await failOver(scene, leak, taken)
      expect([outcome.status === 0, outcome.stderr]).toEqual([false, expect.stringMatching(leak.said)])
      expect(outcome.stdout + outcome.stderr + logsIn(service.directory)).not.toContain(SECRET)
    })
  })
}

async function failOver<Server, Service extends Stateful>(
  scene: Scene<Server, Service>,
  leak: Leak<Server, Service>,
  taken: () => Promise<{ readonly service: Service; readonly snapshot: string }>,
): Promise<{ readonly service: Service; readonly outcome: Outcome }> {
  if (leak.kind === 'other') {
    const service = await active(scene)
    const outcome = await leak.fail(scene.server, service, SECRET)
    await service.call('collect-garbage')
    return { service, outcome }
  }
  const text = leak.text.replaceAll('SECRET', SECRET)
  if (leak.kind === 'seed') {
    const service = unused(scene)
    service.write(join(service.component, leak.file), text)
    return { service, outcome: await service.call(leak.activity) }
  }
  const { service, snapshot } = await taken()
  const spoiled = service.copyOf(snapshot)
  appendFileSync(join(spoiled, leak.file), text)
  return { service, outcome: await service.call(leak.activity, { DAVIT_SNAPSHOT: spoiled }) }
}

function declareSaving<Server, Service extends Stateful>(scene: Scene<Server, Service>): void {
  const { treasures, burdens, omissions } = scene.kind
  const all = [...burdens, ...treasures]
  const saved = new Map(
    all.map(({ place }) => [
      place,
      once(() =>
        save(
          scene,
          all.filter((each) => each.place === place),
        ),
      ),
    ]),
  )
  const proveSaved = async ({ what, place }: Treasure<Server, Service>) => {
    const [before, after] = (await saved.get(place)?.())?.get(what) ?? []
    expect(before).toEqual(expect.any(String))
    expect(after).toBe(before)
  }
  const leftOut = once(() => nameLeftOut(scene))
  describe.skipIf(treasures.length + omissions.length === 0)('saves all or says what not', () => {
    test.each(treasures)('of $what', proveSaved)
    test.each(omissions)('of $what, which is $status', async (omission) => {
      const said = await (omission.status === 'refused' ? refusalOf(scene, omission) : leftOut())
      expect(said).toMatch(omission.said)
    })
  })
  describe.skipIf(burdens.length === 0)('restores where it was taken', () => {
    test.each(burdens)('$what', proveSaved)
  })
}

function declareOddServers<Server, Service extends Stateful>(scene: Scene<Server, Service>): void {
  describe.skipIf(scene.kind.odd.length === 0)('odd but ordinary servers', () => {
    test.each(sampleOf(scene.kind.odd, 2))('$what', async ({ start, refused }) => {
      const { server, end } = await start(scene.server)
      onTestFinished(end)
      await (refused === undefined
        ? liveAndDie({ ...scene, server, verifies: scene.verifies && isThorough })
        : proveRefused({ ...scene, server }, refused))
    })
  })
}

/** Makes all in one service, which is saved, dropped and restored; returns how the users see each, before and after. */
async function save<Server, Service extends Stateful>(
  scene: Scene<Server, Service>,
  treasures: readonly Treasure<Server, Service>[],
): Promise<ReadonlyMap<string, readonly [before: string, after: string]>> {
  const { kind, server } = scene
  const service = await active(scene)
  for (const treasure of treasures) await treasure.make(server, service)
  const seen = async () => Promise.all(treasures.map(async (each) => each.ask(server, service)))
  const before = await seen()
  const snapshot = await service.snapshot()
  const isVerified = isThorough || treasures[0]?.place === undefined
  expect(isVerified ? await verify(scene, service, snapshot) : unchanged).toMatchObject(unchanged)
  await service.succeed('deactivate', 'collect-garbage')
  // Whoever verifies a snapshot has loaded it aside, as before it replaces something: it need not be loaded so again.
  if (!scene.verifies) await service.succeed('activate')
  expect(await service.restore(snapshot)).toMatchObject(unchanged)
  const after = await seen()
  expect(contentOf(await service.snapshot())).toEqual(contentOf(snapshot))
  await service.succeed('deactivate', 'collect-garbage')
  expect(await kind.around(server)).not.toContain(basename(service.component))
  return new Map(treasures.map(({ what }, n) => [what, [before[n] ?? '', after[n] ?? '']]))
}

/** What is said of all that a snapshot leaves out, which is made in one service. */
async function nameLeftOut<Server, Service extends Stateful>(scene: Scene<Server, Service>): Promise<string> {
  const leftOut = scene.kind.omissions.filter(({ status }) => status === 'left out')
  const { status, said } = await snapshotWith(scene, leftOut)
  expect([status, said]).toEqual([0, said])
  return said
}

async function refusalOf<Server, Service extends Stateful>(
  scene: Scene<Server, Service>,
  omission: Omission<Server, Service>,
): Promise<string> {
  const { status, said } = await snapshotWith(scene, [omission])
  expect(status).not.toBe(0)
  return said
}

async function snapshotWith<Server, Service extends Stateful>(
  scene: Scene<Server, Service>,
  omissions: readonly Omission<Server, Service>[],
): Promise<{ readonly status: number | null; readonly said: string }> {
  const service = await active(scene)
  for (const { make } of omissions) await make(scene.server, service)
  const { status, stdout, stderr } = await service.call('snapshot', { DAVIT_SNAPSHOT: service.make('linked') })
  expect(await service.call('collect-garbage')).toMatchObject({ status: 0 })
  return { status, said: stdout + stderr }
}

async function proveRefused<Server, Service extends Stateful>(scene: Scene<Server, Service>, message: RegExp) {
  const before = await scene.kind.around(scene.server)
  const { status, stderr } = await unused(scene).call('activate')
  expect([status === 0, stderr]).toEqual([false, expect.stringMatching(message)])
  expect(await scene.kind.around(scene.server)).toBe(before)
}

/** The life of a service, with every activity that a module of state has. */
async function liveAndDie<Server, Service extends Stateful>(scene: Scene<Server, Service>): Promise<void> {
  const { kind, server } = scene
  const nothing = await kind.around(server)
  const service = await active(scene)
  await kind.change(server, service, 'old')
  const old = await kind.read(server, service)
  await service.succeed('activate', 'status')
  expect(await kind.read(server, service)).toBe(old)
  const snapshot = await service.snapshot()
  await kind.change(server, service, 'new')
  const changed = await kind.read(server, service)
  expect(changed).not.toBe(old)
  expect(await verify(scene, service, snapshot)).toMatchObject(unchanged)
  expect(await kind.read(server, service)).toBe(changed)
  for (let n = 0; n < (isThorough ? 2 : 1); n++) {
    expect(await service.restore(snapshot)).toMatchObject(unchanged)
    expect(await kind.read(server, service)).toBe(old)
    expect(contentOf(await service.snapshot())).toEqual(contentOf(snapshot))
  }
  await service.succeed('deactivate', 'activate', 'status')
  for (const [, spoil] of kind.unloadable.slice(0, 1)) {
    spoil(snapshot)
    expect((await service.restore(snapshot)).status).not.toBe(0)
    expect(await kind.read(server, service)).toBe(old)
  }
  await service.succeed('deactivate', 'collect-garbage', 'collect-garbage')
  expect(await kind.around(server)).toBe(nothing)
}

/** Services of different tests have different names. */
function unused<Server, Service extends Stateful>(scene: Scene<Server, Service>): Service {
  scene.count.services += 1
  return scene.kind.service(scene.server, scene.shell, `Proof${scene.count.services}_${scene.shell.name}`)
}

async function active<Server, Service extends Stateful>(scene: Scene<Server, Service>): Promise<Service> {
  const service = unused(scene)
  await service.succeed('activate')
  return service
}

/** Verifies a snapshot, if the module can. */
async function verify<Server, Service extends Stateful>(
  scene: Scene<Server, Service>,
  service: Service,
  snapshot: string,
): Promise<Outcome> {
  if (!scene.verifies) return { status: 0, stdout: '', stderr: '' }
  return service.call('verify', { DAVIT_SNAPSHOT: service.copyOf(snapshot) })
}

/** Does something for whoever asks first. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined
  return () => (made ??= make())
}

async function everything<Server, Service extends Stateful>(scene: Scene<Server, Service>, service: Service) {
  return [await scene.kind.read(scene.server, service), await scene.kind.around(scene.server)]
}

/** What the module has written to its logs. */
function logsIn(directory: string): string {
  const entries = readdirSync(join(directory, 'log'), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}
