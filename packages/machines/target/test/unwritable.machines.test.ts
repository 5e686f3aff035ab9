import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import type { ProfileName, TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { storeLayout } from '@davit/store'
import { shellConnection } from '@davit/connection/testing'
import { AS_NOBODY, NOBODY } from '@davit/testing/nobody'
import { installedShells, type Shell } from '@davit/testing/shells'
import { noSmallDisk, smallDisk } from '@davit/testing/small-disk'
import { tarOf } from '@davit/testing/tar-blocks'
import { describe, expect, onTestFinished, test } from 'vitest'

import { importArchive, missingNames } from '../src/native/import.ts'
import { acquireLock, type Machine, openMachine, performActivity } from '../src/target.ts'

const canBeNobody = spawnSync(AS_NOBODY[0], [...AS_NOBODY.slice(1), 'true']).status === 0
if (!canBeNobody) console.warn('SKIPPED: accounts that may not write somewhere, which need root and setpriv')

const place = { target: 't1' as TargetName, profile: 'default' as ProfileName }
const lock = { token: 'mine', owner: 'me', leaseSeconds: 60 }

describe.skipIf(!canBeNobody).each(installedShells())(
  'an account that may not write on a machine with $name',
  (shell) => {
    const opened = async () => {
      const directory = mkdtempSync(join(tmpdir(), 'davit-unwritable-'))
      chmodSync(directory, 0o755)
      const state = join(directory, 'state')
      const machine = await machineOf(shell, directory, state)
      onTestFinished(() => {
        machine.close()
        removeTree(directory)
      })
      return { directory, state, machine }
    }
    const own = (path: string) => {
      mkdirSync(path, { recursive: true })
      chownSync(path, NOBODY.uid, NOBODY.gid)
    }
    const refusal = (where: string, command: string, subject = `target 't1': `) => ({
      code: 'cannot-create',
      exitStatus: 73,
      message: `${subject}'nobody' may not write to '${where}'`,
      hint: `as root there: ${command}`,
    })

    test('to its state directory gets a hint with the command that allows it', async () => {
      const { directory, state, machine } = await opened()
      const refused = refusal(directory, `install -d -o nobody '${state}'`)
      await expect(acquireLock(machine, place, lock)).rejects.toMatchObject(refused)
      spawnSync('install', ['-d', '-o', 'nobody', state])
      expect(await acquireLock(machine, place, lock)).toEqual({ kind: 'acquired', number: 1 })
    })

    test.runIf(shell.inDepth)('to its state directory gets a hint even if a name has a quote', async () => {
      const { directory } = await opened()
      const state = join(directory, "it's/state")
      const machine = await machineOf(shell, directory, state)
      onTestFinished(() => machine.close())
      const refused = refusal(directory, `install -d -o nobody '${join(directory, "it'\\''s")}'`)
      await expect(acquireLock(machine, place, lock)).rejects.toMatchObject(refused)
    })

    test.runIf(shell.inDepth && !(noSmallDisk !== undefined))(
      'because the disk is full gets another hint',
      async () => {
        const disk = smallDisk(1024 * 1024)
        onTestFinished(() => disk.remove())
        chownSync(disk.directory, NOBODY.uid, NOBODY.gid)
        const { directory } = await opened()
        const machine = await machineOf(shell, directory, disk.directory)
        onTestFinished(() => machine.close())
        disk.fillFiles(0)
        await expect(acquireLock(machine, place, lock)).rejects.toMatchObject({
          code: 'cannot-create',
          message: expect.stringMatching(/^target 't1': cannot create '.*': .*no space left/i),
          hint: expect.stringContaining('free some space'),
        })
      },
    )

    test.runIf(shell.inDepth)('to the state of another account gets a hint, for locks and records', async () => {
      const { directory, state, machine } = await opened()
      own(state)
      const targets = join(state, 'targets')
      const [held, active] = [join(targets, 't1/lock'), join(targets, 't1/active')]
      for (const path of [targets, join(targets, 't1')]) own(path)
      mkdirSync(join(held, 'default'), { recursive: true })
      const there = join(held, 'default')
      await expect(acquireLock(machine, place, lock)).rejects.toMatchObject(refusal(there, `chown nobody '${there}'`))
      mkdirSync(active)
      writeFileSync(join(directory, 'module'), '#!/bin/sh\n', { mode: 0o755 })
      expect(await performActivity(machine, activation(directory))).toEqual({
        kind: 'failed',
        message: `'nobody' may not write to '${active}'; as root there: install -d -o nobody '${active}/default'`,
        log: '',
      })
    })

    test.runIf(shell.inDepth)('to a store gets a hint when something is sent to it', async () => {
      const { directory, state } = await opened()
      const machine = await openMachine(connectionOfNobody(shell, directory, state), { role: 'carry' })
      onTestFinished(() => machine.close())
      const store = storeLayout(join(directory, 'store'))
      const { signal } = new AbortController()
      const send = () =>
        importArchive(machine, store, { archive: Readable.from([]), names: [], protect: [], needs: [], signal })
      await expect(send()).rejects.toMatchObject({
        message: `cannot unpack packages on '${shell.name}': 'nobody' may not write to '${directory}'`,
        hint: `as root there: install -d -o nobody '${store.directory}'`,
      })
      mkdirSync(store.directory)
      await expect(send()).rejects.toMatchObject({
        message: expect.stringContaining(`'nobody' may not write to '${store.directory}'`),
        hint: `as root there: install -d -o nobody '${join(store.directory, '.davit')}'`,
      })
    })

    test('only to a store of its own, in which what is sent to it becomes valid and read-only', async () => {
      const { directory, state } = await opened()
      const machine = await openMachine(connectionOfNobody(shell, directory, state), { role: 'carry' })
      onTestFinished(() => machine.close())
      const store = storeLayout(join(directory, 'store'))
      own(store.directory)
      const name = `${'0'.repeat(32)}-web`
      const archive = tarOf(
        { name: `records/${name}.json`, type: '0', content: '{}' },
        { name: `paths/${name}/`, type: '5', mode: 0o755 },
        { name: `paths/${name}/file`, type: '0', content: 'x' },
      )
      const sent = { names: [name], protect: [name], needs: [], signal: new AbortController().signal }
      await importArchive(machine, store, { archive: Readable.from([archive]), ...sent })
      expect(await missingNames(machine, store, { names: [name] })).toEqual([])
      const modes = ['', 'file'].map((inside) => statSync(join(store.directory, name, inside)).mode & 0o777)
      expect(modes).toEqual([0o555, 0o444])
      expect(readdirSync(store.incoming)).toEqual([])
    })

    test("to /proc, as nobody may, is refused immediately with the system's message", async () => {
      const { directory } = await opened()
      const nobody = await machineOf(shell, directory, '/proc/davit/state')
      const root = await openMachine(async () => shellConnection(shell, '/proc/davit/state'))
      for (const machine of [nobody, root]) {
        onTestFinished(() => machine.close())
        await expect(acquireLock(machine, place, lock)).rejects.toMatchObject({
          code: 'cannot-create',
          message: expect.stringMatching(
            /^target 't1': cannot create '\/proc\/davit\/state\/targets\/t1': .*no such file/i,
          ),
        })
      }
    })
  },
)

function activation(directory: string) {
  const mapping = { target: 't1', container: 'process', service: 'key' } as never
  const service = { name: 'web', pkg: `${directory}/package`, type: 'module' } as const
  const rest = { dependsOn: [], connectsTo: [], providesContainers: new Map() }
  const definition = { service: { ...service, ...rest } as never, module: `${directory}/module`, properties: new Map() }
  return { profile: place.profile, token: '-', activity: 'activate', mapping, definition } as const
}

function machineOf(shell: Shell, directory: string, state: string): Promise<Machine> {
  return openMachine(connectionOfNobody(shell, directory, state))
}

function connectionOfNobody(shell: Shell, directory: string, state: string) {
  const within = join(directory, 'as-nobody')
  writeFileSync(within, `#!/bin/sh\nexec /usr/bin/${AS_NOBODY.join(' ')} "$@"\n`, { mode: 0o755 })
  return async () => shellConnection(shell, state, { within })
}
