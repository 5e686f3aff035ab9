import { sampleOf } from '@davit/testing/effort'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, type TestHosts } from '../harness/hosts.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'
import { deploy, infrastructureOf, type Models, writeModels } from '../harness/models.ts'
import { asAccount, deployAsDisnix, placesOf, running, runningOn } from '../harness/original.ts'
import { takeJournal } from '../harness/services.ts'

const ACCOUNT = `useradd -m -p '*' -s /bin/sh anna && mkdir /home/anna/.ssh && cp /root/.ssh/authorized_keys /home/anna/.ssh/ &&
  chown -R anna /home/anna`
const PLACES = placesOf('anna')

/** Nix belongs to the account, or to root, whose daemon acts for the account. */
const OWNERS = {
  account: 'chown -R anna /nix',
  root: `printf '%s\\n' 'trusted-users = root anna' >>/etc/nix/nix.conf && install -d -m 1777 /nix/var/nix/profiles/per-user &&
    { setsid nix-daemon </dev/null >/tmp/nix-daemon.log 2>&1 & } && until [ -S /nix/var/nix/daemon-socket/socket ]; do sleep 0.1; done`,
}

describe.skipIf(!NIX_POSSIBLE).each(sampleOf(['account', 'root'] as const, 1))(
  'a deployment of Disnix by an ordinary account, in a Nix store of %s,',
  (owner) => {
    let set: TestHosts
    let host: Host
    let user: Coordinator
    let before: string

    const services = (version?: string) => ({
      database: running('1', { deployState: true }),
      shop: running(version),
    })
    const models = (version?: string): Models => ({
      services: services(version),
      infrastructure: infrastructureOf([{ name: host.name, address: `anna@${host.address}` }]),
      distribution: { database: [host.name], shop: [host.name] },
    })
    const adopt = (...options: readonly string[]) => user.run(['davit-adopt', ...options, 'infrastructure.nix'])
    const pids = () => runningOn(host)
    const originals = () =>
      host.sh('cd "$1" && ls && cat default/profilemanifest.xml && find "$2" | sort', PLACES.profiles, PLACES.dysnomia)
    const records = () => asAccount(host, 'anna', `ls ${PLACES.state}/targets/*/active/default 2>/dev/null || :`)
    const ofDisnix = () => host.sh(`readlink -f ${PLACES.profiles}/default`)
    const ofDavit = () => host.sh(`readlink -f ${PLACES.state}/targets/*/profiles/default/current`)

    beforeAll(async () => {
      set = await bringUpHosts(1, { prefix: 'aa' })
      host = set.hosts[0]!
      user = await coordinator({ hosts: set, language: 'Nix' })
      await host.sh(ACCOUNT)
      const byRoot = { ...models(), infrastructure: infrastructureOf([host]) }
      await deployAsDisnix(user, host, byRoot, { places: PLACES, prepare: OWNERS[owner] })
      await writeModels(user, models())
      before = await pids()
    })
    afterAll(async () => {
      await set?.down()
      await user?.remove()
    })

    test('is adopted while it runs, and the same models then change nothing', async () => {
      const original = await originals()
      expect((await deploy(user, models())).stderr).toContain('[original-deployment]')
      expect(succeeded(await adopt('--dry-run')).stdout).toContain("'shop' in container 'wrapper'")
      expect(await records()).toBe('')
      succeeded(await adopt())
      expect((await records()).trim().split('\n')).toHaveLength(2)
      expect(succeeded(await deploy(user, models(), { options: ['--dry-run'] })).stdout).toBe('nothing to do\n')
      succeeded(await deploy(user, models()))
      expect(await user.generations()).toEqual([1])
      expect(succeeded(await adopt()).stderr).toContain('nothing to adopt')
      expect([await takeJournal([host]), await pids(), await originals()]).toEqual([[], before, original])
      expect(succeeded(await user.run(['davit-snapshots', '--deployed', '--where', 'targets'])).stdout).toContain('abc')
    })

    test('is changed, given back, and rolled back', async () => {
      succeeded(await deploy(user, models('2'), { options: ['--original-profile'] }))
      expect(await takeJournal([host])).toEqual(['deactivate shop 1 wrapper', 'activate shop 2 wrapper'])
      expect(await ofDisnix()).toBe(await ofDavit())
      expect(await originals()).toContain(`${PLACES.dysnomia}/activated/wrapper/shop\n`)
      expect(succeeded(await adopt()).stderr).toContain('nothing to adopt')
      succeeded(await user.run(['davit-env', '--rollback', '--original-profile']))
      expect(await takeJournal([host])).toEqual(['deactivate shop 2 wrapper', 'activate shop 1 wrapper'])
      expect(await ofDisnix()).toBe(await ofDavit())
    })
  },
)
