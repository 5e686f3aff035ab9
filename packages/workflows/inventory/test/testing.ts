import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openLocal } from '@davit/connection'
import type { ReportEvent } from '@davit/diagnostics'
import {
  encodeDocument,
  type Manifest,
  Manifest as ManifestFormat,
  ProfileManifest,
  type ProfileName,
  type StorePath,
  type TargetName,
  validateDocument,
} from '@davit/documents'
import { profileManifests } from '@davit/realisation'
import { type NativeStore, openNativeStore } from '@davit/store'
import { definitionOf, openMachine, performActivity, type ReachedTargets, type Role, setProfile } from '@davit/target'
import { removeTree } from '@davit/testing/scratch'
import { afterAll } from 'vitest'

import { type Inventory, type InventoryTerms, takeInventory } from '../src/inventory.ts'

const PROFILE = 'default' as ProfileName
const NOTHING = { services: new Map(), serviceMappings: [], snapshotMappings: [] }

/**
 * Targets on this machine with real packages, profiles and records: `web` on front and back, which connects to `api` on back, and nothing
 * on spare. A service runs while there is a file `up-SERVICE`; the module `silent` of `api` reports no status.
 */
export class DeployedTargets {
  readonly directory: string
  readonly events: ReportEvent[] = []
  readonly environment: Readonly<Record<string, string>>
  readonly #store: NativeStore
  manifest = {} as Manifest

  /**
   * Returns a function that opens such targets, in the same directory each time. They are deployed once, and copied for each test. They
   * are removed after the tests of the file.
   */
  static ofFile(): () => Promise<DeployedTargets> {
    const [directory = '', kept = ''] = ['targets', 'kept'].map((name) => mkdtempSync(join(tmpdir(), `davit-${name}-`)))
    afterAll(() => [directory, kept].forEach(removeTree))
    let manifest: Manifest | undefined
    return async () => {
      if (manifest !== undefined) {
        removeTree(directory)
        copyTree(kept, directory)
      }
      const targets = await DeployedTargets.#in(directory, manifest)
      if (manifest === undefined) copyTree(directory, kept)
      manifest = targets.manifest
      return targets
    }
  }

