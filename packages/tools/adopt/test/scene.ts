import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { currentGeneration, deploymentPlace } from '@davit/coordinator-state'
import type { ReportEvent } from '@davit/diagnostics'
import { encodeDocument, type Manifest, parseDocument, ProfileManifest, type ProfileName } from '@davit/documents'
import { openNativeStore } from '@davit/store'
import { layOutOriginal } from '@davit/testing/original'
import { scratchDirectory } from '@davit/testing/scratch'
import type { ToolContext } from '@davit/tool'
import { parseArguments } from '@davit/tool/testing'

import { tool } from '../src/main.ts'

export const SHOP = 'a'.repeat(64)
export const DATABASE = 'b'.repeat(64)
const NOTHING = { services: new Map(), serviceMappings: [], snapshotMappings: [] }

interface Told {
  stdout: string
  readonly messages: string[]
  journalled: number
}

/** A machine on which Disnix has deployed a shop and its database, whose state moves. */
export class Scene {
  readonly directory: string
  readonly state: string
  readonly nix: string
  readonly dysnomia: string
  readonly temporary: string
  readonly infrastructure: string
  readonly #store: string
  readonly #ofDysnomia: string
  /** Happens after everything was read, and before anything is written. */
  meanwhile: () => void = () => {}
  #packages: readonly string[] = []

  private constructor(directory: string) {
    this.directory = directory
    this.state = join(directory, 'state')
    this.nix = join(directory, 'nix')
    this.dysnomia = join(directory, 'dysnomia')
    this.temporary = join(directory, 'tmp')
    this.infrastructure = join(directory, 'infrastructure.json')
    this.#store = join(directory, 'store')
    this.#ofDysnomia = join(directory, 'modules')
  }

  static async open(directory = scratchDirectory()): Promise<Scene> {
    const scene = new Scene(directory)
    mkdirSync(scene.temporary, { recursive: true })
    scene.targets('t1')
    const store = await openNativeStore({
      directory: scene.#store,
      environment: { PATH: process.env['PATH'] ?? '', HOME: scene.directory },
      isolation: { kind: 'none' },
    })
    const profileManifest = encodeDocument(ProfileManifest.on('x' as never), NOTHING, 'xml')
    const contents = { packages: [], profileManifest, modules: new Map() }
    scene.#packages = await store.addProfiles(['shop', 'database'].map((name) => ({ name, ...contents })))
    return scene
  }

  /** Writes the infrastructure model; the target `away` cannot be reached. */
  targets(...names: readonly string[]): void {
    const target = { properties: { hostname: 'localhost' }, containers: { echo: { port: 8080 } }, numOfCores: 2 }
    const away = { ...target, properties: { hostname: '127.0.0.1:1' }, clientInterface: 'ssh' }
    const infrastructure = Object.fromEntries(
      names.map((name) => [name, name === 'away' ? away : { ...target, clientInterface: 'local' }]),
    )
    writeFileSync(this.infrastructure, JSON.stringify(infrastructure))
  }

