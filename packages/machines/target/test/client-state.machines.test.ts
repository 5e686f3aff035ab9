import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { DYSNOMIA_MODULES } from '@davit/testing/dysnomia'
import { notingShells, type Shell } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import {
  cleanSnapshots,
  copySnapshot,
  findSnapshot,
  listSnapshots,
  type Machine,
  performActivity,
  performStateActivity,
  type SnapshotStore,
  type StateRequest,
  verifySnapshot,
} from '../src/target.ts'
import { ClientScene, closeClientScenes } from './client-scene.ts'
import { Keeper } from './keeper.ts'
import { closeScenes } from './scene.ts'
import { testCalls } from './functions.ts'

afterAll(() => {
  closeClientScenes()
  closeScenes()
})

const SUCCEEDED = { kind: 'succeeded' }
const COMPONENT = { container: 'process', component: 'web' }
const { signal } = new AbortController()

/** A component with state on a machine behind a client executable, whose module is one of Dysnomia. */
class Far {
  readonly scene: ClientScene
  readonly store: SnapshotStore
  readonly #deploy: Machine
  readonly #state: Machine<'state'>

  private constructor(scene: ClientScene, deploy: Machine, state: Machine<'state'>) {
    this.scene = scene
    this.#deploy = deploy
    this.#state = state
    this.store = { machine: state, place: 'targets/t1' }
    scene.type(
      'web-type',
      DYSNOMIA_MODULES.dumping.replace(
        'begin "$@"',
        `base='${scene.there('base')}'; NIX_STORE_DIR='${join(scene.pkg, '..')}'; begin "$@"`,
      ),
    )
    writeFileSync(join(scene.pkg, 'seed'), 'seed\n')
  }

  static async open(shell: Shell): Promise<Far> {
    const scene = new ClientScene(shell)
    return new Far(scene, await scene.machine('deploy'), await scene.machine('state'))
  }

  get rows(): string {
    return readFileSync(this.scene.there('base/web/rows'), 'utf8')
  }

  set rows(text: string) {
    mkdirSync(this.scene.there('base/web'), { recursive: true })
    writeFileSync(this.scene.there('base/web/rows'), text)
  }

