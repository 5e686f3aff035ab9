import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { connectionPool } from '@davit/connection'
import { shellConnection } from '@davit/connection/testing'
import { encodeDocument, ProfileManifest, type ProfileName, type TargetName } from '@davit/documents'
import { layOutOriginal } from '@davit/testing/original'
import { isAlive } from '@davit/testing/processes'
import { scratchDirectory } from '@davit/testing/scratch'
import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

import {
  acquireLock,
  awaitActivity,
  observeMachine,
  openMachine,
  performActivity,
  readInstalled,
  reachTargets,
  releaseLock,
  type LockHolder,
} from '../src/target.ts'
import { ClientScene, closeClientScenes } from './client-scene.ts'
import { targetWith } from './target-with.ts'

afterAll(closeClientScenes)

const SUCCEEDED = { kind: 'succeeded' }
const MODULE = `printf '%s|' "$1" "$2" "$3" "$port" "$text" >>"$D/called"; [ ! -f "$D/fail" ] || { echo broken >&2; exit 3; }`
const [dash] = installedShells()

describe.each(installedShells())('a machine behind a client executable, with $name on the coordinator', (shell) => {
  test('has its services activated and deactivated by it, and their records here', async () => {
    const scene = new ClientScene(shell)
    scene.type('web-type', MODULE)
    const machine = await scene.machine('deploy')
    const { profile, mapping, definition, pkg } = scene
    const request = { profile, token: '-', mapping, definition }
    expect(await performActivity(machine, { ...request, activity: 'activate' })).toEqual(SUCCEEDED)
    expect(scene.calls()).toEqual([
      `--activate @ --container process --type web-type --arguments port=80 --arguments text=it's $HOME \`a\` b ${pkg}`,
    ])
    expect(scene.read('called')).toBe(`activate|${pkg}|process|80|it's $HOME \`a\` b|`)
    expect((await observeMachine(machine, profile)).records).toMatchObject([{ state: 'active', mapping }])
    expect(await performActivity(machine, { ...request, activity: 'deactivate' })).toEqual(SUCCEEDED)
    expect((await observeMachine(machine, profile)).records).toEqual([])
  })

  test.runIf(shell.inDepth)('reports a service that fails with what the client printed', async () => {
    const scene = new ClientScene(shell)
    scene.type('web-type', MODULE)
    writeFileSync(scene.there('fail'), '')
    const { profile, mapping, definition } = scene
    const request = { profile, token: '-', mapping, definition, activity: 'activate' } as const
    expect(await performActivity(await scene.machine('deploy'), request)).toEqual({
      kind: 'failed',
      message: 'its module ended with status 3',
      log: 'broken\n',
    })
  })

  test('has activities that go on without davit, and are waited for', async () => {
    const scene = new ClientScene(shell)
    scene.type('web-type', `: >"$D/begun"; until [ -e "$D/go" ] || [ ! -e "$D" ]; do sleep 0.05; done\n${MODULE}`)
    const first = await scene.machine('deploy')
    const { profile, mapping, definition } = scene
    const lost = performActivity(first, { profile, token: '-', mapping, definition, activity: 'activate' })
    lost.catch(() => {})
    await until(() => existsSync(scene.there('begun')))
    first.close()
    const second = await scene.machine('deploy')
    expect((await observeMachine(second, profile)).records).toMatchObject([{ state: 'activating', running: true }])
    writeFileSync(scene.there('go'), '')
    expect(await awaitActivity(second, { profile, mapping, activity: 'activate' })).toBe(0)
    expect((await observeMachine(second, profile)).records).toMatchObject([{ state: 'active' }])
    expect(scene.calls()).toHaveLength(1)
  })

  test.runIf(shell.inDepth)('calls no module with the name of the activities of another one', async () => {
    const scene = new ClientScene(shell)
    const definition = { ...scene.definition, module: '/profile/modules/web-type.activities' }
    const { profile, mapping } = scene
    const request = { profile, token: '-', mapping, definition, activity: 'activate' } as const
    expect(await performActivity(await scene.machine('deploy'), request)).toMatchObject({
      kind: 'failed',
      message: "no module has the name 'web-type.activities'",
    })
    expect(scene.calls()).toEqual([])
  })

  test.runIf(shell.inDepth && shell.name !== 'busybox')(
    'leaves the modules that another helper makes at the same time',
    async () => {
      const bin = scratchDirectory()
      const another = 'case $3 in */client/modules/*) [ -L "$3" ] || /bin/ln -s "./$2" "$3" ;; esac'
      writeFileSync(join(bin, 'ln'), `#!/bin/sh\n${another}\nexec /bin/ln "$@"\n`, { mode: 0o755 })
      const scene = new ClientScene(shell, { here: { environment: { PATH: `${bin}:${shell.path}` } } })
      scene.type('web-type', MODULE)
      const { profile, mapping, definition } = scene
      const machine = await scene.machine('deploy')
      const request = { profile, token: '-', mapping, definition, activity: 'activate' } as const
      expect(await performActivity(machine, request)).toEqual(SUCCEEDED)
      const links = ['web-type', 'web-type.activities'].map((name) =>
        readlinkSync(join(machine.facts.stateDirectory, 'client/modules', name)),
      )
      expect(links).toEqual(['./../module', './../module.activities'])
    },
  )

  test.runIf(shell.inDepth)('takes the package of a service that provides the container as the type', async () => {
    const scene = new ClientScene(shell)
    scene.type('0000-provider', MODULE)
    const machine = await scene.machine('deploy')
    const { profile, mapping, pkg } = scene
    const provider = join(pkg, '../0000-provider')
    for (const module of [`${provider}//profile/modules/web-type`, provider]) {
      const definition = { ...scene.definition, module }
      for (const activity of ['activate', 'deactivate'] as const) {
        expect(await performActivity(machine, { profile, token: '-', mapping, definition, activity })).toEqual(
          SUCCEEDED,
        )
        expect(scene.calls()).toEqual([
          expect.stringContaining(`--${activity} @ --container process --type ${provider} `),
        ])
      }
    }
  })
})

