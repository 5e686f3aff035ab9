import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type ShellSurroundings, shellConnection } from '@davit/connection/testing'
import { DavitError, printable, type ReportEvent } from '@davit/diagnostics'
import {
  encodeDocument,
  Manifest,
  parseDocument,
  ProfileManifest,
  type ProfileName,
  type StorePath,
  type TargetName,
  validateDocument,
} from '@davit/documents'
import { profileManifests } from '@davit/realisation'
import { definitionOf, openMachine, performActivity, type ShellTarget } from '@davit/target'
import { removeTree } from '@davit/testing/scratch'
import { installedShells } from '@davit/testing/shells'
import { afterAll, beforeAll, beforeEach } from 'vitest'

import { reconstructManifest, type ReconstructionOptions } from '../src/reconstruction.ts'

export type Name = 'alpha' | 'beta'
const NAMES: readonly Name[] = ['alpha', 'beta']
const PROFILE = 'default' as ProfileName
const HASH = '0'.repeat(32)

export interface Choice extends Partial<Pick<ReconstructionOptions, 'prefer' | 'partial'>> {
  /** What is different about the machine of alpha. */
  readonly alpha?: ShellSurroundings & { readonly answerSeconds?: number }
  /** Targets that cannot be reached. */
  readonly unreachable?: ReadonlyMap<TargetName, DavitError>
}

/** What reading back gave: a manifest as JSON, or an error, and all that was told meanwhile. */
export interface ReadBack {
  readonly text?: string
  readonly error?: DavitError
  readonly told: string
}

/**
 * Two machines, each a directory, with a deployment as its targets have it: a service with state, one on both targets in an
 * unusual order, one in its container, and one that is only installed. Tests may damage what they want: each begins anew.
 */
export class TwoTargets {
  readonly directory = mkdtempSync(join(tmpdir(), 'davit-two-targets-'))
  readonly manifest = manifestIn(join(this.directory, 'now/store'))
  readonly #shell = installedShells()[0]!