  async call(activity: 'activate' | 'deactivate') {
    const { profile, mapping, definition } = this.scene
    const moving = { ...definition, component: 'web' }
    return performActivity(this.#deploy, { profile, token: '-', mapping, activity, definition: moving })
  }

  async perform(activity: StateRequest['activity'], snapshot?: string) {
    const { profile, state, definition } = this.scene
    const terms = { profile, token: undefined, definition, compressor: 'gzip', snapshot } as const
    return performStateActivity(this.#state, { ...terms, activity, mapping: state })
  }

  async verify() {
    const { profile, state, definition } = this.scene
    const snapshot = (await this.names()).at(-1) ?? ''
    const terms = { profile, token: undefined, definition, compressor: 'gzip', snapshot } as const
    return verifySnapshot(this.#state, { ...terms, mapping: state })
  }

  async names(): Promise<readonly string[]> {
    return (await listSnapshots(this.store, COMPONENT)).map(({ name }) => name)
  }
}

async function copyLatest(from: SnapshotStore, to: SnapshotStore): Promise<void> {
  const snapshot = await findSnapshot(from, COMPONENT)
  await copySnapshot(from, [{ store: to }], { snapshot: snapshot!, signal })
}

describe.each(notingShells())('state on a machine behind a client executable, with $name here', (shell) => {
  test('is only compared when it is verified, as the client cannot load it aside', async () => {
    const far = await Far.open(shell)
    expect(await far.call('activate')).toEqual(SUCCEEDED)
    far.rows = 'first\n'
    expect(await far.perform('snapshot')).toEqual(SUCCEEDED)
    far.rows = 'second\n'
    expect(await far.verify()).toEqual({ kind: 'verified', how: 'content' })
    expect(far.rows).toBe('second\n')
    const [name = ''] = await far.names()
    const { stateDirectory } = far.store.machine.facts
    const file = join(stateDirectory, 'targets/t1/dysnomia/snapshots/process/web', name)
    for (const one of readdirSync(file)) writeFileSync(join(file, one), 'altered\n')
    expect(await far.verify()).toMatchObject({ kind: 'refuted', message: 'it is damaged' })
  })

  test('is saved here, restored, and deleted when it is not in use', async () => {
    const far = await Far.open(shell)
    expect(await far.call('activate')).toEqual(SUCCEEDED)
    for (const text of ['first\n', 'first\n', 'second\n']) {
      far.rows = text
      expect(await far.perform('snapshot')).toEqual(SUCCEEDED)
    }
    const names = await far.names()
    expect(names).toHaveLength(2)
    far.rows = 'lost\n'
    expect(await far.perform('restore')).toEqual(SUCCEEDED)
    expect(far.rows).toBe('second\n')
    expect(await far.perform('restore', names[0])).toEqual(SUCCEEDED)
    expect(far.rows).toBe('first\n')
    expect(await far.perform('collect-garbage')).toEqual(SUCCEEDED)
    expect(far.rows).toBe('first\n')
    expect(await far.call('deactivate')).toEqual(SUCCEEDED)
    expect(await far.perform('collect-garbage')).toEqual(SUCCEEDED)
    expect(() => far.rows).toThrow('ENOENT')
  })

  test.runIf(shell.inDepth)('moves from one such machine to another', async () => {
    const [first, second] = [await Far.open(shell), await Far.open(shell)]
    for (const far of [first, second]) expect(await far.call('activate')).toEqual(SUCCEEDED)
    first.rows = 'moved\n'
    expect(await first.perform('snapshot')).toEqual(SUCCEEDED)
    await copyLatest(first.store, second.store)
    second.scene.calls()
    expect(await second.perform('restore')).toEqual(SUCCEEDED)
    expect(second.rows).toBe('moved\n')
    expect(second.scene.calls().map((call) => /--[a-z-]+/.exec(call)?.[0])).toEqual([
      '--print-missing-snapshots',
      '--import-snapshots',
      '--restore',
    ])
    // What is there already is not sent again.
    expect(await second.perform('restore')).toEqual(SUCCEEDED)
    expect(second.scene.calls().join('\n')).toContain('--import-snapshots @ --remotefile')
  })

  test('moves to a machine of davit and back', async () => {
    const far = await Far.open(shell)
    const keeper = await Keeper.open(shell)
    keeper.scene.module(`case $1 in
      snapshot) gzip -nc "$D/data/rows" >"$DAVIT_SNAPSHOT/dump.gz" ;;
      restore) gzip -dc "$DAVIT_SNAPSHOT/dump.gz" >"$D/data/rows" ;;
    esac`)
    await far.call('activate')
    far.rows = 'there\n'
    expect(await far.perform('snapshot')).toEqual(SUCCEEDED)
    await copyLatest(far.store, keeper.store)
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
    expect(readFileSync(keeper.path('rows'), 'utf8')).toBe('there\n')
    writeFileSync(keeper.path('rows'), 'and back\n')
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    await copyLatest(keeper.store, far.store)
    expect(await far.perform('restore')).toEqual(SUCCEEDED)
    expect(far.rows).toBe('and back\n')
  })

  test('is cleaned here and there', async () => {
    const far = await Far.open(shell)
    await far.call('activate')
    for (const text of ['first\n', 'second\n']) {
      far.rows = text
      await far.perform('snapshot')
    }
    far.scene.calls()
    await cleanSnapshots(far.store, () => true, { keep: 1, mode: 'dry-run' })
    expect(far.scene.calls()).toEqual([])
    await cleanSnapshots(far.store, () => true, { keep: 1, mode: 'remove' })
    expect(far.scene.calls()).toEqual(['--clean-snapshots @ --keep 1 --container process --component web'])
    expect([(await far.names()).length, readdirSync(far.scene.there('dysnomia/generations/process/web'))]).toEqual([
      1,
      ['2'],
    ])
  })

  test('is not saved if the client does not bring it', async () => {
    const far = await Far.open(shell)
    await far.call('activate')
    far.scene.spoil(`[ "$operation" != export-snapshots ] || { mktemp -d "$D/empty.XXXXXX"; exit; }`)
    expect(await far.perform('snapshot')).toMatchObject({
      kind: 'failed',
      log: expect.stringContaining('has not brought the snapshot'),
    })
    expect(await far.names()).toEqual([])
    far.scene.spoil(`[ "$operation" != query-latest-snapshot ] || { echo process/web/-rf; exit; }`)
    expect(await far.perform('snapshot')).toMatchObject({
      kind: 'failed',
      log: expect.stringContaining("names the latest snapshot 'process/web/-rf'"),
    })
    for (const name of ['process/web/', 'other/web/1', 'process/web/1/2', 'process/web/1\\nprocess/web/2', '1', '..']) {
      far.scene.spoil(`[ "$operation" != query-latest-snapshot ] || { printf '%b\\n' '${name}'; exit; }`)
      expect([name, await far.perform('snapshot')]).toMatchObject([
        name,
        { kind: 'failed', log: expect.stringContaining('names the latest snapshot') },
      ])
    }
    expect(await far.names()).toEqual([])
  })

  test.runIf(shell.inDepth)('is saved without loss of what the client names in place of a copy', async () => {
    const far = await Far.open(shell)
    await far.call('activate')
    far.scene.spoil(`[ "$operation" != export-snapshots ] || { echo "\${1%/*}"; exit; }`)
    expect(await far.perform('snapshot')).toEqual(SUCCEEDED)
    const [name = ''] = await far.names()
    expect(readdirSync(far.scene.there('dysnomia/snapshots/process/web'))).toEqual([name])
    // Somebody else's files beside the copy stay.
    far.rows = 'second\n'
    far.scene.spoil(`[ "$operation" != export-snapshots ] || { cp -R "$1" "$D/base/"; echo "$D/base"; exit; }`)
    expect(await far.perform('snapshot')).toEqual(SUCCEEDED)
    expect(readdirSync(far.scene.there('base'))).toEqual(['web'])
    far.rows = 'third\n'
    far.scene.spoil(`[ "$operation" != export-snapshots ] || { cd "$D"; cp -R "$1" "$D/"; echo .; exit; }`)
    expect(await far.perform('snapshot')).toMatchObject({
      kind: 'failed',
      log: expect.stringContaining('has not brought the snapshot'),
    })
  })

  testCalls(shell, 'client-state')
})
