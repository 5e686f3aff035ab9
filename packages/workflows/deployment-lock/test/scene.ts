import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Connection, openLocal } from '@davit/connection'
import type { ProfileName, TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { processIdentity } from '@davit/process'
import { openSecrets } from '@davit/secrets'
import { acquireLock, lockHolder, type Machine, openMachine, type ShellTarget } from '@davit/target'
import { untilNoProcessHas } from '@davit/testing/processes'
import { afterEach, beforeEach } from 'vitest'

import {
  encodeOwner,
  type LockTerms,
  type LockUse,
  ownerOf,
  type ServiceLockTerms,
  writeLockRecord,
} from '../src/deployment-lock.ts'
import type { LockOwner } from '../src/lock-owner.ts'

export const profile = 'default' as ProfileName
export const here = processIdentity()
export const owner = ownerOf(here, 'self')
export const dead: LockOwner = { ...owner, holder: { ...owner.holder, startTime: 1 } }

/** A coordinator and two local targets. Set up anew for each test. */
export class Scene {
  directory = ''
  targets: readonly ShellTarget[] = []
  #connections: readonly Connection[] = []

  constructor() {
    beforeEach(async () => {
      this.directory = mkdtempSync(join(tmpdir(), 'davit-lock-'))
      this.#connections = ['t1', 't2'].map((name) =>
        openLocal({
          environment: {
            PATH: '/usr/bin:/bin',
            HOME: this.directory,
            DAVIT_STATE_DIR: join(this.directory, name),
          },
        }),
      )
      this.targets = await Promise.all(
        this.#connections.map(async (connection, index) => ({
          name: `t${index + 1}` as TargetName,
          machine: await openMachine(async () => connection),
        })),
      )
    })
    afterEach(async () => {
      await Promise.all(this.#connections.map((connection) => connection.close()))
      removeTree(this.directory)
      // A helper still finishes its last request, and may make its directory anew.
      await untilNoProcessHas(this.directory)
      removeTree(this.directory)
    })
  }

  get place(): string {
    return join(this.directory, 'coordinator')
  }

  get use(): LockUse {
    return { profile, leaseSeconds: 60, place: this.place, locking: 'join-or-take' }
  }

  at(index: number): ShellTarget {
    return this.targets[index] as ShellTarget
  }

  /** The machine of a target, with variables that are secrets. */
  withSecrets(index: number, environment: Readonly<Record<string, string>>): Promise<Machine> {
    const connection = this.#connections[index] as Connection
    const secrets = openSecrets({ environment, workingDirectory: this.directory })
    secrets.trust(Object.keys(environment).map((env) => ({ env })))
    return openMachine(async () => connection, { secrets })
  }

  /** The token of whoever holds the lock of each target. */
  holders() {
    return Promise.all(this.targets.map(async (target) => (await lockHolder(target.machine, placeOf(target)))?.token))
  }

  takeAt(index: number, { token = 'theirs', by = owner, leaseSeconds = 60 } = {}) {
    const target = this.at(index)
    return acquireLock(target.machine, placeOf(target), { token, owner: encodeOwner(by), leaseSeconds })
  }

  leaveRecord(token: string, by = owner) {
    const record = { token, owner: by, processGroup: 1, manifest: '', targets: ['t1', 't2'], renamed: [] }
    return writeLockRecord(this.place, record)
  }
}

export const termsOf = (token: string): LockTerms & ServiceLockTerms => ({
  profile,
  token,
  owner,
  leaseSeconds: 60,
  here,
  coresOf: () => 2,
})

export const placeOf = ({ name }: ShellTarget) => ({ target: name, profile })
