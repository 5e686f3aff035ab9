import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { SnapshotMapping, StorePath } from '@davit/documents'
import { DYSNOMIA_MODULES } from '@davit/testing/dysnomia'
import { shellsInDepth } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import {
  type ActivityDefinition,
  cleanSnapshots,
  copySnapshot,
  listSnapshots,
  type Machine,
  performActivity,
  performStateActivity,
  type SnapshotStore,
  type StateRequest,
} from '../src/target.ts'
import { closeScenes, Scene, SERVICE } from './scene.ts'

afterAll(closeScenes)

const SUCCEEDED = { kind: 'succeeded' }
const COMPONENT = { container: 'process', component: 'web' }
const { signal } = new AbortController()

/** A machine with a component whose module follows the protocol of Dysnomia. */
class Original {
  readonly scene: Scene
  readonly store: SnapshotStore
  readonly properties = new Map<string, string>()
  readonly #machine: Machine<'state'>

  private constructor(scene: Scene, machine: Machine<'state'>, style: keyof typeof DYSNOMIA_MODULES) {
    this.scene = scene
    this.#machine = machine
    this.store = { machine, place: 'targets/t1' }
    // Whoever takes the lock of a target makes its directory, to which others have access.
    chmodSync(scene.directory, 0o755)
    mkdirSync(scene.path('state/targets/t1'), { recursive: true })
    writeFileSync(scene.path('module'), DYSNOMIA_MODULES[style], { mode: 0o755 })
    mkdirSync(this.pkg, { recursive: true })
    writeFileSync(join(this.pkg, 'seed'), 'seed\n')
  }

  static async open(shell: Parameters<typeof Scene.open>[0], style: keyof typeof DYSNOMIA_MODULES): Promise<Original> {
    const scene = await Scene.open(shell)
    return new Original(scene, await scene.machineFor('state'), style)
  }

  get pkg(): StorePath {
    return this.scene.path('store/0123456789abcdfghijklmnpqrsvwxyz-web') as StorePath
  }

  /** Path of what the component keeps. */
  data(name: string): string {
    return this.scene.path(`base/web/${name}`)
  }

  /** Path in the store of snapshots. */
  path(name: string): string {
    return this.scene.path(`state/targets/t1/dysnomia/${name}`)
  }

  get #definition(): ActivityDefinition {
    const properties = new Map([['base', this.scene.path('base')], ...this.properties])
    return { service: { ...SERVICE, pkg: this.pkg }, module: this.scene.path('module'), properties }
  }

  /** Activates or deactivates it as a service whose state does not move, unless that is asked for. */
  async call(activity: 'activate' | 'deactivate', component?: string) {
    const definition = { ...this.#definition, ...(component === undefined ? {} : { component }) }
    return performActivity(this.scene.machine, { ...this.scene.request(activity), definition })
  }

  async perform(activity: StateRequest['activity'], snapshot?: string) {
    const { profile, mapping } = this.scene
    const state: SnapshotMapping = { ...mapping, component: 'web' }
    return performStateActivity(this.#machine, {
      activity,
      profile,
      token: undefined,
      mapping: state,
      definition: this.#definition,
      compressor: 'gzip',
      snapshot,
    })
  }

  async names(): Promise<readonly string[]> {
    return (await listSnapshots(this.store, COMPONENT)).map(({ name }) => name)
  }
}

