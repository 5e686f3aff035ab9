import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import type { ReportEvent } from '@davit/diagnostics'
import type { BuildSpec, InstantiatedPackage, PackageSpec, ServiceName, StorePath } from '@davit/documents'
import { removeTree } from '@davit/files'
import { currentSystem, type NativeStore, openNativeStore, storeLayout } from '@davit/store'
import type { Shell } from '@davit/testing/shells'

import { buildNatively } from '../src/native/build.ts'
import { fetchNatively } from '../src/native/fetch.ts'
import type { MachineOptions } from '../src/machine.ts'
import { type Machine, openMachine } from '../src/target.ts'
import { otherMachine, type OtherMachine } from './other-machine.ts'

export const ENVIRONMENT = { PATH: '/usr/bin:/bin' }
const FOREVER = new AbortController().signal

/** A coordinator's store, and a machine with another one in the same place. */
export interface Building {
  readonly directory: string
  readonly store: NativeStore
  readonly machine: Machine<'carry'>
  readonly connection: OtherMachine
  readonly events: ReportEvent[]
  openAnother(options?: MachineOptions): Promise<Machine<'carry'>>
  instantiate(...specs: readonly PackageSpec[]): Promise<readonly InstantiatedPackage[]>
  build(packages: readonly InstantiatedPackage[], options?: BuildOptions): ReturnType<typeof buildNatively>
  fetch(packages: readonly InstantiatedPackage[], options?: BuildOptions): ReturnType<typeof fetchNatively>
  /** Sends the other machine what it needs before it builds. */
  send(): void
  /** Returns where a path of the other machine is on this one. */
  there(path: string): string
  /** Returns whether the output of a package, and its registration, exist there. */
  standsThere(pkg: InstantiatedPackage): readonly [tree: boolean, record: boolean]
  /** Returns running builds, and files that builds have left. */
  leftovers(): readonly string[]
  /** Returns base names of outputs that wait to be fetched. */
  waiting(): readonly string[]
  close(): void
}

export interface BuildOptions {
  readonly machine?: Machine<'carry'>
  readonly cores?: number
  readonly signal?: AbortSignal
}

export async function openBuilding(shell: Shell): Promise<Building> {
  const directory = mkdtempSync(join(tmpdir(), 'davit-build-'))
  const store = await openNativeStore({ directory: join(directory, 'store'), environment: ENVIRONMENT })
  const layout = storeLayout(store.reference.directory)
  const connection = otherMachine({ directory, store: layout.directory, shell })
  const machines: Machine<'carry'>[] = []
  const openAnother = async (options?: MachineOptions) => {
    machines.push(await openMachine(async () => connection, { role: 'carry', ...options }))
    return machines.at(-1) as Machine<'carry'>
  }
  const machine = await openAnother()
  const events: ReportEvent[] = []
  const report = (event: ReportEvent) => void events.push(event)
  const there = (path: string) => path.replace(layout.directory, join(directory, 'other-store'))
  const incoming = () => readdirSync(there(layout.incoming))
  return {
    directory,
    store,
    machine,
    connection,
    events,
    openAnother,
    there,
    instantiate(...specs) {
      const wanted = { system: currentSystem(ENVIRONMENT), wantedBy: { service: 'web' as ServiceName } }
      return store.instantiate(specs.map((spec) => ({ spec, ...wanted })))
    },
    build: (packages, { machine: place = machine, cores = 2, signal = FOREVER } = {}) =>
      buildNatively({ machine: place, store }, derivationsOf(packages), { cores, report, signal }),
    fetch: (packages, { machine: place = machine, signal = FOREVER } = {}) =>
      fetchNatively({ machine: place, store }, derivationsOf(packages), { signal }),
    send: () => void spawnSync('cp', ['-a', '--', `${layout.directory}/.`, there(layout.directory)]),
    standsThere: ({ outPath }) => [
      existsSync(there(outPath)),
      existsSync(there(join(layout.registrations, `${basename(outPath)}.json`))),
    ],
    leftovers: () => incoming().filter((name) => !name.startsWith('built.')),
    waiting: () =>
      incoming().flatMap((name) => {
        return name.startsWith('built.') ? readdirSync(join(there(layout.incoming), name, 'paths')) : []
      }),
    close() {
      for (const one of machines) one.close()
      removeTree(directory)
    },
  }
}

function derivationsOf(packages: readonly InstantiatedPackage[]): readonly StorePath[] {
  return packages.map(({ derivation }) => derivation as StorePath)
}

export function build(name: string, script: string, extras: Partial<BuildSpec> = {}): BuildSpec {
  const none = new Map<string, never>()
  return { kind: 'build', name, script, sources: none, env: none, inputs: none, network: false, ...extras }
}

export function uniqueSleep(): string {
  return `sleep 60.${Math.floor(Math.random() * 1e9)}`
}

/** Whether any process has exactly this command line. */
export function running(command: string): boolean {
  return spawnSync('ps', ['ax', '-o', 'args'], { encoding: 'utf8' }).stdout.split('\n').includes(command)
}
