import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy } from '../harness/models.ts'
import { wrapper } from '../harness/services.ts'
import { hostOf, type TargetName, targetsOn } from '../harness/three-targets.ts'

/** Keeps its state in a file, and loads a snapshot into another one. */
const KEEPER = `state=/srv/$DAVIT_SERVICE
case $1 in
  activate) [ -e "$state" ] || echo first >"$state" ;;
  snapshot) cp "$state" "$DAVIT_SNAPSHOT/rows" ;;
  restore) cp "$DAVIT_SNAPSHOT/rows" "$state" ;;
  verify)
    echo "$DAVIT_TARGET" >>/tmp/verified
    cp "$DAVIT_SNAPSHOT/rows" "$state.aside" && [ ! -e /tmp/hang ] || { touch /tmp/hangs; while [ -e /tmp/hang ]; do sleep 0.1; done; }
    grep -v broken "$state.aside" >/dev/null
    end=$?
    rm -f "$state.aside"
    exit "$end"
    ;;
  collect-garbage) rm -f "$state" ;;
esac`

const ACTIVITIES = ['activate', 'deactivate', 'snapshot', 'restore', 'verify', 'collect-garbage']

interface Listed {
  readonly service: string
  readonly where: string
  readonly verified?: { readonly how: string; readonly on: string }
}

/** The tests continue each other. */
describe.skipIf(!HOSTS_POSSIBLE)('snapshots that are verified on real hosts', () => {
  let set: TestHosts
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'sv' })
    user = await coordinator({ hosts: set })
    await user.write('modules/keeper', `#!/bin/sh\n${KEEPER}\n`)
    await user.write('modules/keeper.activities', ACTIVITIES.map((name) => `${name}\n`).join(''))
    await user.bash('chmod +x modules/keeper')
    const keeper = { type: 'keeper', pkg: { build: { script: 'mkdir $out' } }, deployState: true }
    const infrastructure = targetsOn(set)
    const containers = { keeper: {}, wrapper: {} }
    const models = {
      services: { db: keeper, spare: keeper, files: wrapper({ body: FILES }, { deployState: true }) },
      infrastructure: Object.fromEntries(
        Object.entries(infrastructure).map(([name, target]) => [name, { ...(target as object), containers }]),
      ),
      distribution: { db: ['one'], files: ['two'], spare: ['three'] },
    }
    succeeded(await deploy(user, models, { options: ['--modules', 'modules'] }))
    await user.write('deployed.json', succeeded(await user.run(['davit-generations', '--current'])).stdout)
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const host = (target: TargetName) => hostOf(set, target)
  const run = async (...argv: readonly string[]) => user.run(['davit-snapshot', ...argv])
  const verified = async (service: string) => {
    const { stdout } = succeeded(await user.run(['davit-snapshots', '--format', 'json', '-S', service]))
    const listed = JSON.parse(stdout) as readonly Listed[]
    const last = new Map(listed.map((one) => [one.where, one.verified]))
    return [...last].map(([where, found]) => `${where} ${found?.how ?? 'never'} ${found?.on ?? ''}`.trimEnd())
  }
  /** What verifications have left on a host, besides directories. */
  const left = (target: TargetName) =>
    host(target).sh(
      'cd /var/lib/davit/targets && find */verifying/* */dysnomia/incoming/* 2>/dev/null; ls /srv | grep aside; :',
    )

  test('are loaded where they were taken, or compared, while somebody holds the lock', async () => {
    const { status, stderr } = await user.run([
      'davit-lock',
      'deployed.json',
      '--',
      'davit-snapshot',
      '--deployed',
      '--keep',
      '7',
      '--verify',
    ])
    expect([status, stderr]).toEqual([0, expect.stringContaining("of 'db' is verified: it was loaded, and compared")])
    expect(stderr).toContain("of 'files' is verified: it was unpacked, and its content compared; its module loads none")
    expect(await verified('db')).toEqual(['coordinator loaded one', 'target loaded one'])
    expect(await verified('files')).toEqual(['coordinator content two', 'target content two'])
    expect(await Promise.all([left('one'), left('two')])).toEqual(['', ''])
  })

  test('are loaded on another host, from what the coordinator keeps, though their own has lost it', async () => {
    await host('one').sh('rm -rf /var/lib/davit/targets/one/dysnomia/snapshots')
    const { status } = await run('--transfer-only', '--verify', '--verify-on', 'three', '-S', 'db')
    expect([status, await host('three').sh('tail -n 1 /tmp/verified')]).toEqual([0, 'three\n'])
    expect(await verified('db')).toEqual(['coordinator loaded three'])
    expect([await left('three'), await host('three').sh('cat /srv/spare')]).toEqual(['', 'first\n'])
  })

  test('fail if they cannot be loaded, which is noted, and the others are verified', async () => {
    await host('one').sh('echo broken >/srv/db')
    const { status, stderr } = await run('--deployed', '--verify')
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(
        'cannot verify the latest snapshot of db in keeper on one: it is not verified: its module',
      ),
    ])
    expect(await verified('db')).toEqual(['coordinator failed one', 'target failed one'])
    expect(await verified('spare')).toEqual(['coordinator loaded three', 'target loaded three'])
    expect(await left('one')).toBe('')
  })

  test('leave nothing if the coordinator is killed meanwhile, nor a lock', async () => {
    await host('three').sh('rm -f /tmp/hangs; touch /tmp/hang')
    const killed = await user.bash(
      `davit-snapshot --transfer-only --verify --verify-on three -S db & tool=$!
      sleep 5; kill -KILL "$tool"; wait "$tool"; echo "$?"`,
    )
    expect([killed.stdout, await host('three').sh('ls /tmp/hangs')]).toEqual(['137\n', '/tmp/hangs\n'])
    await host('three').sh(
      'rm /tmp/hang; until [ -z "$(ls /var/lib/davit/targets/three/verifying)" ]; do sleep 0.2; done',
    )
    expect(await left('three')).toBe('')
    succeeded(await user.run(['davit-lock', 'deployed.json', '--', 'true']))
  })
})

/** A wrapper's state: files, which need no module to be verified. */
const FILES = `case $1 in
  activate) mkdir -p /srv/files && echo row >/srv/files/row ;;
  snapshot) ln -s /srv/files "$DAVIT_SNAPSHOT/state" ;;
esac`
