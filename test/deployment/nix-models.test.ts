import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { tracesOn } from '../harness/everything.ts'
import { bringUpHosts, type Host, type TestHosts } from '../harness/hosts.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'
import { deploy, infrastructureOf, modelFile, type Models, writeModel } from '../harness/models.ts'
import { nixValue } from '../harness/nix-language.ts'
import { activeOn, profileOn, recordOf } from '../harness/records.ts'
import { takeJournal, wrapper, wrapperPackage } from '../harness/services.ts'
import { KEEP_DIRECTORY } from '../harness/three-targets.ts'

/** A module in a package, which writes the properties of its container into the journal. */
const BOX = `mkdir -p $out/libexec/dysnomia
cat > $out/libexec/dysnomia/box <<'END'
#!/bin/sh
echo "$(date +%s%N) $1 $DAVIT_SERVICE in $3: $boxPort $size" >> /tmp/journal
END
chmod +x $out/libexec/dysnomia/box`

const AWKWARD = {
  quotes: `it's "quoted" \\ and \`ticked\``,
  command: '$(touch /tmp/pwned); ${HOME} && exit 1 #',
  lines: 'one\n\n  two\n',
  unicode: 'Grüße, 世界 🚢',
}
const SHOW_AWKWARD = `[ "$1" != activate ] || for name in ${Object.keys(AWKWARD).join(' ')}; do
  eval 'printf "%s" "$'"$name"'"' >"/tmp/property-$name"
done`