  /** Deploys to a directory, unless it has a deployment with this manifest. */
  static async #in(directory: string, manifest: Manifest | undefined): Promise<DeployedTargets> {
    const store = await openNativeStore({
      directory: join(directory, 'store'),
      environment: { PATH: process.env['PATH'] ?? '', HOME: directory },
      isolation: { kind: 'none' },
    })
    const targets = new DeployedTargets(directory, store)
    if (manifest === undefined) await targets.#deploy()
    else targets.manifest = manifest
    return targets
  }

  private constructor(directory: string, store: NativeStore) {
    this.directory = directory
    this.#store = store
    this.environment = {
      PATH: '/usr/bin:/bin',
      HOME: directory,
      DAVIT_STATE_DIR: join(directory, 'state'),
      DAVIT_STORE_DIR: join(directory, 'store'),
      NIX_STATE_DIR: join(directory, 'nix'),
    }
  }

  /** Path among the files of the deployment on a target. */
  file(target: string, kind: 'active' | 'profiles', ...path: readonly string[]): string {
    return join(this.directory, 'state/targets', target, kind, PROFILE, ...path)
  }

  record(target: string, service: string): string {
    return this.file(target, 'active', `box:key-${service}`)
  }

  up(service: string): string {
    return join(this.directory, `up-${service}`)
  }

  pkg(service: string): StorePath {
    const found = [...this.manifest.services.values()].find(({ name }) => name === service)
    return found?.pkg ?? ('' as StorePath)
  }

  /** Changes container properties of a target in the manifest. */
  withProperty(target: string, port: number): Manifest {
    const document = JSON.parse(encodeDocument(ManifestFormat, this.manifest, 'json')) as {
      readonly infrastructure: Record<string, { readonly containers: Record<string, { port: number }> }>
    }
    const { box } = document.infrastructure[target]?.containers ?? {}
    if (box !== undefined) box.port = port
    return validateDocument(ManifestFormat, document, { file: 'changed' })
  }

  async inventory(terms: Partial<InventoryTerms> = {}): Promise<Inventory> {
    return this.#reached('query', (reached) =>
      takeInventory(reached, {
        profile: PROFILE,
        infrastructure: this.manifest.infrastructure,
        expected: undefined,
        status: true,
        mayCall: () => true,
        report: (event) => void this.events.push(event),
        signal: new AbortController().signal,
        ...terms,
      }),
    )
  }

  async #deploy(): Promise<void> {
    await this.#build()
    await this.#reached('deploy', async ({ targets }) => {
      for (const mapping of this.manifest.serviceMappings) {
        const { machine } = targets.get(mapping.target)!
        const definition = definitionOf(this.manifest, mapping)
        const request = { profile: PROFILE, token: '-', activity: 'activate', mapping, definition } as const
        // In order, as a deployment would.
        // oxlint-disable-next-line no-await-in-loop
        const { kind } = await performActivity(machine, request)
        if (kind !== 'succeeded') throw new Error(kind)
      }
      const { store } = this.manifest
      for (const [target, path] of this.manifest.profiles) {
        const { machine } = targets.get(target)!
        // oxlint-disable-next-line no-await-in-loop
        await setProfile(machine, { target, profile: PROFILE, token: '-', path, store, generations: 'add' })
      }
    })
  }

  async #build(): Promise<void> {
    const empty = encodeDocument(ProfileManifest.on('x' as TargetName), NOTHING, 'xml')
    const content = { packages: [], profileManifest: empty, modules: new Map() }
    const [web = '', api = ''] = await this.#store.addProfiles(['web', 'api'].map((name) => ({ name, ...content })))
    const modules = await this.#modules()
    const draft = manifestOf(join(this.directory, 'store'), { web, api })
    const parts = [...profileManifests(draft, new Map())]
    const paths = await this.#store.addProfiles(
      parts.map(([target, part]) => ({
        name: target,
        packages: [...part.services.values()].map(({ pkg }) => pkg),
        profileManifest: encodeDocument(ProfileManifest.on(target), part, 'xml'),
        modules,
      })),
    )
    this.manifest = { ...draft, profiles: new Map(parts.map(([target], index) => [target, paths[index]!])) }
  }

  async #modules(): Promise<ReadonlyMap<string, StorePath>> {
    const script = `#!/bin/sh
up='${this.directory}'/up-\${2##*-}
case $1 in
  activate) : >"$up" ;;
  deactivate) rm -f "$up" ;;
  status) [ -e "$up" ] ;;
esac
`
    const activities = { plain: ['activate', 'deactivate', 'status'], silent: ['activate', 'deactivate'] }
    const added = await Promise.all(
      Object.entries(activities).map(
        async ([type, declared]) =>
          [type, await this.#store.addModule(type, { script: Buffer.from(script), activities: declared })] as const,
      ),
    )
    return new Map(added)
  }

  async #reached<R extends Role, Result>(
    role: R,
    use: (reached: ReachedTargets<R>) => Promise<Result>,
  ): Promise<Result> {
    const connection = openLocal({ environment: this.environment })
    try {
      const machine = await openMachine(async () => connection, { role })
      const targets = new Map([...this.manifest.infrastructure.keys()].map((name) => [name, { name, machine }]))
      return await use({ targets, unreachable: new Map() })
    } finally {
      await connection.close()
    }
  }

  /** Makes a service stop running. */
  stop(service: string): void {
    rmSync(this.up(service), { force: true })
  }

  write(file: string, text: string): string {
    const path = join(this.directory, file)
    writeFileSync(path, text)
    return path
  }
}

/** Copies with links, times and modes, which packages and records depend on. */
function copyTree(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-aT', from, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

function manifestOf(store: string, { web, api }: Readonly<Record<'web' | 'api', string>>): Manifest {
  const on = (service: string, target: string) => ({ service: `key-${service}`, target, container: 'box' })
  const target = {
    properties: { hostname: 'localhost' },
    containers: { box: { port: 1 } },
    system: 'x86_64-linux',
    clientInterface: 'local',
    targetProperty: 'hostname',
  }
  const document = {
    store: { kind: 'native', directory: store },
    profiles: {},
    services: {
      'key-api': { name: 'api', pkg: api, type: 'silent' },
      'key-web': { name: 'web', pkg: web, type: 'plain', connectsTo: [on('api', 'back')] },
    },
    infrastructure: { back: target, front: target, spare: target },
    serviceMappings: [on('api', 'back'), on('web', 'front'), on('web', 'back')],
    snapshotMappings: [],
  }
  return validateDocument(ManifestFormat, document, { file: 'deployed' })
}
