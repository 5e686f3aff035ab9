import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { shellConnection, type ShellSurroundings } from '@davit/connection/testing'
import type { ProfileName, ServiceMapping, SnapshotMapping, StorePath } from '@davit/documents'
import { removeTree } from '@davit/files'
import { writeClient } from '@davit/testing/client-executable'
import type { Shell } from '@davit/testing/shells'

import { type Machine, openMachine, type Role } from '../src/target.ts'
import { SERVICE } from './scene.ts'

export interface ClientMachine {
  /** Program that calls its arguments where they see the Nix store of the machine. */
  readonly within?: string
  /** Those of the shell of the coordinator. */
  readonly here?: ShellSurroundings
}

/** A machine that is reached through a client executable of the test, `there` being its directory, and one mapping on it. */
export class ClientScene {
  readonly directory = mkdtempSync(join(tmpdir(), 'davit-client-'))
  readonly executable: string
  readonly address: string = 'far.example:22'
  readonly profile = 'default' as ProfileName
  readonly mapping = { target: 't1', service: 'key', container: 'process' } as ServiceMapping
  readonly #shell: Shell
  readonly #options: ClientMachine
  readonly #opened: Pick<Machine, 'close'>[] = []

  constructor(shell: Shell, options: ClientMachine = {}) {
    this.#shell = shell
    this.#options = options
    this.executable = writeClient({ directory: this.there(''), ...options })
    mkdirSync(this.pkg, { recursive: true })
    // Modules of Dysnomia read snapshots as other users.
    chmodSync(this.directory, 0o755)
    scenes.push(this)
  }

  /** Opens the machine; `coordinator` names the directory with the state of the coordinator. */
  async machine<R extends Role>(role: R, coordinator = 'state'): Promise<Machine<R>> {
    const client = { executable: this.executable, address: this.address }
    const { here } = this.#options
    const connection = {
      ...shellConnection(this.#shell, join(this.directory, coordinator), here),
      client,
      address: client.address,
    }
    const machine = await openMachine(async () => connection, { role })
    this.#opened.push(machine)
    return machine
  }

  get pkg(): StorePath {
    return join(this.directory, 'store/0123456789abcdfghijklmnpqrsvwxyz-web') as StorePath
  }

  get definition() {
    const properties = new Map([
      ['port', '80'],
      ['text', "it's $HOME `a` b"],
    ])
    return { service: { ...SERVICE, pkg: this.pkg }, module: '/profile/modules/web-type', properties }
  }

  get state(): SnapshotMapping {
    return { ...this.mapping, component: 'web' }
  }

  /** Path in the directory of the machine. */
  there(name: string): string {
    return join(this.directory, 'there', name)
  }

  type(name: string, script: string): void {
    writeFileSync(this.there(`types/${name}`), `#!/bin/sh\nD='${this.there('')}'\n${script}`, { mode: 0o755 })
  }

  spoil(script: string): void {
    writeFileSync(this.there('spoil'), script)
  }

  read(name: string): string {
    return existsSync(this.there(name)) ? readFileSync(this.there(name), 'utf8') : ''
  }

  /** The calls since the last time, without the words that all have. */
  calls(): readonly string[] {
    const lines = this.read('calls').split('\n')
    writeFileSync(this.there('calls'), '')
    return lines.filter((line) => line !== '').map((line) => line.replace('--target far.example:22', '@'))
  }

  close(): void {
    for (const { close } of this.#opened) close()
    removeTree(this.directory)
  }
}

const scenes: ClientScene[] = []

export function closeClientScenes(): void {
  for (const scene of scenes.splice(0)) scene.close()
}