/** Each operation of models once. What models of all languages have in common is tested with YAML. */
describe.skipIf(!NIX_POSSIBLE)('models in Nix that use everything, on two hosts,', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let [left, right]: Host[] = []
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'nm' })
    hosts = set.hosts
    ;[left, right] = [hosts[0]!, hosts[1]!]
    user = await coordinator({ hosts: set, language: 'Nix' })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })
  beforeEach(async () => void (await takeJournal(hosts)))

  const peer = (other: string) =>
    wrapper({ env: { peer: `\${${other}.target.properties.hostname}` } }, { connectsTo: [other] })
  const services = (web = '1', body = ''): Models['services'] => ({
    ledger: wrapper({ body: KEEP_DIRECTORY }, { port: 5432, deployState: true }),
    web: wrapper(
      { version: web, body, env: { url: '${ledger.target.properties.hostname}:${ledger.port}' } },
      { dependsOn: ['ledger'] },
    ),
    late: wrapper({}, { activatesAfter: ['web'] }),
    one: peer('two'),
    two: peer('one'),
    engine: wrapper({ build: BOX }, { providesContainer: 'box', boxPort: 99, size: 'big' }),
    tenant: { ...wrapper(), type: 'box' },
    several: wrapper({ body: SHOW_AWKWARD }),
    idle: wrapper(),
  })
  const models = (ledger = 'nm1', ...version: Parameters<typeof services>): Models => ({
    services: services(...version),
    infrastructure: infrastructureOf(hosts, { containers: { wrapper: AWKWARD, second: AWKWARD }, numOfCores: 2 }),
    distribution: {
      ledger: { targets: [{ target: ledger, container: 'wrapper' }] },
      web: ['nm2'],
      late: ['nm1'],
      one: ['nm1'],
      two: ['nm2'],
      engine: ['nm2'],
      tenant: ['nm2'],
      several: { targets: ['wrapper', 'second'].map((container) => ({ target: 'nm1', container })) },
    },
  })
  const installed = (ledger = 'nm1') =>
    [
      `${ledger} wrapper ledger`,
      'nm1 second several',
      'nm1 wrapper late',
      'nm1 wrapper one',
      'nm1 wrapper several',
      'nm2 box tenant',
      'nm2 wrapper engine',
      'nm2 wrapper two',
      'nm2 wrapper web',
    ].toSorted()
  const packages = async () => ['-P', await writeModel(user, 'packages', { nm2: [TOOL] })]
  const succeed = async (wanted: Models, options: readonly string[] = []) =>
    succeeded(await deploy(user, wanted, { options: [...(await packages()), ...options] }))
  const fileIn = async (service: string, host: Host, path: string) =>
    host.sh('cat "$1/$2"', (await recordOf(service, host)).pkg, path)
  /** The part of the journal that is about these services, in order. */
  const journalOf = async (...names: readonly string[]) =>
    (await takeJournal(hosts)).filter((line) => names.includes(line.split(' ')[1] ?? ''))

  test('leave nothing but packages, logs and empty directories if their installation fails', async () => {
    const traces = await tracesOn(set, { store: '/nix', isNix: true }, async () => {
      const broken = {
        ...models(),
        services: { web: wrapper({ body: '[ "$1" != activate ] || { echo "no luck"; exit 1; }' }) },
      }
      const { status, stderr } = await deploy(user, { ...broken, distribution: { web: ['nm1', 'nm2'] } })
      expect([status, stderr]).toEqual([1, expect.stringContaining('no luck')])
      expect([await activeOn(hosts), await user.generations()]).toEqual([[], []])
      await takeJournal(hosts)
    })
    expect(traces).toEqual(hosts.map(() => ({ added: [], taken: [] })))
  })

  test('are installed in order, with all that packages and modules get from them', async () => {
    await succeed(models())
    expect(await activeOn(hosts)).toEqual(installed())
    const journal = await takeJournal(hosts)
    const place = (line: string) => journal.indexOf(`activate ${line}`)
    expect(place('ledger 1 wrapper')).toBeGreaterThanOrEqual(0)
    expect(place('web 1 wrapper')).toBeGreaterThan(place('ledger 1 wrapper'))
    expect(place('late 1 wrapper')).toBeGreaterThan(place('web 1 wrapper'))
    expect(place('tenant in box: 99 big')).toBeGreaterThan(place('engine 1 wrapper'))
    expect(await fileIn('web', right!, 'url')).toBe(`${left!.address}:5432`)
    expect(await fileIn('one', left!, 'peer')).toBe(right!.address)
    expect(await fileIn('two', right!, 'peer')).toBe(left!.address)
    for (const [name, value] of Object.entries(AWKWARD)) {
      expect(await left!.sh('cat "/tmp/property-$1"', name)).toBe(value)
    }
    await expect(left!.sh('test -e /tmp/pwned')).rejects.toThrow('Command failed')
    const { current = '' } = await profileOn(right!)
    expect(await right!.sh('cat "$1"/packages/*-tool/bin/tool', current)).toBe('hi\n')
  })

  test('change nothing if they are deployed again', async () => {
    const { stderr } = await succeed(models())
    expect(stderr).toMatch(/^nothing to do: services, profiles and generation are as the manifest says$/m)
    expect([await takeJournal(hosts), await user.generations()]).toEqual([[], [1]])
  })

  test('move a service with its state, after a plan of it, and everything that depends on it follows', async () => {
    await left!.sh('echo row >>/var/lib/ledger/rows')
    const dry = (await succeed(models('nm2', '2'), ['--dry-run'])).stdout
    expect(dry).toContain('> move the state of ledger in wrapper from nm1 to nm2')
    expect(dry).toMatch(/^~ replace web in wrapper on nm2 \(/m)
    expect(await takeJournal(hosts)).toEqual([])
    await succeed(models('nm2', '2'))
    expect(await activeOn(hosts)).toEqual(installed('nm2'))
    expect(await journalOf('ledger', 'web', 'one', 'two', 'several', 'engine')).toEqual([
      'deactivate web 1 wrapper',
      'deactivate ledger 1 wrapper',
      'activate ledger 1 wrapper',
      'activate web 2 wrapper',
    ])
    expect(await right!.sh('cat /var/lib/ledger/rows')).toBe('row\n')
    expect(await fileIn('web', right!, 'url')).toBe(`${right!.address}:5432`)
  })

  test('are rolled back if their upgrade fails', async () => {
    const options = await packages()
    const failing = models('nm2', '3', '[ "$1" != activate ] || exit 1')
    expect((await deploy(user, failing, { options })).status).toBe(1)
    expect(await journalOf('web')).toEqual([
      'deactivate web 2 wrapper',
      'deactivate web 3 wrapper',
      'activate web 2 wrapper',
    ])
    expect([await activeOn(hosts), await user.generations()]).toEqual([installed('nm2'), [1, 2]])
  })

  test('get extra parameters in their functions, and in packages', async () => {
    await user.write('parametrized.nix', PARAMETRIZED)
    const distribution = await writeModel(user, 'distribution', { database: ['nm1'] })
    const options = ['-s', 'parametrized.nix', '-i', modelFile(user, 'infrastructure'), '-d', distribution]
    const words = [...options, '--take-over', '--extra-params']
    succeeded(await user.run(['davit-env', ...words, '{ greeting = "he" + "llo"; }']))
    expect(await fileIn('database', left!, 'greeting')).toBe('hello\n')
    const { pkg } = await recordOf('database', left!)
    succeeded(await user.run(['davit-env', ...words, '{ "greeting": "good bye" }']))
    expect((await recordOf('database', left!)).pkg).not.toBe(pkg)
    expect(await fileIn('database', left!, 'greeting')).toBe('good bye\n')
  })

  test('may be an architecture model that says it all, and are undeployed', async () => {
    const { infrastructure } = models()
    const all = { web: { ...wrapper(), targets: ['nm2'] }, idle: wrapper() }
    const file = await writeModel(user, 'architecture', { services: all, infrastructure })
    succeeded(await user.run(['davit-env', '-A', file, '--take-over']))
    expect(await activeOn(hosts)).toEqual(['nm2 wrapper web'])
    succeeded(await user.run(['davit-env', '--undeploy', '-i', modelFile(user, 'infrastructure')]))
    expect(await activeOn(hosts)).toEqual([])
    for (const host of hosts) {
      const { manifest } = await profileOn(host)
      expect(manifest).toContain('<profilemanifest')
      expect(manifest).not.toMatch(/<service |<mapping>/)
    }
  })
})

const TOOL = { build: { name: 'tool', script: 'mkdir -p $out/bin; echo hi > $out/bin/tool' } }

const PARAMETRIZED = `{ system, pkgs, distribution, invDistribution, greeting ? "none" }: {
  database = {
    name = "database";
    type = "wrapper";
    pkg = derivation {
      name = "database"; inherit system greeting; version = 1; builder = "/bin/sh";
      args = [ "-e" "-c" ${nixValue(`PATH=/usr/bin:/bin\n${wrapperPackage().build.script}\necho "$greeting" > $out/greeting`)} ];
    };
  };
}`