  constructor() {
    beforeAll(() => this.#deploy())
    beforeEach(() => {
      removeTree(join(this.directory, 'now'))
      copyTree(join(this.directory, 'intact'), join(this.directory, 'now'))
    })
    afterAll(() => removeTree(this.directory))
  }

  profile(name: Name, ...path: readonly string[]): string {
    return join(this.directory, 'now/store', `${HASH}-${name}`, ...path)
  }

  /** Path in what a target has of the deployment: `active` or `profiles`. */
  state(name: Name, kind: 'active' | 'profiles', ...path: readonly string[]): string {
    return join(this.directory, 'now', name, 'targets', name, kind, PROFILE, ...path)
  }

  async readBack({ alpha, ...choice }: Choice = {}): Promise<ReadBack> {
    return this.readBackFrom(await Promise.all([this.open('alpha', alpha), this.open('beta')]), choice)
  }

  async readBackFrom(targets: readonly ShellTarget[], choice: Omit<Choice, 'alpha'>): Promise<ReadBack> {
    const told: string[] = []
    const report = (event: ReportEvent) => void told.push('message' in event ? event.message : '')
    const { prefer, partial = false, unreachable = new Map() } = choice
    const reached = { targets: new Map(targets.map((target) => [target.name, target])), unreachable }
    const { infrastructure } = this.manifest
    const signal = new AbortController().signal
    const options = { infrastructure, profile: PROFILE, prefer, partial, originals: 'ignore' as const, report, signal }
    try {
      const { manifest } = await reconstructManifest(reached, options)
      return { text: encodeDocument(Manifest, manifest, 'json'), told: told.join('\n') }
    } catch (error) {
      if (!(error instanceof DavitError)) throw error
      return { error, told: told.join('\n') }
    } finally {
      for (const { machine } of targets) machine.close()
    }
  }

  async open(name: Name, { answerSeconds, ...surroundings }: Choice['alpha'] = {}): Promise<ShellTarget> {
    const connection = shellConnection(this.#shell, join(this.directory, 'now', name), surroundings)
    return { name: name as TargetName, machine: await openMachine(async () => connection, { answerSeconds }) }
  }

  async #deploy(): Promise<void> {
    const parts = profileManifests(this.manifest, new Map([['beta' as TargetName, [this.#path('tool')]]]))
    for (const [target, part] of parts) this.#makeProfile(target as string as Name, part)
    await Promise.all(NAMES.map((name) => this.#activate(name)))
    copyTree(join(this.directory, 'now'), join(this.directory, 'intact'))
  }

  #path(name: string): StorePath {
    return join(this.directory, 'now/store', `${HASH}-${name}`) as StorePath
  }

  #makeProfile(name: Name, part: ProfileManifest): void {
    mkdirSync(this.profile(name, 'modules'), { recursive: true })
    writeFileSync(this.profile(name, 'modules/process'), '#!/bin/sh\n', { mode: 0o755 })
    const text = encodeDocument(ProfileManifest.on(name as TargetName), part, 'xml')
    writeFileSync(this.profile(name, 'profilemanifest.xml'), text)
    mkdirSync(this.state(name, 'profiles'), { recursive: true })
    symlinkSync(this.profile(name), this.state(name, 'profiles', '1-link'))
    symlinkSync('1-link', this.state(name, 'profiles', 'current'))
  }

  async #activate(name: Name): Promise<void> {
    const { machine } = await this.open(name)
    for (const mapping of this.manifest.serviceMappings.filter(({ target }) => target === name)) {
      const definition = definitionOf(this.manifest, mapping)
      const request = { profile: PROFILE, token: '-', activity: 'activate', mapping, definition } as const
      // In order, as a deployment would.
      // oxlint-disable-next-line no-await-in-loop
      const { kind } = await performActivity(machine, request)
      if (kind !== 'succeeded') throw new Error(kind)
    }
    machine.close()
  }
}

/** All that a user would read. */
export function textOf({ error, told }: ReadBack): string {
  if (error === undefined) return told
  const { message, diagnostics, hint = '' } = error
  return [told, message, ...diagnostics.map((one) => one.message), hint].join('\n')
}

interface Part {
  readonly services: readonly (readonly [string, unknown])[]
  readonly [section: string]: unknown
}

/** The part of a manifest that a target tells: its profile, its mappings, and their services. */
export function partOf(text: string, name: Name): Part {
  const manifest = parseDocument(Manifest, text, { file: 'manifest' })
  const isThere = (mapping: { readonly target: string }) => mapping.target === name
  const mappings = manifest.serviceMappings.filter(isThere)
  return {
    profile: manifest.profiles.get(name as TargetName),
    mappings,
    state: manifest.snapshotMappings.filter(isThere),
    services: mappings.map(({ service }) => [service, manifest.services.get(service)] as const),
  }
}

/** Whether text can be printed as it is. */
export function isPrintable(text: string): boolean {
  return printable(text) === text
}

function copyTree(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
}

function manifestIn(store: string): Manifest {
  const pkg = (name: string) => `${store}/${HASH}-${name}`
  const on = (service: string, target: Name, container = 'process') => ({ service, target, container })
  const service = (name: string, more: object = {}) => ({ name, pkg: pkg(name), type: 'process', ...more })
  const database = on('key-database', 'alpha')
  const within = { ...on('key-page', 'alpha', 'web'), containerProvidedByService: 'key-database' }
  const target = { properties: { hostname: 'h' }, system: 's', clientInterface: 'ssh', targetProperty: 'hostname' }
  const document = {
    profiles: Object.fromEntries(NAMES.map((name) => [name, pkg(name)])),
    services: {
      'key-both': service('both', { dependsOn: [database] }),
      'key-database': service('database', { providesContainers: { web: { root: '/srv' } } }),
      'key-page': service('page', { connectsTo: [on('key-both', 'beta')] }),
      'key-tool': service('tool', { type: 'package' }),
    },
    infrastructure: Object.fromEntries(NAMES.map((name) => [name, target])),
    serviceMappings: [on('key-both', 'beta'), on('key-both', 'alpha'), database, within],
    snapshotMappings: [{ ...database, component: 'database' }],
  }
  return validateDocument(Manifest, document, { file: 'deployed' })
}
