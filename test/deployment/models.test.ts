import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { LANGUAGES } from '../harness/language.ts'
import { deploy, infrastructureOf, modelFile, type Models, writeModel, writeModels } from '../harness/models.ts'
import { nixValue } from '../harness/nix-language.ts'
import { activeOn, davitFilesOn, profileOn, recordOf } from '../harness/records.ts'
import { wrapper, wrapperPackage } from '../harness/services.ts'

describe.skipIf(!HOSTS_POSSIBLE).each(LANGUAGES)('what models in %s can say, on two hosts', (language) => {
  let set: TestHosts
  let hosts: readonly Host[]
  let [left, right]: Host[] = []
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'mo' })
    hosts = set.hosts
    ;[left, right] = [hosts[0]!, hosts[1]!]
    user = await coordinator({ hosts: set, language })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  test('there is nothing of davit on the hosts before', async () => {
    expect(await Promise.all(hosts.map((host) => davitFilesOn(host, user.storeDirectory)))).toEqual(['', ''])
  })

  const database = wrapper({}, { port: 5432 })
  const web = wrapper({ env: { provider: '${database.name}' } }, { dependsOn: ['database'] })
  const services = { database, web }
  const models = (changes: Partial<Models> = {}): Models => ({
    services,
    infrastructure: infrastructureOf(hosts),
    distribution: { database: ['mo1'], web: ['mo2'] },
    ...changes,
  })
  const normalize = async (changes: Partial<Models>) =>
    user.run(['davit-normalize', ...(await writeModels(user, models(changes)))])
  const fileIn = (host: Host, path: string) => host.sh('cat "$1"', path)

  test('a complete model gives a manifest', async () => {
    const options = (await writeModels(user, models())).join(' ')
    const { stdout } = succeeded(await user.bash(`davit-normalize ${options} | davit-manifest`))
    expect(stdout).toMatch(/^<\?xml/)
    expect(stdout.match(/<mapping>/g)).toHaveLength(3)
  })

  test('a service whose name is not its name in the table is refused', async () => {
    const misnamed = { ...services, database: { ...database, name: 'databse' } }
    const { status, stderr, stdout } = await normalize({ services: misnamed })
    expect([status, stdout]).toEqual([65, ''])
    expect(stderr).toContain("'databse'")
  })

  test('a package that uses an inter-dependency which is not declared is refused', async () => {
    const undeclared = wrapper({ env: { provider: '${database.name}' } })
    const { status, stderr } = await normalize({ services: { database, web: undeclared } })
    expect([status, stderr]).toEqual([65, expect.stringContaining('database')])
  })

  test('an inter-dependency that is placed nowhere is refused once its target is used', async () => {
    const used = wrapper({ env: { host: '${database.target.properties.hostname}' } }, { dependsOn: ['database'] })
    const { status, stderr } = await normalize({ services: { database, web: used }, distribution: { web: ['mo2'] } })
    expect([status, stderr]).toEqual([65, expect.stringContaining('database')])
  })

  test('the distribution of an unknown service is refused, with line, column and a suggestion', async () => {
    const { status, stderr } = await normalize({ distribution: { database: ['mo1'], wbe: ['mo2'] } })
    expect(status).toBe(65)
    expect(stderr).toMatch(
      language === 'Nix' ? /^distribution\.nix:\d+:\d+: error: .*'wbe'/m : /^distribution\.yaml:3:1: error: .*'wbe'/m,
    )
    expect(stderr).toContain("'web'")
  })

  test('a cycle of dependsOn is refused as a path', async () => {
    const cyclic = { one: wrapper({}, { dependsOn: ['two'] }), two: wrapper({}, { dependsOn: ['one'] }) }
    const { status, stderr } = await normalize({ services: cyclic, distribution: { one: ['mo1'], two: ['mo2'] } })
    expect(status).toBe(65)
    expect(stderr).toMatch(/one.*two.*one|two.*one.*two/)
  })

  test('redundant mappings put a service on all its targets, other services only where they are mapped', async () => {
    const distribution = { database: ['mo1'], web: ['mo1', 'mo2'] }
    succeeded(await deploy(user, models({ distribution })))
    expect(await activeOn(hosts)).toEqual(['mo1 wrapper database', 'mo1 wrapper web', 'mo2 wrapper web'])
    const [one, two] = [await profileOn(left!), await profileOn(right!)]
    expect(one.manifest).toContain('<name>database</name>')
    expect(two.manifest).not.toContain('<name>database</name>')
  })

  test('a custom composition binds another service that provides the same', async () => {
    const bound = { ...web, dependsOn: { database: 'spare' } }
    const changed = models({
      services: { database, spare: database, web: bound },
      distribution: { database: ['mo1'], spare: ['mo2'], web: ['mo2'] },
    })
    succeeded(await deploy(user, changed))
    const { pkg } = await recordOf('web', right!)
    expect(await fileIn(right!, `${pkg}/provider`)).toBe('spare')
  })

  test('services that connect to each other are deployed, each knowing the other', async () => {
    const peer = (other: string) =>
      wrapper({ env: { peer: `\${${other}.target.properties.hostname}` } }, { connectsTo: [other] })
    const changed = models({
      services: { one: peer('two'), two: peer('one') },
      distribution: { one: ['mo1'], two: ['mo2'] },
    })
    succeeded(await deploy(user, changed, { options: ['--take-over'] }))
    expect(await activeOn(hosts)).toEqual(['mo1 wrapper one', 'mo2 wrapper two'])
    const { pkg } = await recordOf('one', left!)
    expect(await fileIn(left!, `${pkg}/peer`)).toBe(right!.address)
  })

  test('a packages model installs packages, alone as well', async () => {
    const tool = { build: { name: 'tool', script: 'mkdir -p $out/bin; echo hello > $out/bin/tool' } }
    const packages = await writeModel(user, 'packages', { mo1: [tool] })
    succeeded(await user.run(['davit-env', '-P', packages, '-i', modelFile(user, 'infrastructure')]))
    expect(await activeOn(hosts)).toEqual([])
    const installed = async (host: Host) =>
      host.sh('cat "$1"/packages/*-tool/bin/tool || :', (await profileOn(host)).current ?? '')
    expect([await installed(left!), await installed(right!)]).toEqual(['hello\n', ''])
  })

  test('an architecture model says it all, and leaves out services without targets', async () => {
    const all = { database: { ...database, targets: ['mo2'] }, web: { ...web, targets: ['mo1'] }, idle: wrapper() }
    const architecture = { services: all, infrastructure: infrastructureOf(hosts) }
    succeeded(await user.run(['davit-env', '-A', await writeModel(user, 'architecture', architecture)]))
    expect(await activeOn(hosts)).toEqual(['mo1 wrapper web', 'mo2 wrapper database'])
  })

  test('extra parameters reach the functions of models and change packages', async () => {
    const files = language === 'Nix' ? nixWithParameter : typeScriptWithParameter
    await user.write(files.name, files.text)
    const distribution = await writeModel(user, 'distribution', { database: ['mo1'] })
    const options = ['-s', files.name, '-i', modelFile(user, 'infrastructure'), '-d', distribution]
    succeeded(await user.run(['davit-env', ...options]))
    const before = await recordOf('database', left!)
    succeeded(await user.run(['davit-env', ...options, '--extra-params', files.parameters]))
    const after = await recordOf('database', left!)
    expect(after.pkg).not.toBe(before.pkg)
    expect(await fileIn(left!, `${after.pkg}/greeting`)).toBe('hello\n')
  })
})

const SCRIPT = `${wrapperPackage().build.script}\necho "$greeting" > $out/greeting`

const typeScriptWithParameter = {
  name: 'services.ts',
  text: `import { build, defineServices } from 'davit'
    export default defineServices(({ greeting = 'none' }: { greeting?: string }) => ({
      database: { type: 'wrapper', pkg: build({ env: { greeting, version: 1 }, script: ${JSON.stringify(SCRIPT)} }) },
    }))`,
  parameters: '{"greeting": "hello"}',
}

const nixWithParameter = {
  name: 'parametrized.nix',
  text: `{ system, pkgs, distribution, invDistribution, greeting ? "none" }: {
    database = {
      name = "database";
      type = "wrapper";
      pkg = derivation {
        name = "database"; inherit system greeting; version = 1; builder = "/bin/sh";
        args = [ "-e" "-c" ${nixValue(`PATH=/usr/bin:/bin\n${SCRIPT}`)} ];
      };
    };
  }`,
  parameters: '{ greeting = "hello"; }',
}
