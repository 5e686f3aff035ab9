import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { connectionPool, type ConnectionPool } from '@davit/connection'
import type { StorePath, StoreReference, TargetName } from '@davit/documents'
import { type NixStore, openStore } from '@davit/store'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { isAlive } from '@davit/testing/processes'
import { sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { type Machine, openMachine, openTargetStore, type TargetStore } from '../src/target.ts'
import { buildClosures, type Closure, linesOf, validOf } from './testing.ts'

const { signal } = new AbortController()
const reference: StoreReference = { kind: 'nix', directory: '/nix/store' }

describe.skipIf(noPrivateNix !== undefined || sshdMissing() !== undefined)('through sshd', () => {
  const here = privateNixOfFile()
  const there = privateNixOfFile()
  const directory = mkdtempSync(join(tmpdir(), 'davit-nix-ssh-'))
  let sshd: TestSshd
  let pool: ConnectionPool
  let machine: Machine<'carry'>
  let coordinator: NixStore
  let store: TargetStore
  let closureOf: (label: string) => Closure

  beforeAll(async () => {
    const environment = `NIX_CONF_DIR=${there.directory}/conf DAVIT_STATE_DIR=${directory}/state`
    const command = `${there.directory}/bin/in-private-nix sh -c "$SSH_ORIGINAL_COMMAND"`
    sshd = await startSshd({ lines: [`SetEnv ${environment}`, `ForceCommand echo welcome; ${command}`] })
    coordinator = (await openStore(reference, here)) as NixStore
    closureOf = buildClosures(here, ['sent'])
  })
  beforeEach(async () => {
    pool = connectionPool({ environment: sshd.environment })
    machine = await openMachine(() => pool.connect([{ kind: 'ssh', address: `root@${sshd.address}` }]), {
      role: 'carry',
    })
    store = openTargetStore({ name: 't1' as TargetName, machine }, coordinator)
  })
  afterAll(async () => {
    await pool.close()
    await sshd.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  test('packages are sent, and derivations built', async () => {
    const closure = closureOf('sent')
    expect(await store.send(await store.missing(closure), { signal })).toMatchObject({ paths: 2 })
    await store.protect(closure)
    expect(validOf(there, closure)).toEqual(closure)
    const [derivation] = await derivationOf('echo built >$out')
    expect(await store.build([derivation], { cores: 1, report: () => {}, signal })).toEqual([{ kind: 'built' }])
    expect(await store.fetch([derivation], { signal })).toMatchObject({ paths: 1 })
    await pool.close()
  })

  test('no builder is left when the connection ends', async () => {
    const pids = join(directory, 'pids')
    const [derivation] = await derivationOf(
      `/bin/sleep 1000 & echo $$ $! >${pids}.new; /bin/mv ${pids}.new ${pids}; wait`,
    )
    const building = store.build([derivation], { cores: 1, report: () => {}, signal })
    building.catch(() => {})
    await until(() => expect(existsSync(pids)).toBe(true))
    const builders = readFileSync(pids, 'utf8').trim().split(' ').map(Number)
    expect(builders.map(isAlive)).toEqual([true, true])
    await pool.close()
    await expect(building).rejects.toThrow('closed the channel')
    await until(() => expect(builders.map(isAlive)).toEqual([false, false]))
  })

  async function derivationOf(script: string): Promise<readonly [StorePath]> {
    const expression = `derivation { name = "x"; system = builtins.currentSystem; builder = "/bin/sh"; args = [ "-c" ${JSON.stringify(script)} ]; }`
    const derivations = linesOf(here.shell('nix-instantiate --expr "$1" 2>/dev/null', expression)) as [StorePath]
    await store.send(derivations, { signal })
    return derivations
  }
})