describe.each(shellsInDepth())('modules of Dysnomia on a machine with $name', (shell) => {
  test('find and keep their state by themselves, as another user as well', async () => {
    const original = await Original.open(shell, 'dumping')
    original.properties.set('snapshotReader', 'nobody')
    expect(await original.call('activate', 'web')).toEqual(SUCCEEDED)
    expect(await original.perform('snapshot')).toEqual(SUCCEEDED)
    expect(await original.perform('snapshot')).toEqual(SUCCEEDED)
    writeFileSync(original.data('rows'), 'changed\n')
    expect(await original.perform('snapshot')).toEqual(SUCCEEDED)
    const names = await original.names()
    expect(names).toHaveLength(2)
    writeFileSync(original.data('rows'), 'lost\n')
    expect(await original.perform('restore')).toEqual(SUCCEEDED)
    expect(readFileSync(original.data('rows'), 'utf8')).toBe('changed\n')
    expect(await original.perform('restore', names[0])).toEqual(SUCCEEDED)
    expect(readFileSync(original.data('rows'), 'utf8')).toBe('seed\n')
    // Another user reads the snapshot only while it is restored, and nothing else.
    expect(readdirSync(original.path('../restoring'))).toEqual([])
    expect([original.path('../restoring'), original.path('.')].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o711, 0o700,
    ])
  })

  test('delete their state only when it is garbage', async () => {
    const original = await Original.open(shell, 'dumping')
    await original.call('activate', 'web')
    expect(await original.perform('collect-garbage')).toEqual(SUCCEEDED)
    expect(existsSync(original.data('rows'))).toBe(true)
    expect(await original.call('deactivate', 'web')).toEqual(SUCCEEDED)
    expect(await original.perform('collect-garbage')).toEqual(SUCCEEDED)
    expect(existsSync(original.data('rows'))).toBe(false)
    expect([readdirSync(original.path('activated/process')), readdirSync(original.path('garbage/process'))]).toEqual([
      [],
      [],
    ])
  })

  test('deactivate what could not be activated', async () => {
    const original = await Original.open(shell, 'dumping')
    writeFileSync(join(original.pkg, 'fail'), '')
    expect(await original.call('activate')).toMatchObject({ kind: 'failed' })
    expect(await original.call('deactivate')).toEqual(SUCCEEDED)
  })

  test('leave no marker of a service that has no state', async () => {
    const original = await Original.open(shell, 'stateless')
    expect(await original.call('activate')).toEqual(SUCCEEDED)
    expect(existsSync(original.path('activated/process/web'))).toBe(true)
    expect(await original.call('deactivate')).toEqual(SUCCEEDED)
    expect([existsSync(original.path('activated/process/web')), existsSync(original.path('garbage'))]).toEqual([
      false,
      false,
    ])
  })

  test('have snapshots that travel with their directories and checksums, and are damaged for all to see', async () => {
    const [here, there] = [await Original.open(shell, 'numbered'), await Original.open(shell, 'numbered')]
    await Promise.all([here.call('activate', 'web'), there.call('activate', 'web')])
    writeFileSync(here.data('tree/deep/a file'), 'deep')
    writeFileSync(here.data('number'), '12\n')
    expect(await here.perform('snapshot')).toEqual(SUCCEEDED)
    const [snapshot] = await listSnapshots(here.store, COMPONENT)
    await copySnapshot(here.store, [{ store: there.store }], { snapshot: snapshot!, signal })
    expect(readFileSync(there.path('checksums/process/web/12'), 'utf8')).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(await there.perform('restore')).toEqual(SUCCEEDED)
    expect(readFileSync(there.data('tree/deep/a file'), 'utf8')).toBe('deep')
    writeFileSync(there.path('snapshots/process/web/12/tree/deep/a file'), 'dear')
    expect(await there.perform('restore')).toMatchObject({
      kind: 'failed',
      log: expect.stringContaining("the snapshot '12' is damaged: its checksum does not fit"),
    })
    expect(readFileSync(there.data('tree/deep/a file'), 'utf8')).toBe('deep')
    await cleanSnapshots(there.store, () => true, { keep: 0, mode: 'remove' })
    expect(readdirSync(there.path('checksums/process/web'))).toEqual([])
  })

  test('are not disturbed while they change the store', async () => {
    const original = await Original.open(shell, 'dumping')
    await original.call('activate', 'web')
    await original.perform('snapshot')
    const orphan = original.path('snapshots/process/web/orphan')
    const taking = `: >"$D/begun"; mkdir '${orphan}'; hold`
    original.scene.module(taking)
    const activity = original.perform('snapshot')
    await until(() => expect(existsSync(orphan)).toBe(true))
    const clean = () => cleanSnapshots(original.store, () => true, { keep: 0, mode: 'remove' })
    await clean()
    expect([existsSync(orphan), (await original.names()).length]).toEqual([true, 1])
    original.scene.write('go')
    expect(await activity).toEqual(SUCCEEDED)
    await clean()
    expect([existsSync(orphan), await original.names()]).toEqual([false, []])
  })
})
