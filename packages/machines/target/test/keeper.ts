import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { SnapshotMapping } from '@davit/documents'

import {
  listSnapshots,
  type Machine,
  performStateActivity,
  type SnapshotStore,
  type StateRequest,
} from '../src/target.ts'
import { Scene, SERVICE } from './scene.ts'

const STATEFUL = `case $1 in
  snapshot) ln -s "$D/data" "$DAVIT_SNAPSHOT/state" ;;
  restore) rm -rf "$D/data" && mv "$DAVIT_SNAPSHOT/state" "$D/data" ;;
  collect-garbage) rm -rf "$D/data" ;;
esac`

/** A scene with a component whose state is the directory `data`. */
export class Keeper {
  readonly scene: Scene
  readonly machine: Machine<'state'>
  readonly store: SnapshotStore
  readonly component = { container: 'process', component: 'web' }

  private constructor(scene: Scene, machine: Machine<'state'>) {
    this.scene = scene
    this.machine = machine
    this.store = { machine, place: 'targets/t1' }
    this.repair()
    mkdirSync(this.data)
    this.mark('activated')
  }

  static async open(...terms: Parameters<typeof Scene.open>): Promise<Keeper> {
    const scene = await Scene.open(...terms)
    return new Keeper(scene, await scene.machineFor('state'))
  }

  /** Writes the module that works. */
  repair(): void {
    this.scene.module(STATEFUL)
  }

  get data(): string {
    return this.scene.path('data')
  }

  /** Marks the state as in use, or as garbage. */
  mark(kind: 'activated' | 'garbage'): void {
    mkdirSync(join(this.snapshots, kind, 'process'), { recursive: true })
    writeFileSync(join(this.snapshots, kind, 'process/web'), '')
  }

  path(name: string): string {
    return join(this.data, name)
  }

  get snapshots(): string {
    return this.scene.path('state/targets/t1/dysnomia')
  }

  request(activity: StateRequest['activity'], more: Partial<StateRequest> = {}): StateRequest {
    const { profile, mapping } = this.scene
    const state: SnapshotMapping = { ...mapping, component: 'web' }
    const definition = { service: SERVICE, module: this.scene.path('module'), properties: new Map() }
    return { activity, profile, token: undefined, mapping: state, definition, compressor: 'zstd', ...more }
  }

  async perform(activity: StateRequest['activity'], more?: Partial<StateRequest>) {
    return performStateActivity(this.machine, this.request(activity, more))
  }

  async names(): Promise<readonly string[]> {
    return (await listSnapshots(this.store, this.component)).map(({ name }) => name)
  }
}

/** Paths, kinds, link targets and contents below a directory. */
export function treeOf(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const content = entry.isFile() ? readFileSync(path, 'utf8') : entry.isSymbolicLink() ? readlinkSync(path) : ''
      return `${path.slice(directory.length)} ${entry.isSymbolicLink()} ${entry.isDirectory()} ${content}`
    })
    .toSorted()
}