function lockOf(scene: ClientScene, token: string) {
  const place = { target: scene.mapping.target, profile: scene.profile }
  return { place, request: { token, owner: 'somebody', leaseSeconds: 60 } }
}

describe('the lock of a machine behind a client executable', () => {
  test('is taken and released there too, and once', async () => {
    const scene = new ClientScene(dash!)
    const machine = await scene.machine('deploy')
    const { place, request } = lockOf(scene, 'token')
    expect(await acquireLock(machine, place, request)).toEqual({ kind: 'acquired', number: 1 })
    expect(await acquireLock(machine, place, request)).toMatchObject({ kind: 'acquired' })
    expect(existsSync(scene.there('locks/default'))).toBe(true)
    await releaseLock(machine, place, { token: 'token' })
    expect(scene.calls()).toEqual(['--lock @ --profile default', '--unlock @ --profile default'])
    await expect(releaseLock(machine, place, { token: 'token' })).rejects.toMatchObject({ code: 'lock-lost' })
  })

  test('is refused while somebody else holds it there', async () => {
    const scene = new ClientScene(dash!)
    const machine = await scene.machine('deploy')
    writeFileSync(scene.there('locks/default'), '')
    const { place, request } = lockOf(scene, 'token')
    await expect(acquireLock(machine, place, request)).rejects.toMatchObject({
      code: 'locked',
      exitStatus: 75,
      message: expect.stringMatching(
        /^profile 'default' cannot be locked: '.*test-client --lock --target far.example:22' ended with status 1: default is locked$/,
      ),
    })
    // Nothing is left that would make it look as if it were ours.
    await expect(acquireLock(machine, place, { ...request, token: 'next' })).rejects.toMatchObject({ code: 'locked' })
    expect(existsSync(scene.there('locks/default'))).toBe(true)
  })

  test('that a run has left is taken over with that of davit', async () => {
    const scene = new ClientScene(dash!)
    const machine = await scene.machine('deploy')
    const { place, request } = lockOf(scene, 'dead')
    await acquireLock(machine, place, request)
    const held = (await acquireLock(machine, place, { ...request, token: 'next' })) as { holder: LockHolder }
    expect(held.holder.token).toBe('dead')
    const taken = await acquireLock(machine, place, { ...request, token: 'next', deadToken: 'dead' })
    expect(taken).toMatchObject({ kind: 'acquired' })
    await expect(releaseLock(machine, place, { token: 'dead' })).rejects.toMatchObject({ code: 'lock-lost' })
    expect(existsSync(scene.there('locks/default'))).toBe(true)
    await releaseLock(machine, place, { token: 'next' })
    expect(existsSync(scene.there('locks/default'))).toBe(false)
  })

  test('is nobody’s if a run was cut off while it took it', async () => {
    const scene = new ClientScene(dash!)
    const machine = await scene.machine('deploy')
    const { place, request } = lockOf(scene, 'token')
    scene.spoil('[ "$operation" != lock ] || { : >"$D/locks/$profile"; kill -KILL $$; }')
    await expect(acquireLock(machine, place, request)).rejects.toMatchObject({ code: 'locked' })
    scene.spoil('')
    const again = acquireLock(machine, place, { ...request, token: 'next' })
    await expect(again).rejects.toMatchObject({ code: 'locked', hint: expect.stringContaining('cut off') })
  })
})