  /** Lays out the profile of Disnix with these services; returns its path in the store. */
  deployOriginal(names: readonly string[] = ['shop', 'database'], profile = 'default', type = 'echo'): string {
    const [shop, database] = this.#packages
    const mapping = (key: string) => ({ service: key, container: 'echo' })
    const all = [
      { key: SHOP, name: 'shop', pkg: shop, dependsOn: names.includes('database') ? [mapping(DATABASE)] : [] },
      { key: DATABASE, name: 'database', pkg: database, dependsOn: [] },
    ].filter(({ name }) => names.includes(name))
    const text = JSON.stringify({
      document: 'profilemanifest',
      version: 2,
      services: Object.fromEntries(all.map(({ key, ...service }) => [key, { ...service, type }])),
      serviceMappings: all.map(({ key }) => mapping(key)),
      snapshotMappings: names.includes('database') ? [{ ...mapping(DATABASE), component: 'database' }] : [],
    })
    const format = ProfileManifest.on('t1' as never)
    const xml = encodeDocument(format, parseDocument(format, text, { file: 'profile' }), 'xml')
    return layOutOriginal(this.nix, { profile, target: 't1', text: xml, store: this.#store })
  }

  /** Installs a module of Dysnomia; returns its path. */
  installModule(type: string): string {
    mkdirSync(this.#ofDysnomia, { recursive: true })
    const path = join(this.#ofDysnomia, type)
    writeFileSync(path, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    return path
  }

  /** Adds snapshots of the database, as modules of Dysnomia take them, and its markers. */
  keepState(...names: readonly string[]): void {
    for (const [index, name] of names.entries()) {
      this.#write(`snapshots/echo/database/${name}/dump/rows`, `${name}\n`)
      symlinkSync('/nowhere', join(this.dysnomia, `snapshots/echo/database/${name}/dump/link`))
      this.#write(`checksums/echo/database/${name}`, `sha256:${'0'.repeat(64)}`)
      mkdirSync(join(this.dysnomia, 'generations/echo/database'), { recursive: true })
      const link = join(this.dysnomia, 'generations/echo/database', String(index + 9))
      symlinkSync(`../../../snapshots/echo/database/${name}`, link)
    }
    this.#write('activated/echo/database', '')
    this.#write('activated/echo/shop', '')
    this.#write('garbage/echo/gone', '')
  }

  #write(path: string, text: string): void {
    mkdirSync(join(this.dysnomia, path, '..'), { recursive: true })
    writeFileSync(join(this.dysnomia, path), text)
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.directory,
      TMPDIR: this.temporary,
      DAVIT_STATE_DIR: this.state,
      DAVIT_STORE_DIR: this.#store,
      NIX_STATE_DIR: this.nix,
      DYSNOMIA_STATEDIR: this.dysnomia,
      DYSNOMIA_MODULES_PATH: this.#ofDysnomia,
    }
  }

  /** Runs davit-adopt in this process. */
  async adopt(...argv: readonly string[]): Promise<Told> {
    const { environment } = this
    const request = parseArguments(tool, { argv: [...argv, this.infrastructure], environment })
    if (request.kind !== 'run') throw new Error('not a run')
    const told: Told = { stdout: '', messages: [], journalled: 0 }
    const context = {
      args: request.args,
      environment,
      workingDirectory: this.directory,
      privileged: true,
      signal: new AbortController().signal,
      print: async (text: string) => void (told.stdout += text),
      report: (event: ReportEvent) =>
        void ('code' in event && ['note', 'warning'].includes(event.kind) && told.messages.push(event.message)),
      journal: () => {
        told.journalled += 1
        this.meanwhile()
      },
    }
    await tool.run(context as unknown as ToolContext<never>)
    return told
  }

  /** The manifest of the current generation. */
  async manifest(): Promise<Manifest> {
    const generation = await currentGeneration(deploymentPlace(this.state, 'default' as ProfileName))
    if (generation === undefined) throw new Error('there is no generation')
    return generation.manifest
  }

  generations(): readonly string[] {
    const directory = join(this.state, 'coordinator/default/generations')
    return existsSync(directory) ? readdirSync(directory).toSorted() : []
  }

  /** Fields of a record of davit. */
  record(key: string): string {
    return readFileSync(join(this.state, 'targets/t1/active/default', `echo:${key}`, 'record'), 'utf8')
  }

  /** All files below a directory, with their contents, or where they point to. */
  files(directory: string): Readonly<Record<string, string>> {
    if (!existsSync(directory)) return {}
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted()
    const found = names.map((name) => [name, lstatSync(join(directory, name))] as const)
    return Object.fromEntries(
      found
        .filter(([, stat]) => !stat.isDirectory())
        .map(([name, stat]) => {
          const path = join(directory, name)
          return [name, stat.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, 'utf8')]
        }),
    )
  }
}
