import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, generationText, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { LANGUAGES } from '../harness/language.ts'
import { deploy, infrastructureOf, modelFile, type Models, writeModel } from '../harness/models.ts'
import { tracesOn } from '../harness/everything.ts'
import { activeOn, profileOn, recordOf } from '../harness/records.ts'
import { takeJournal, wrapper, type WrapperOptions } from '../harness/services.ts'

describe.skipIf(!HOSTS_POSSIBLE).each(LANGUAGES)(
  'the life of a deployment on three hosts, models in %s',
  (language) => {
    let set: TestHosts
    let hosts: readonly Host[]
    let user: Coordinator

    beforeAll(async () => {
      set = await bringUpHosts(3, { prefix: 'de' })
      hosts = set.hosts
      user = await coordinator({ hosts: set, language })
    })
    afterAll(async () => {
      await set?.down()
      await user?.remove()
    })
    beforeEach(async () => void (await takeJournal(hosts)))

    const system = (versions: Readonly<Record<string, WrapperOptions>> = {}) => ({
      database: wrapper(versions['database'], { port: 1 }),
      api: wrapper(
        { env: { url: '${database.target.properties.hostname}' }, ...versions['api'] },
        { dependsOn: ['database'] },
      ),
      web: wrapper({ env: { url: '${api.target.properties.hostname}' }, ...versions['web'] }, { dependsOn: ['api'] }),
      other: wrapper(versions['other']),
    })
    const placed = { database: ['de1'], api: ['de2'], web: ['de3'], other: ['de1'] }
    const models = (changes: Partial<Models> = {}): Models => ({
      services: system(),
      infrastructure: infrastructureOf(hosts),
      distribution: placed,
      ...changes,
    })
    const succeed = async (changes: Partial<Models> = {}, options: readonly string[] = []) => {
      // One system after another has the same name here.
      const outcome = await deploy(user, models(changes), { options: ['--take-over', ...options] })
      succeeded(outcome)
      return outcome
    }
    const generations = async () => ({
      coordinator: (await user.generations()).length,
      targets: (await Promise.all(hosts.map((host) => profileOn(host)))).map((profile) => profile.generations.length),
    })
    const installed = ['de1 wrapper database', 'de1 wrapper other', 'de2 wrapper api', 'de3 wrapper web']

    test('a first installation that fails leaves nothing but packages, logs and empty directories', async () => {
      const store = language === 'Nix' ? '/nix' : user.storeDirectory
      const traces = await tracesOn(set, { store, isNix: language === 'Nix' }, async () => {
        const services = system({ api: { body: '[ "$1" != activate ] || { echo "no space left"; exit 1; }' } })
        const { status, stderr } = await deploy(user, models({ services }))
        expect([status, stderr]).toEqual([1, expect.stringContaining('no space left')])
        expect(await activeOn(hosts)).toEqual([])
        expect(await generations()).toEqual({ coordinator: 0, targets: [0, 0, 0] })
        await takeJournal(hosts)
      })
      expect(traces).toEqual(hosts.map(() => ({ added: [], taken: [] })))
    })

    test('an installation activates in order of dependencies and makes the first generation everywhere', async () => {
      await succeed()
      expect(await activeOn(hosts)).toEqual(installed)
      const journal = (await takeJournal(hosts)).filter((line) => !line.includes('other'))
      expect(journal).toEqual(['database', 'api', 'web'].map((name) => `activate ${name} 1 wrapper`))
      expect(await generations()).toEqual({ coordinator: 1, targets: [1, 1, 1] })
    })

    test('the same again does nothing, says so, and adds no generation anywhere', async () => {
      const { stderr } = await succeed()
      expect(stderr).toMatch(/^nothing to do: services, profiles and generation are as the manifest says$/m)
      expect(await takeJournal(hosts)).toEqual([])
      expect(await generations()).toEqual({ coordinator: 1, targets: [1, 1, 1] })
    })

    test('the verbose notation of a distribution means the same as the simple one', async () => {
      const verbose = Object.entries(placed).map(([name, [target]]) => [
        name,
        { targets: [{ target, container: 'wrapper' }] },
      ])
      await succeed({ distribution: Object.fromEntries(verbose) as Models['distribution'] })
      expect(await takeJournal(hosts)).toEqual([])
      expect(await generations()).toEqual({ coordinator: 1, targets: [1, 1, 1] })
    })

    test('a service that moves is replaced with what depends on it, and adds a generation', async () => {
      await succeed({ distribution: { ...placed, api: ['de3'] } })
      expect(await activeOn(hosts)).toEqual([
        'de1 wrapper database',
        'de1 wrapper other',
        'de3 wrapper api',
        'de3 wrapper web',
      ])
      expect(await takeJournal(hosts)).toEqual([
        'deactivate web 1 wrapper',
        'deactivate api 1 wrapper',
        'activate api 1 wrapper',
        'activate web 1 wrapper',
      ])
      expect(await generations()).toEqual({ coordinator: 2, targets: [1, 2, 2] })
    })

    test('moving back adds another generation that is like the first one', async () => {
      await succeed()
      expect(await activeOn(hosts)).toEqual(installed)
      expect(await generations()).toEqual({ coordinator: 3, targets: [1, 3, 3] })
      expect(await generationText(user, 3)).toBe(await generationText(user, 1))
    })

    test('a dependency that is replaced by another service changes only what depends on it', async () => {
      const { web, ...others } = system()
      const services = { ...others, api2: others.api, web: { ...web, dependsOn: { api: 'api2' } } }
      await succeed({ services, distribution: { ...placed, api2: ['de1'] } })
      expect((await activeOn(hosts)).filter((line) => line.includes('api'))).toEqual([
        'de1 wrapper api2',
        'de2 wrapper api',
      ])
      expect(await takeJournal(hosts)).toEqual([
        'deactivate web 1 wrapper',
        'activate api2 1 wrapper',
        'activate web 1 wrapper',
      ])
    })

    test('a change deep down redeploys all that depends on it, and nothing else', async () => {
      await succeed()
      await takeJournal(hosts)
      await succeed({ services: system({ database: { version: '2' } }) })
      expect(await takeJournal(hosts)).toEqual([
        'deactivate web 1 wrapper',
        'deactivate api 1 wrapper',
        'deactivate database 1 wrapper',
        'activate database 2 wrapper',
        'activate api 1 wrapper',
        'activate web 1 wrapper',
      ])
    })

    test('another type redeploys', async () => {
      const services = system({ database: { version: '2' } })
      const echo = { ...services, other: { ...services.other, type: 'echo' } }
      await succeed({ services: echo })
      expect((await activeOn(hosts)).filter((line) => line.includes('other'))).toEqual(['de1 echo other'])
      expect(await takeJournal(hosts)).toEqual(['deactivate other 1 wrapper'])
    })

    test('a dry run prints what would be done, and why, and does nothing', async () => {
      const before = [await generations(), await activeOn(hosts)]
      const { database: _, ...rest } = placed
      const changed = { ...system({ api: { version: '3' } }), added: wrapper() }
      const distribution = { ...rest, database: ['de1'], other: ['de2'], added: ['de3'] }
      const { stdout } = await succeed({ services: changed, distribution }, ['--dry-run'])
      const lines = stdout.split('\n')
      expect(lines).toContainEqual(expect.stringMatching(/^\+ activate added in wrapper on de3 \(new\)$/))
      expect(lines).toContainEqual(expect.stringMatching(/^~ replace api in wrapper on de2 \(.*changed package/))
      expect(lines).toContainEqual(
        expect.stringMatching(/^~ replace web in wrapper on de3 \(changed dependency: api\)$/),
      )
      expect(lines).toContainEqual(expect.stringMatching(/^\+ activate other in wrapper on de2 \(.*moved from/))
      const gone = await succeed({ distribution: { database: ['de1'], api: ['de2'], web: ['de3'] } }, ['--dry-run'])
      expect(gone.stdout).toMatch(/^- deactivate other in echo on de1 \(removed\)$/m)
      expect([await generations(), await activeOn(hosts)]).toEqual(before)
      expect(await takeJournal(hosts)).toEqual([])
    })

    test('a service may be in several containers of a target', async () => {
      const distribution = {
        other: {
          targets: [
            { target: 'de1', container: 'wrapper' },
            { target: 'de1', container: 'second' },
          ],
        },
      }
      const containers = { containers: { wrapper: {}, second: { place: 'another' } } }
      await succeed({ distribution, infrastructure: infrastructureOf(hosts, containers) })
      expect(await activeOn(hosts)).toEqual(['de1 second other', 'de1 wrapper other'])
      expect((await takeJournal(hosts)).filter((line) => line.startsWith('activate')).toSorted()).toEqual([
        'activate other 1 second',
        'activate other 1 wrapper',
      ])
    })

    test('services and a packages model are deployed together', async () => {
      await succeed({}, ['-P', await writeModel(user, 'packages', TOOLS)])
      expect(await activeOn(hosts)).toEqual(installed)
      const { current = '' } = await profileOn(hosts[1]!)
      const found = await hosts[1]!.sh(
        'cat "$1"/packages/*-tool/bin/tool; ls "$1"/packages | cut -c 34- | sort',
        current,
      )
      expect(found).toBe('hi\napi\ntool\n')
    })

    test('activatesAfter orders activations, and passes nothing on', async () => {
      const services = { early: wrapper({ body: 'sleep 0.3' }), late: wrapper({}, { activatesAfter: ['early'] }) }
      const infrastructure = infrastructureOf(hosts, { numOfCores: 4 })
      await succeed({ services, infrastructure, distribution: { early: ['de1'], late: ['de2'] } })
      expect((await takeJournal(hosts)).slice(-2)).toEqual(['activate early 1 wrapper', 'activate late 1 wrapper'])
      await succeed({ services, infrastructure, distribution: {} })
      expect((await takeJournal(hosts)).slice(-2)).toEqual(['deactivate late 1 wrapper', 'deactivate early 1 wrapper'])
    })

    test('a container that a service provides, in the short or in the long form, passes on the properties of the provider', async () => {
      const { pkg, ...provider } = wrapper()
      const { build } = pkg as { build: { script: string } }
      const withModule = (name: string) => {
        const module = [
          'mkdir -p $out/libexec/dysnomia',
          `cat > $out/libexec/dysnomia/${name} <<'END'`,
          '#!/bin/sh',
          'echo "$(date +%s%N) $1 $DAVIT_SERVICE in $3: $boxPort $size" >> /tmp/journal',
          'END',
          `chmod +x $out/libexec/dysnomia/${name}`,
        ]
        return { build: { ...build, script: [build.script, ...module].join('\n') } }
      }
      const services = {
        short: { ...provider, pkg: withModule('box'), providesContainer: 'box', boxPort: 99, size: 'big' },
        long: { ...provider, pkg: withModule('crate'), providesContainers: { crate: { boxPort: 98, size: 'small' } } },
        one: { type: 'box', pkg: pkg as object },
        two: { type: 'crate', pkg: pkg as object },
      }
      await succeed({ services, distribution: { short: ['de1'], long: ['de2'], one: ['de1'], two: ['de2'] } })
      expect(await activeOn(hosts)).toEqual(['de1 box one', 'de1 wrapper short', 'de2 crate two', 'de2 wrapper long'])
      const journal = await takeJournal(hosts)
      const of = (...names: readonly string[]) => journal.filter((line) => names.includes(line.split(' ')[1] ?? ''))
      expect(of('short', 'one')).toEqual(['activate short 1 wrapper', 'activate one in box: 99 big'])
      expect(of('long', 'two')).toEqual(['activate long 1 wrapper', 'activate two in crate: 98 small'])
    })

    test('properties of containers arrive unchanged, whatever they hold', async () => {
      const properties = {
        quotes: `it's "quoted" \\ and \`ticked\``,
        command: '$(touch /tmp/pwned); ${HOME} && exit 1 #',
        unicode: 'Grüße, 世界 🚢',
        lines: 'one\n\n  two\n',
        percent: '%s %b \\0101 \\n',
        number: 42,
        empty: '',
      }
      const names = Object.keys(properties)
      const body = `if [ "$1" = activate ]; then for name in ${names.join(' ')}; do eval 'printf "%s" "$'"$name"'"' > "/tmp/property-$name"; done; fi`
      const infrastructure = infrastructureOf(hosts, { containers: { wrapper: properties } })
      await succeed({ services: { other: wrapper({ body }) }, infrastructure, distribution: { other: ['de2'] } })
      for (const [name, value] of Object.entries(properties)) {
        expect(await hosts[1]!.sh(`cat "/tmp/property-${name}"`)).toBe(String(value))
      }
      await expect(hosts[1]!.sh('test -e /tmp/pwned')).rejects.toThrow('Command failed')
      expect((await recordOf('other', hosts[1]!)).properties).toEqual({ ...properties, number: '42' })
    })

    test('extra parameters of a deployment reach models in TypeScript', async () => {
      await user.write(
        'parametrized.ts',
        `import { defineDistribution } from 'davit'
       export default defineDistribution(({ infrastructure, place }: { infrastructure: any; place: string }) => ({ other: [infrastructure[place]] }))`,
      )
      const options = [
        '-s',
        modelFile(user, 'services'),
        '-i',
        modelFile(user, 'infrastructure'),
        '-d',
        'parametrized.ts',
        '--extra-params',
        '{"place": "de3"}',
      ]
      const outcome = await user.run(['davit-env', ...options])
      succeeded(outcome)
      expect(await activeOn(hosts)).toEqual(['de3 wrapper other'])
    })

    test('profiles keep deployments apart', async () => {
      await deploy(user, models({ distribution: { web: ['de1'], api: ['de1'], database: ['de1'] } }), {
        options: ['-p', 'second'],
      })
      expect(await activeOn(hosts, 'second')).toHaveLength(3)
      expect(await activeOn(hosts)).toEqual(['de3 wrapper other'])
      succeeded(await user.run(['davit-env', '-p', 'second', '--undeploy', '-i', modelFile(user, 'infrastructure')]))
      expect(await activeOn(hosts, 'second')).toEqual([])
    })

    test('--no-coordinator-profile and --no-target-profiles leave the profiles alone', async () => {
      const before = await generations()
      await succeed({}, ['--no-coordinator-profile', '--no-target-profiles'])
      expect(await activeOn(hosts)).toEqual(installed)
      expect(await generations()).toEqual(before)
    })

    test('a target that vanished is named, and the rest is redeployed', async () => {
      await succeed()
      const { de3: _, ...infrastructure } = infrastructureOf(hosts)
      const { web: __, ...distribution } = placed
      const { stderr } = await succeed({ infrastructure, distribution: { ...distribution, api: ['de1'] } })
      expect(stderr).toContain(`warning: 'web' keeps running on 'de3', which is no longer in the infrastructure: `)
      expect(await activeOn(hosts.slice(0, 2))).toEqual([
        'de1 wrapper api',
        'de1 wrapper database',
        'de1 wrapper other',
      ])
      expect(await activeOn(hosts.slice(2))).toEqual(['de3 wrapper web'])
      await succeed()
      expect(await activeOn(hosts)).toEqual(installed)
    })

    test('undeployment leaves profiles whose manifests are empty', async () => {
      const outcome = await user.run(['davit-env', '--undeploy', '-i', modelFile(user, 'infrastructure')])
      succeeded(outcome)
      expect(await activeOn(hosts)).toEqual([])
      for (const host of hosts) {
        const { manifest } = await profileOn(host)
        expect(manifest).toContain('<profilemanifest')
        expect(manifest).not.toMatch(/<service |<mapping>/)
      }
    })

    test('a deployment model that holds only profiles installs them', async () => {
      const packages = await writeModel(user, 'packages', TOOLS)
      const options = `-P ${packages} -i ${modelFile(user, 'infrastructure')}`
      const made = await user.bash(`davit-normalize ${options} | davit-manifest --format json`)
      const { profiles, infrastructure } = JSON.parse(succeeded(made).stdout) as {
        profiles: Record<string, string>
        infrastructure: unknown
      }
      const deployment = await writeModel(user, 'deployment', { profiles, infrastructure })
      succeeded(await user.run(['davit-env', '-D', deployment]))
      expect(await activeOn(hosts)).toEqual([])
      expect((await profileOn(hosts[1]!)).current).toBe(profiles['de2'])
    })
  },
)

const TOOLS = { de2: [{ build: { name: 'tool', script: 'mkdir -p $out/bin; echo hi > $out/bin/tool' } }] }