describe('a client executable', () => {
  test.each([
    ['fails', 'echo "no route to host" >&2; exit 7', 'ended with status 7: no route to host'],
    ['dies', 'kill -KILL $$', 'was ended by signal 9'],
    ['floods', 'exec yes "$(printf %1000s)"', 'printed more than 16 MB'],
    ['hangs', 'echo $$ >"$D/pid"; sleep 1000', 'has not ended for 1 s, and was stopped'],
    [
      'prints escape sequences',
      String.raw`printf '\033[31mred' >&2; exit 1`,
      String.raw`ended with status 1: \u001b[31mred`,
    ],
  ])('that %s is named', async (_, script, how) => {
    const scene = new ClientScene(dash!)
    scene.spoil(script)
    const { client } = await scene.machine('deploy')
    // A flood takes longer on a busy machine.
    const seconds = script.includes('sleep') ? 1 : 60
    await expect(client!.call('query-installed', [], { seconds })).rejects.toMatchObject({
      code: 'client-failed',
      message: `'${scene.executable} --query-installed --target far.example:22' ${how}`,
    })
    if (scene.read('pid') !== '') await until(() => !isAlive(Number(scene.read('pid'))))
  })

  test('that is missing, or no program, is refused at once', async () => {
    const scene = new ClientScene(dash!)
    for (const path of [scene.there('missing'), scene.there('types'), join(scene.pkg, 'plain')]) {
      writeFileSync(join(scene.pkg, 'plain'), 'plain', { mode: 0o644 })
      Object.assign(scene, { executable: path })
      await expect(scene.machine('deploy')).rejects.toMatchObject({ code: 'client-failed', exitStatus: 69 })
    }
    Object.assign(scene, { executable: 'no-such-client' })
    const { client } = await scene.machine('deploy')
    await expect(client!.call('query-installed', [])).rejects.toMatchObject({
      message: expect.stringMatching(/cannot be run: .*no-such-client/) as string,
      hint: expect.stringContaining('on PATH') as string,
    })
  })

  test.each([{ executable: 'client\n/bin/sh' }, { address: 'far\nother' }])(
    'that has more than one line, as %o, is refused',
    async (strange) => {
      const scene = new ClientScene(dash!)
      Object.assign(scene, strange)
      await expect(scene.machine('deploy')).rejects.toMatchObject({
        code: 'client-failed',
        message: expect.stringContaining('more than one line') as string,
      })
    },
  )

  test('is ended when the work is interrupted', async () => {
    const scene = new ClientScene(dash!)
    scene.spoil('echo $$ >"$D/pid"; sleep 1000')
    const { client } = await scene.machine('deploy')
    const interruption = new AbortController()
    const call = client!.call('realise', [], { signal: interruption.signal, seconds: 'unlimited' })
    await until(() => scene.read('pid') !== '')
    interruption.abort(new Error('interrupted'))
    await expect(call).rejects.toThrow('interrupted')
    await until(() => !isAlive(Number(scene.read('pid'))))
  })

  test('gets no secrets', async () => {
    const scene = new ClientScene(dash!)
    const machine = await scene.machine('deploy')
    const secrets = new Map([['password', { text: [{ file: '/etc/hostname' }] }]])
    const definition = { ...scene.definition, secrets } as never
    const { profile, mapping } = scene
    const result = await performActivity(machine, { profile, token: '-', mapping, definition, activity: 'activate' })
    expect(result).toMatchObject({ kind: 'not-begun', message: expect.stringContaining('which others can read') })
    expect([scene.calls(), readdirSync(scene.there('types'))]).toEqual([[], []])
  })
})

