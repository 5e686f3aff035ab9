import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import type {
  ContainerName,
  ManifestService,
  ProfileName,
  ServiceKey,
  ServiceMapping,
  ServiceName,
  StorePath,
  TargetName,
} from '@davit/documents'
import { type ShellConnection, type ShellSurroundings, shellConnection } from '@davit/connection/testing'
import type { Shell } from '@davit/testing/shells'

import {
  type ActivityRequest,
  type ActivityResult,
  type Machine,
  openMachine,
  performActivity,
  type Role,
} from '../src/target.ts'

/** A service without dependencies. */
export const SERVICE: ManifestService = {
  name: 'web' as ServiceName,
  pkg: '/store/00000000000000000000000000000000-web' as StorePath,
  type: 'module',
  dependsOn: [],
  connectsTo: [],
  providesContainers: new Map(),
}

/** A machine whose shell is a given one, with modules that tests write, and activities of one mapping, `process:key` on `t1`. */
export class Scene {
  readonly directory: string
  readonly profile = 'default' as ProfileName
  readonly mapping: ServiceMapping = {
    target: 't1' as TargetName,
    service: 'key' as ServiceKey,
    container: 'process' as ContainerName,
  }
  /** Directory of the mapping's record. */
  readonly record: string
  readonly connection: ShellConnection
  readonly machine: Machine
  readonly #others: Pick<Machine, 'close'>[] = []

  private constructor(connection: ShellConnection, machine: Machine, directory: string) {
    this.connection = connection
    this.machine = machine
    this.directory = directory
    this.record = join(directory, 'state/targets/t1/active/default/process:key')
  }

  /** Opens a scene, which is closed after the tests of the file. */
  static async open(shell: Shell, surroundings?: ShellSurroundings, within = tmpdir()): Promise<Scene> {
    const directory = mkdtempSync(join(within, 'davit-scene-'))
    const connection = shellConnection(shell, join(directory, 'state'), surroundings)
    const scene = new Scene(connection, await openMachine(async () => connection), directory)
    opened.push(scene)
    return scene
  }

  /** Opens the same machine with a helper of another role. */
  async machineFor<R extends Role>(role: R): Promise<Machine<R>> {
    const machine = await openMachine(async () => this.connection, { role })
    this.#others.push(machine)
    return machine
  }

  close(): void {
    for (const { close } of [this.machine, ...this.#others]) close()
    removeTree(this.directory)
  }

  /** Writes a module. In its script, `$D` is the directory of the scene, and `hold` waits for a file `go` or the end of the scene. */
  module(script: string, activities?: readonly string[]): string {
    const file = this.path('module')
    const hold = `hold() { until [ -e "$D/go" ] || [ ! -e "$D" ]; do sleep 0.05; done; }`
    writeFileSync(file, `#!/bin/sh\nD='${this.directory}'\n${hold}\n${script}\n`)
    chmodSync(file, 0o755)
    if (activities !== undefined) writeFileSync(`${file}.activities`, activities.map((name) => `${name}\n`).join(''))
    return file
  }

  request<Name extends string>(activity: Name, module = this.path('module')): RequestOf<Name> {
    const definition = { service: SERVICE, module, properties: new Map([['port', '80']]) }
    return { profile: this.profile, token: '-', activity, mapping: this.mapping, definition }
  }

  path(name: string): string {
    return join(this.directory, name)
  }

  has(name: string): boolean {
    return existsSync(this.path(name))
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8')
  }

  write(name: string, text = ''): void {
    writeFileSync(this.path(name), text)
  }

  pidIn(name: string): number {
    return Number(this.read(name))
  }
}

/** A request for an activity, which only an older version of davit may make. */
type RequestOf<Name extends string> = Omit<ActivityRequest, 'activity'> & { readonly activity: Name }

/** Asks a service as older versions of davit do, by an activity. */
export async function askByActivity(machine: Machine, request: RequestOf<'lock' | 'unlock'>): Promise<ActivityResult> {
  return performActivity(machine, request as never)
}

const opened: Scene[] = []

export function closeScenes(): void {
  for (const scene of opened.splice(0)) scene.close()
}
