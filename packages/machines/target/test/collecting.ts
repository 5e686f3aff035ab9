import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { type ShellConnection, shellConnection } from '@davit/connection/testing'
import type { InstantiatedPackage, PackageSpec, StorePath } from '@davit/documents'
import { removeTree } from '@davit/files'
import { environment } from '@davit/process'
import { currentSystem, type NativeStore, openNativeStore, type StoreLayout, storeLayout } from '@davit/store'
import type { Shell } from '@davit/testing/shells'

import { collectGarbage, type Garbage, type Machine, openMachine } from '../src/target.ts'

const A_DAY_AND_A_MINUTE = (24 * 60 + 1) * 60_000
const system = currentSystem(environment())

export const { signal } = new AbortController()

/** A store, and a machine with it that collects garbage. */
export interface Collecting {
  readonly directory: string
  readonly connection: ShellConnection
  readonly machine: Machine<'collect'>
  readonly layout: StoreLayout
  /** What this process knows of the store; another one knows only what `open` reads. */
  store: NativeStore
  open(): Promise<NativeStore>
  instantiate(...specs: readonly PackageSpec[]): Promise<readonly InstantiatedPackage[]>
  realise(packages: readonly InstantiatedPackage[]): Promise<unknown>
  source(name: string): PackageSpec
  /** Ends the protection of all paths. */
  expire(): void
  collect(): Promise<Garbage>
  inStore(): readonly string[]
  registered(): readonly string[]
  close(): void
}

export async function openCollecting(shell: Shell): Promise<Collecting> {
  const directory = mkdtempSync(join(tmpdir(), 'davit-collect-'))
  const connection = shellConnection(shell, join(directory, 'state'))
  const machine = await openMachine(async () => connection, { role: 'collect' })
  const layout = storeLayout(join(directory, 'store'))
  const open = () =>
    openNativeStore({ directory: layout.directory, environment: environment(), isolation: { kind: 'none' } })
  const scene: Collecting = {
    directory,
    connection,
    machine,
    layout,
    store: await open(),
    open,
    instantiate: async (...specs) =>
      scene.store.instantiate(specs.map((spec) => ({ spec, system, wantedBy: { service: 'web' as never } }))),
    realise: (packages) => scene.store.realise(packages, { report: () => {}, signal }),
    source(name) {
      writeFileSync(join(directory, name), `content of ${name}`)
      return { kind: 'source', path: join(directory, name) }
    },
    expire: () => expireIn(layout),
    collect: () => collectGarbage(machine, layout.directory, { store: scene.store, signal }),
    inStore: () => namesIn(layout.directory).filter((name) => name !== '.davit'),
    registered: () => namesIn(layout.registrations).map((name) => name.replace(/\.json$/, '')),
    close() {
      machine.close()
      removeTree(directory)
    },
  }
  return scene
}

export function build(name: string, script: string, inputs: Readonly<Record<string, PackageSpec>> = {}): PackageSpec {
  return {
    kind: 'build',
    name,
    script,
    env: new Map(),
    sources: new Map(),
    inputs: new Map(Object.entries(inputs)),
    network: false,
  }
}

export function names(...paths: readonly StorePath[]): readonly string[] {
  return paths.map((path) => basename(path)).toSorted()
}

export function outOf(packages: readonly InstantiatedPackage[]): readonly StorePath[] {
  return packages.map(({ outPath }) => outPath)
}

function expireIn({ roots }: StoreLayout): void {
  const old = new Date(Date.now() - A_DAY_AND_A_MINUTE)
  for (const root of readdirSync(roots).filter((name) => name.startsWith('temporary:'))) {
    // A collection may be removing it.
    spawnSync('touch', ['-h', '-c', '-d', old.toISOString(), join(roots, root)])
  }
}

function namesIn(directory: string): readonly string[] {
  return readdirSync(directory).toSorted()
}
