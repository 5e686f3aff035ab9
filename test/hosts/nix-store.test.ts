import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, generationText, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, type TestHosts } from '../harness/hosts.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'
import {
  deploy,
  infrastructureOf,
  makeManifest,
  modelFile,
  type Models,
  writeModel,
  writeModels,
} from '../harness/models.ts'
import {
  addGarbage,
  closureIn,
  collectGarbage,
  forgetProtection,
  invalidIn,
  losePaths,
  storeShell,
  verifyStore,
} from '../harness/nix-store.ts'
import { activeOn, profileOn, recordOf } from '../harness/records.ts'
import { takeJournal, wrapper, type WrapperOptions } from '../harness/services.ts'

interface ManifestText {
  readonly profiles: Readonly<Record<string, string>>
  readonly services: Readonly<Record<string, { readonly pkg: string }>>
}

describe.skipIf(!NIX_POSSIBLE)('the Nix stores of two hosts', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let [left, right]: Host[] = []
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'ni' })
    hosts = set.hosts
    ;[left, right] = [hosts[0]!, hosts[1]!]
    user = await coordinator({ hosts: set, language: 'Nix' })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const system = (versions: Readonly<Record<string, WrapperOptions>> = {}) => ({
    database: wrapper(versions['database']),
    web: wrapper(
      { env: { url: '${database.target.properties.hostname}' }, ...versions['web'] },
      { dependsOn: ['database'] },
    ),
  })
  const models = (versions?: Readonly<Record<string, WrapperOptions>>): Models => ({
    services: system(versions),
    infrastructure: infrastructureOf(hosts),
    distribution: { database: ['ni1'], web: ['ni2'] },
  })
  const both = ['ni1 wrapper database', 'ni2 wrapper web']
  const succeed = async (deployed: Models, options: readonly string[] = []) =>
    succeeded(await deploy(user, deployed, { options }))
  const read = async (file: string) => JSON.parse((await user.run(['cat', file])).stdout) as ManifestText
  const packagesOf = ({ services }: ManifestText) => Object.values(services).map(({ pkg }) => pkg)
  const allPaths = (manifest: ManifestText) => [...packagesOf(manifest), ...Object.values(manifest.profiles)]

  test('are empty before', async () => {
    for (const host of hosts) expect(await host.sh('ls -A /nix/store')).toBe('')
  })

  test('hold after a deployment what their profiles need, and nothing else', async () => {
    await succeed(models())
    expect(await activeOn(hosts)).toEqual(both)
    for (const host of hosts) {
      const { current = '' } = await profileOn(host)
      const closure = await closureIn(user, current)
      expect(closure.length).toBeGreaterThan(2)
      expect(await closureIn(host, current)).toEqual(closure)
      const there = await storeShell(host, 'ls -d /nix/store/*-* | grep -v "\\.lock$"')
      expect(there.trim().split('\n').toSorted()).toEqual(closure)
      await verifyStore(host)
    }
    expect(await closureIn(right!, (await profileOn(right!)).current!)).toContain((await recordOf('web', right!)).pkg)
  })

  test('are repaired by the next run if they lost paths, and nothing is restarted', async () => {
    const { pkg } = await recordOf('web', right!)
    await losePaths(right!, [pkg])
    expect(await right!.sh('ls -d "$1" || echo lost', pkg)).toBe('lost\n')
    await takeJournal(hosts)
    await succeed(models())
    expect(await invalidIn(right!, [pkg, (await profileOn(right!)).current!])).toEqual([])
    await verifyStore(right!)
    expect(await takeJournal(hosts)).toEqual([])
    expect(await user.generations()).toEqual([1])
  })

  test('keep what any generation needs when garbage is collected, and so does that of the coordinator', async () => {
    await succeed(models({ database: { version: '2' } }))
    expect(await user.generations()).toEqual([1, 2])
    const manifests = await Promise.all(
      [1, 2].map(async (number) => {
        await user.write(`generation-${number}`, await generationText(user, number))
        return read(`generation-${number}`)
      }),
    )
    const everything = manifests.flatMap(allPaths)
    const profiles = manifests.map((manifest) => Object.values(manifest.profiles))
    expect(new Set(everything).size).toBe(7)
    for (const owner of [user, left!, right!]) {
      const rubbish = await addGarbage(owner)
      await forgetProtection(owner)
      await collectGarbage(owner)
      expect(await invalidIn(owner, [rubbish])).toEqual([rubbish])
    }
    expect(await invalidIn(user, everything)).toEqual([])
    for (const [index, host] of hosts.entries()) {
      const kept = profiles.map((paths) => paths[index]!)
      expect(new Set(kept).size).toBe(2)
      expect(await invalidIn(host, kept)).toEqual([])
    }
    await takeJournal(hosts)
    await succeed(models({ database: { version: '2' } }))
    expect(await takeJournal(hosts)).toEqual([])
  })

  test('keep between the steps of a deployment what the next step needs', async () => {
    const options = (await writeModels(user, models({ web: { version: '3' } }))).join(' ')
    succeeded(await user.bash(`davit-normalize ${options} > architecture.json`))
    await collectGarbage(user)
    succeeded(await user.bash('davit-manifest --format json architecture.json > manifest.json'))
    await collectGarbage(user)
    expect(await invalidIn(user, allPaths(await read('manifest.json')))).toEqual([])
    succeeded(await user.run(['davit-distribute', 'manifest.json']))
    for (const host of hosts) await collectGarbage(host)
    succeeded(await user.bash('davit-activate manifest.json && davit-set manifest.json'))
    for (const host of hosts) await collectGarbage(host)
    expect(await activeOn(hosts)).toEqual(both)
    await right!.sh('test -x "$1/bin/wrapper"', (await recordOf('web', right!)).pkg)
  })

  test('carry two deployments that share packages: one is undeployed, and the other keeps what it needs', async () => {
    const tool = { build: { name: 'tool', script: 'mkdir -p $out/bin; echo hello > $out/bin/tool' } }
    const packages = ['-P', await writeModel(user, 'packages', { ni2: [tool] })]
    await succeed(models(), packages)
    const extra = { ...models(), services: { extra: wrapper() }, distribution: { extra: ['ni2'] } }
    await succeed(extra, ['-p', 'second', ...packages])
    const [first, second] = [(await profileOn(right!)).current!, (await profileOn(right!, 'second')).current!]
    const shared = (await closureIn(right!, first)).find((path) => path.endsWith('-tool'))!
    expect(await closureIn(right!, second)).toContain(shared)

    const infrastructure = ['-i', modelFile(user, 'infrastructure')]
    succeeded(await user.run(['davit-env', '-p', 'second', '--undeploy', ...infrastructure]))
    expect(await activeOn(hosts, 'second')).toEqual([])
    await right!.sh('rm -r /var/lib/davit/targets/ni2/profiles/second')
    await forgetProtection(right!)
    await collectGarbage(right!)
    expect(await invalidIn(right!, [first, shared, second])).toEqual([second])
    expect(await activeOn(hosts)).toEqual(both)
  })

  // The coordinator may be faster than a look at the host. So a loop on the host waits for the path, and stops the process that writes it.
  const CUT = `(
    touch /tmp/watching
    until ls /nix/store/*-big >/dev/null 2>&1; do [ ! -e /tmp/stop ] || exit 1; done
    listener=$(cat /run/sshd.pid)
    for directory in /proc/[0-9]*; do
      pid=\${directory#/proc/}
      case $(cat "$directory/comm" 2>/dev/null) in
        nix-store) kill -9 "$pid" ;;
        sshd) [ "$pid" = "$listener" ] || kill -9 "$pid" ;;
      esac
    done
    touch /tmp/cut
  ) >/dev/null 2>&1 & until [ -e /tmp/watching ]; do :; done`

  test('survive a transfer that is cut in the middle: nothing of it counts, and it is sent again', async () => {
    const big = {
      build: {
        name: 'big',
        script: 'mkdir -p $out; head -c 30000000 /dev/urandom > $out/content; echo "$here" > $out/here',
      },
    }
    const services = { ...system(), big: { type: 'echo', pkg: big } }
    const deployed = { ...models(), services, distribution: { database: ['ni1'], web: ['ni2'], big: ['ni1'] } }
    await makeManifest(user, deployed)
    const path = packagesOf(await read('manifest.json')).find((candidate) => candidate.endsWith('-big'))!
    await left!.sh(CUT)
    const { status, stdout, stderr } = await user.run(['davit-distribute', 'manifest.json'])
    await left!.sh('touch /tmp/stop; test -e /tmp/cut')
    expect([status, stdout === '']).toEqual([0, false])
    expect(stderr).toContain('[ni1] send')
    expect(await invalidIn(left!, [path])).toEqual([])
    await succeed(deployed)
    expect(await activeOn(hosts)).toEqual(['ni1 echo big', ...both])
    await verifyStore(left!)
  })

  test('are filled from their own caches if that is requested', async () => {
    const payload = { name: 'payload', script: 'mkdir -p $out; head -c 6000000 /dev/urandom > $out/content' }
    const services = { ...system(), payload: { type: 'echo', pkg: { build: payload } } }
    const distribution = { database: ['ni1'], web: ['ni2'], payload: ['ni2'] }
    await makeManifest(user, { ...models(), services, distribution })
    const pkg = packagesOf(await read('manifest.json')).find((path) => path.endsWith('-payload'))!
    const received = async () => Number(await right!.sh('cat /sys/class/net/eth0/statistics/rx_bytes'))
    const receivedBy = async (command: readonly string[]) => {
      const before = await received()
      succeeded(await user.run(command))
      return (await received()) - before
    }

    expect(await receivedBy(['davit-distribute', 'manifest.json'])).toBeGreaterThan(6_000_000)
    await right!.sh(
      `nix --extra-experimental-features nix-command copy --to 'file:///var/cache-of-nix?compression=none' "$1" 2>&1
       printf '%s\\n' 'substituters = file:///var/cache-of-nix' 'require-sigs = false' >> /etc/nix/nix.conf`,
      pkg,
    )
    await losePaths(right!, [pkg])
    expect(await receivedBy(['davit-distribute', '--use-substitutes', 'manifest.json'])).toBeLessThan(3_000_000)
    expect(await invalidIn(right!, [pkg])).toEqual([])
    await verifyStore(right!)
  })
})
