import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, contentIn, type Host, type TestHosts } from '../harness/hosts.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'
import { deploy, infrastructureOf, type Models, writeModels } from '../harness/models.ts'
import { nixValue } from '../harness/nix-language.ts'
import { closureIn, invalidIn, storeShell, verifyStore } from '../harness/nix-store.ts'
import { activeOn, recordOf } from '../harness/records.ts'
import { wrapper, type WrapperOptions, wrapperPackage } from '../harness/services.ts'

describe.skipIf(!NIX_POSSIBLE)('two hosts, one of which builds for another system than the coordinator', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let [same, other]: Host[] = []
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'ot', systems: { ot2: 'aarch64-linux' } })
    hosts = set.hosts
    ;[same, other] = [hosts[0]!, hosts[1]!]
    user = await coordinator({ hosts: set, language: 'Nix' })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const models = (web: WrapperOptions = {}): Models => ({
    services: {
      database: wrapper(),
      web: wrapper({ env: { url: '${database.target.properties.hostname}' }, ...web }, { dependsOn: ['database'] }),
    },
    infrastructure: { ...infrastructureOf([same!]), ...infrastructureOf([other!], { system: 'aarch64-linux' }) },
    distribution: { database: ['ot1'], web: ['ot2'] },
  })
  const ON_TARGETS = { options: ['--build-on-targets'] }
  /** Returns the derivation of `web`, before it is built. */
  const web = async (deployed: Models) => {
    const options = (await writeModels(user, deployed)).join(' ')
    const { stdout } = succeeded(await user.bash(`davit-normalize ${options} | tee architecture.json`))
    const [, derivation = ''] = /"(\/nix\/store\/[^"]*-web\.drv)"/.exec(stdout) ?? []
    const output = (await storeShell(user, 'nix-store --query --outputs "$1"', derivation)).trim()
    return { derivation, output }
  }
  const logOf = (owner: Host | Coordinator, derivation: string) =>
    storeShell(owner, 'nix-store --read-log "$1" 2>/dev/null || echo none', derivation)
  /** Options of a package whose build leaves a file on its host, and waits there until it is released. */
  const held = (name: string): WrapperOptions => ({
    version: name,
    build: `touch /tmp/${name}.begun
    until [ -e /tmp/${name}.go ]; do sleep 0.1; done`,
  })
  const hasBegun = (name: string) =>
    eventually(`the build '${name}'`, () => contentIn(other!, `/tmp/${name}.begun`) !== undefined)
  const builders = () =>
    other!.sh(`for d in /proc/[0-9]*; do
      [ "\${d#/proc/}" != $$ ] || continue
      grep -qsz '^NIX_BUILD_TOP=' "$d/environ" && tr '\\0' ' ' < "$d/cmdline"
    done; :`)
  const isUnlocked = async (output: string) =>
    (
      await other!.sh('[ ! -e "$1.lock" ] || flock --nonblock "$1.lock" true && echo free || echo locked', output)
    ).trim() === 'free'

  test('without delegation the targets, the packages and the option are named, and nothing is done', async () => {
    const { status, stderr } = await deploy(user, models())
    expect(status).not.toBe(0)
    for (const part of ['aarch64-linux', "'ot2'", 'web', '--build-on-targets']) expect(stderr).toContain(part)
    expect(stderr).not.toContain("'ot1'")
    expect(await activeOn(hosts)).toEqual([])
    expect(await user.generations()).toEqual([])
  })

  test('a build model maps derivations to interfaces; what it names is built there', async () => {
    const { derivation, output } = await web(models({ version: 'model' }))
    const { stdout } = succeeded(await user.run(['davit-delegate-build', '--print', 'architecture.json']))
    expect(stdout).toMatch(/^<\?xml[^]*<distributedderivation version="2">/)
    expect(stdout).toContain(`<derivation>${derivation}</derivation>`)
    expect(stdout).toContain(`<targetAddress>${other!.address}</targetAddress>`)
    expect(await closureIn(user, derivation)).toContain(derivation)
    expect(await invalidIn(user, [output])).toEqual([output])

    await user.write('build.xml', stdout)
    const built = await user.run(['davit-delegate-build', '-B', 'build.xml'])
    expect(succeeded(built).stdout).toBe(stdout)
    expect(await invalidIn(user, [output])).toEqual([])
    expect(await logOf(user, derivation)).toBe('none\n')
  })

  test('packages are built on the targets: the logs are there, and the results also here', async () => {
    const { derivation, output } = await web(models())
    succeeded(await deploy(user, models(), ON_TARGETS))
    expect(await activeOn(hosts)).toEqual(['ot1 wrapper database', 'ot2 wrapper web'])
    expect((await recordOf('web', other!)).pkg).toBe(output)
    expect(await logOf(other!, derivation)).not.toBe('none\n')
    expect(await logOf(user, derivation)).toBe('none\n')
    expect(await closureIn(user, output)).toEqual(await closureIn(other!, output))
    for (const owner of [user, ...hosts]) await verifyStore(owner)
  })

  test('what is valid is not built again, and extra parameters reach the models', async () => {
    const script = `${wrapperPackage().build.script}\necho "$greeting" > $out/greeting; echo built >> /tmp/builds`
    await user.write(
      'parametrized.nix',
      `{ system, pkgs, distribution, invDistribution, greeting ? "none" }: {
        web = {
          name = "web";
          type = "wrapper";
          pkg = derivation {
            name = "web"; inherit system greeting; version = 1; builder = "/bin/sh";
            args = [ "-e" "-c" ${nixValue(`PATH=/usr/bin:/bin\n${script}`)} ];
          };
        };
      }`,
    )
    await user.write('only-web.nix', '{ infrastructure }: { web = [ infrastructure.ot2 ]; }')
    const options = ['-s', 'parametrized.nix', '-i', 'infrastructure.nix', '-d', 'only-web.nix']
    const parameters = ['--extra-params', '{ greeting = "hello"; }']
    for (const _ of [1, 2]) {
      succeeded(await user.run(['davit-env', '--build-on-targets', ...options, ...parameters]))
    }
    expect(await other!.sh('cat "$1/greeting"', (await recordOf('web', other!)).pkg)).toBe('hello\n')
    expect(await other!.sh('cat /tmp/builds')).toBe('built\n')
  })

  test('a build that fails shows the end of its log and the target, and the others finish', async () => {
    const deployed = models({ build: 'echo "no rule to make target"; exit 2' })
    const services = { ...deployed.services, database: wrapper({ version: 'delegated' }) }
    const { output } = await web({ ...deployed, services })
    const { status, stdout, stderr } = await user.run(['davit-delegate-build', 'architecture.json'])
    expect([status === 0, stdout]).toEqual([false, ''])
    expect(stderr).toContain('no rule to make target')
    expect(stderr).toContain("'ot2'")
    expect(await invalidIn(other!, [output])).toEqual([output])
    expect(await same!.sh('grep -ls "^version=delegated" /nix/store/*-database/bin/wrapper')).not.toBe('')
  })

  test('a builder that is killed leaves nothing half done, and the next run builds', async () => {
    const deployed = models(held('killed'))
    const { output } = await web(deployed)
    const running = user.run(['davit-delegate-build', 'architecture.json'])
    await hasBegun('killed')
    await other!.sh(`for d in /proc/[0-9]*; do
      [ "\${d#/proc/}" != $$ ] && grep -qsz '^NIX_BUILD_TOP=' "$d/environ" && kill -9 "\${d#/proc/}"; done; :`)
    const { status, stderr } = await running
    expect(status).not.toBe(0)
    expect(stderr).toContain("'ot2'")
    expect(await invalidIn(other!, [output])).toEqual([output])
    await other!.sh('touch /tmp/killed.go')
    succeeded(await deploy(user, deployed, ON_TARGETS))
    expect((await recordOf('web', other!)).pkg).toBe(output)
  })

  test.each([
    ['an interrupt', 'interrupted'],
    ['the loss of the connection', 'lost'],
  ])('%s ends the builders on the target and leaves no lock', async (_, name) => {
    const deployed = models(held(name))
    const { output } = await web(deployed)
    const running = user.start(['davit-delegate-build', 'architecture.json'])
    await hasBegun(name)
    expect(await builders()).not.toBe('')
    if (name === 'interrupted') running.process.kill('SIGINT')
    else {
      await other!.sh(`for d in /proc/[0-9]*; do
        [ "$(cat "$d/comm" 2>/dev/null)" = sshd ] && [ "\${d#/proc/}" != "$(cat /run/sshd.pid)" ] && kill -9 "\${d#/proc/}"
      done; :`)
    }
    const { status } = await running.outcome
    expect(status).toBe(name === 'interrupted' ? 130 : 69)
    await eventually('the end of the builders', async () => expect(await builders()).toBe(''))
    expect(await isUnlocked(output)).toBe(true)
    expect(await invalidIn(other!, [output])).toEqual([output])
    await other!.sh(`touch /tmp/${name}.go`)
    succeeded(await user.run(['davit-delegate-build', 'architecture.json']))
    expect(await invalidIn(user, [output])).toEqual([])
  })
})