test('two targets with the same client executable and address are refused', async () => {
  const scene = new ClientScene(dash!)
  const environment = { PATH: '/usr/bin:/bin', DAVIT_STATE_DIR: join(scene.directory, 'state') }
  const pool = connectionPool({ environment })
  const infrastructure = new Map([
    ['t1' as TargetName, targetWith(scene.executable, 'a')],
    ['t2' as TargetName, targetWith(scene.executable, 'a')],
    ['t3' as TargetName, targetWith(scene.executable, 'b')],
  ])
  const { targets, unreachable } = await reachTargets(infrastructure, pool, { role: 'deploy' })
  expect([...targets.keys()]).toEqual(['t1', 't3'])
  expect(unreachable.get('t2' as TargetName)?.message).toBe(
    "it has the client executable and the address of target 't1'",
  )
  for (const { machine } of targets.values()) machine.close()
  await pool.close()
})

test('the place of each target of a client is its own', async () => {
  const scene = new ClientScene(dash!)
  const { facts } = await scene.machine('deploy')
  expect(facts.stateDirectory).toMatch(/state\/clients\/far_example_22-[0-9a-f]{16}$/)
  expect(readFileSync(join(facts.stateDirectory, 'client/executable'), 'utf8')).toBe(
    `${scene.executable}\nfar.example:22\n`,
  )
})

test('what Disnix has deployed on the coordinator is not on the machine', async () => {
  const here = scratchDirectory()
  const text = encodeDocument(
    ProfileManifest.on('t1' as TargetName),
    { services: new Map(), serviceMappings: [], snapshotMappings: [] },
    'xml',
  )
  layOutOriginal(join(here, 'nix'), { profile: 'default', target: 't1', text, store: join(here, 'store') })
  const environment = { NIX_STATE_DIR: join(here, 'nix') }
  const scene = new ClientScene(dash!, { here: { environment } })
  expect((await observeMachine(await scene.machine('deploy'), scene.profile)).originals).toEqual([])
  const local = await openMachine(async () => shellConnection(dash!, join(here, 'state'), { environment }), {
    role: 'deploy',
  })
  onTestFinished(() => local.close())
  expect((await observeMachine(local, scene.profile)).originals).toMatchObject([{ profile: scene.profile }])
})

test('nonsense in place of a profile manifest is told with the client that printed it', async () => {
  const client = { executable: '/opt/x-client', address: 'far', call: async () => ['<nonsense'] }
  await expect(
    readInstalled({ client }, { target: 't1' as TargetName, profile: 'default' as ProfileName }),
  ).rejects.toMatchObject({
    code: 'client-failed',
    message: "'/opt/x-client --query-installed --target far' printed what is no profile manifest",
  })
})
