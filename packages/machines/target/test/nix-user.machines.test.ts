import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { ProfileName, StorePath, StoreReference, TargetName } from '@davit/documents'
import { type NixStore, openStore } from '@davit/store'
import { shellConnection } from '@davit/connection/testing'
import { AS_NOBODY, NOBODY } from '@davit/testing/nobody'
import { noPrivateNix, type PrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { isAlive } from '@davit/testing/processes'
import { type Shell, shellsInDepth } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Machine, openMachine, openTargetStore, setProfile } from '../src/target.ts'
import { buildClosures, type Closure, linesOf, nixPrograms, validOf } from './testing.ts'

const { signal } = new AbortController()
const reference: StoreReference = { kind: 'nix', directory: '/nix/store' }
const cannotBeNobody = spawnSync(AS_NOBODY[0], [...AS_NOBODY.slice(1), 'true']).status !== 0
const [dash] = shellsInDepth() as readonly [Shell]

describe.skipIf(noPrivateNix !== undefined || cannotBeNobody)('a user of a Nix daemon', () => {
  const here = privateNixOfFile()
  const trusting = privateNixOfFile({ settings: ['trusted-users = root nobody'] })
  const strict = privateNixOfFile()
  const programs = nixPrograms()
  const directory = mkdtempSync(join(tmpdir(), 'davit-nix-user-'))
  const machines: Pick<Machine, 'close'>[] = []
  const daemons: ChildProcess[] = []
  let store: NixStore
  let closureOf: (label: string) => Closure

  beforeAll(async () => {
    chmodSync(directory, 0o755)
    chmodSync(programs, 0o755)
    store = (await openStore(reference, here)) as NixStore
    closureOf = buildClosures(here, ['profile', 'kept', 'refused'])
    for (const nix of [trusting, strict]) await startDaemon(nix)
  })
  afterAll(() => {
    for (const machine of machines) machine.close()
    for (const daemon of daemons) daemon.kill()
    rmSync(directory, { recursive: true, force: true })
  })

  async function startDaemon(nix: PrivateNix): Promise<void> {
    chmodSync(nix.directory, 0o755)
    const daemon = spawn(join(nix.directory, 'bin/in-private-nix'), ['nix-daemon'], {
      env: nix.environment,
      stdio: 'ignore',
    })
    daemons.push(daemon)
    await until(() => expect(existsSync(nix.place('nix/var/nix/daemon-socket/socket'))).toBe(true))
  }

  async function login(name: string, nix: PrivateNix) {
    const home = join(directory, name)
    mkdirSync(home)
    chownSync(home, NOBODY.uid, NOBODY.gid)
    const within = join(directory, `${name}.enter`)
    writeFileSync(within, `#!/bin/sh\nexec ${nix.directory}/bin/in-private-nix ${AS_NOBODY.join(' ')} "$@"\n`, {
      mode: 0o755,
    })
    const shell = { ...dash, program: '/bin/sh', path: `${programs}:/usr/bin:/bin` }
    const environment = { NIX_CONF_DIR: join(nix.directory, 'conf') }
    const connect = async () => shellConnection(shell, home, { within, environment })
    const [deployer, machine] = [await openMachine(connect), await openMachine(connect, { role: 'carry' })]
    machines.push(deployer, machine)
    return { deployer, machine, there: openTargetStore({ name: name as TargetName, machine }, store), home }
  }

  test('that is trusted receives packages, keeps them, and builds', async () => {
    const { deployer, machine, there, home } = await login('trusted', trusting)
    const profile = closureOf('profile')
    const kept = closureOf('kept')
    await there.send(await there.missing([...profile, ...kept]), { signal })
    await there.protect([kept[1]])
    const place = { target: 'trusted' as TargetName, profile: 'default' as ProfileName }
    expect(
      await setProfile(deployer, { ...place, token: '-', path: profile[1], generations: 'add', store: reference }),
    ).toEqual({
      generation: 1,
    })
    expect(readlinkSync(join(home, 'targets/trusted/profiles/default/1-link'))).toBe(profile[1])
    const expression =
      'derivation { name = "x"; system = builtins.currentSystem; builder = "/bin/sh"; args = [ "-c" "echo x >$out" ]; }'
    const [derivation] = linesOf(here.shell('nix-instantiate --expr "$1" 2>/dev/null', expression)) as [StorePath]
    await there.send([derivation], { signal })
    expect(await there.build([derivation], { cores: 1, report: () => {}, signal })).toEqual([{ kind: 'built' }])
    expect(await there.fetch([derivation], { signal })).toMatchObject({ paths: 1 })
    machine.close()
    trusting.shell('nix-store --gc')
    expect(validOf(trusting, [...profile, ...kept])).toEqual([...profile, ...kept])
  })

  test('leaves no builder if the tool is interrupted', async () => {
    const { there } = await login('interrupted', trusting)
    const pids = join(directory, 'pids')
    const script = `/bin/sleep 1000 & echo $$ $! >${pids}.new; /bin/mv ${pids}.new ${pids}; wait`
    const expression = `derivation { name = "endless"; system = builtins.currentSystem; builder = "/bin/sh"; args = [ "-c" "${script}" ]; }`
    const derivations = linesOf(here.shell('nix-instantiate --expr "$1" 2>/dev/null', expression)) as StorePath[]
    await there.send(derivations, { signal })
    const stop = new AbortController()
    const building = there.build(derivations, { cores: 1, report: () => {}, signal: stop.signal })
    building.catch(() => {})
    await until(() => expect(existsSync(pids)).toBe(true))
    const builders = readFileSync(pids, 'utf8').trim().split(' ').map(Number)
    stop.abort(new Error('enough'))
    await expect(building).rejects.toThrow('enough')
    await until(() => expect(builders.map(isAlive)).toEqual([false, false]))
  })

  test('that is not trusted gets a hint', async () => {
    const { there } = await login('untrusted', strict)
    const sending = there.send(closureOf('refused'), { signal })
    await expect(sending).rejects.toMatchObject({
      message: expect.stringContaining('signature'),
      hint: expect.stringContaining('trusted-users'),
    })
  })
})
