import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { LANGUAGES } from '../harness/language.ts'
import { deploy, infrastructureOf, makeManifest, type Models } from '../harness/models.ts'
import { profileOn } from '../harness/records.ts'
import { takeJournal, wrapper } from '../harness/services.ts'

const UNCHANGED = 'nothing to do: services, profiles and generation are as the manifest says\n'
const LOCKING = ['lock', 'unlock']

describe.skipIf(!HOSTS_POSSIBLE).each(LANGUAGES)('the same deployment again, models in %s', (language) => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'un' })
    hosts = set.hosts
    user = await coordinator({ hosts: set, language })
    succeeded(await deploy(user, models()))
    await makeManifest(user, models())
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })
  beforeEach(async () => void (await takeJournal(hosts)))

  const models = (): Models => ({
    services: { database: wrapper({ body: REFUSE }), web: wrapper({}, { dependsOn: ['database'] }) },
    infrastructure: infrastructureOf(hosts),
    distribution: { database: ['un1'], web: ['un2'] },
  })
  const again = () => user.run(['davit-env', '-D', 'manifest.json'])
  const calls = () => takeJournal(hosts, ['activate', 'deactivate', ...LOCKING])
  /** When the files of davit were last changed: on the hosts, and on the coordinator, here without the store of Nix. */
  const changeTimes = async () => {
    const places = [...(language === 'Nix' ? [] : [user.storeDirectory]), '/var/lib/davit']
    const script = 'find "$@" -printf "%p %C@\\n" | LC_ALL=C sort'
    const here = [user.stateDirectory, ...places.slice(0, -1)]
    return Promise.all([
      ...hosts.map((host) => host.sh(script, ...places)),
      user.run(['sh', '-c', script, 'sh', ...here]).then(({ stdout }) => stdout),
    ])
  }

  test('changes no file anywhere, calls no module, and says one sentence', async () => {
    const before = await changeTimes()
    expect(before.every((text) => text.includes('default'))).toBe(true)
    expect(await again()).toEqual({ status: 0, stdout: '', stderr: UNCHANGED })
    expect([await changeTimes(), await calls()]).toEqual([before, []])
  })

  test('evaluates models, and says the same', async () => {
    expect(succeeded(await deploy(user, models())).stderr).toContain(UNCHANGED)
    expect(await calls()).toEqual([])
  })

  test('sends what somebody has removed from the store of a target', async () => {
    const remove =
      language === 'Nix'
        ? 'nix-store --delete --ignore-liveness "$1" 2>&1'
        : 'rm "$2/.davit/registrations/${1##*/}.json"; chmod -R u+w "$1"; rm -r "$1"'
    await hosts[1]!.sh(remove, (await profileOn(hosts[1]!)).current ?? '', user.storeDirectory)
    const { stderr } = succeeded(await again())
    expect(stderr).toMatch(/\[un2\] send 1 package /)
    expect(stderr).toContain('nothing to do: all services match the manifest\n')
    expect((await again()).stderr).toBe(UNCHANGED)
  })

  test('is refused while somebody else is at work, and unlocks what that one has left locked', async () => {
    const wait = 'touch held; until [ -e leave ]; do sleep 0.05; done'
    const holder = user.start(['davit-lock', 'manifest.json', '--', 'sh', '-c', wait])
    await eventually('the lock', async () => (await user.run(['test', '-e', 'held'])).status === 0)
    const refused = await again()
    expect([refused.status, refused.stderr]).toEqual([75, expect.stringContaining(' is locked by ')])
    process.kill(-holder.process.pid!, 'SIGKILL')
    await holder.outcome
    await calls()
    expect(succeeded(await again()).stderr).toContain('nothing to do: all services match the manifest\n')
    expect((await calls()).at(-1)).toMatch(/^unlock /)
    expect((await again()).stderr).toBe(UNCHANGED)
    expect(await calls()).toEqual([])
  })

  test('asks a service once more that could not be unlocked', async () => {
    await hosts[0]!.sh('touch /tmp/refuse')
    const manifest = ['davit-lock', 'manifest.json', '--', 'true']
    expect((await user.run(manifest)).status).toBe(1)
    expect((await again()).status).toBe(1)
    await hosts[0]!.sh('rm /tmp/refuse')
    await calls()
    succeeded(await again())
    expect(await calls()).toContainEqual(expect.stringMatching(/^unlock database /))
    expect((await again()).stderr).toBe(UNCHANGED)
  })
})

/** A wrapper's body that refuses to be unlocked while there is a file. */
const REFUSE = '[ "$1" != unlock ] || [ ! -e /tmp/refuse ] || exit 1'
