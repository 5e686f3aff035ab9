import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, type Models, writeModels } from '../harness/models.ts'
import { activeOn } from '../harness/records.ts'
import { wrapper } from '../harness/services.ts'

describe.skipIf(!HOSTS_POSSIBLE)('builds on two targets, in the native store', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'db' })
    hosts = set.hosts
    user = await coordinator({ hosts: set })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const builtOn = async ({ sh }: Host) =>
    (await sh(`ls "$1"/.davit/logs 2>/dev/null || :`, user.storeDirectory)).split('\n').flatMap(nameIn)
  const builtHere = async () =>
    (await readdir(join(user.storeDirectory, '.davit/logs')).catch(() => [])).flatMap(nameIn)
  const validHere = async () => (await readdir(join(user.storeDirectory, '.davit/registrations'))).flatMap(nameIn)
  const workOn = ({ sh }: Host) =>
    sh(`ls "$1"/.davit/incoming 2>/dev/null | grep -v '^built' || :`, user.storeDirectory)
  const architecture = async (models: Models) => {
    const options = (await writeModels(user, models)).join(' ')
    succeeded(await user.bash(`davit-normalize ${options} > architecture.json`))
    return 'architecture.json'
  }
  const models = (services: Models['services'], distribution: Models['distribution'], system?: string): Models => ({
    services,
    infrastructure: infrastructureOf(hosts, system === undefined ? {} : { system }),
    distribution,
  })

  test('a deployment is built where it is needed, each package once, and not here', async () => {
    const lib = { build: { script: 'mkdir -p $out/bin; echo "echo lib" > $out/bin/lib; chmod +x $out/bin/lib' } }
    const services = {
      front: wrapper({ version: 'front' }),
      both: wrapper({ version: 'both' }),
      back: withInput(wrapper({ version: 'back', build: '[ "$(lib)" = lib ]' }), lib),
    }
    const system = models(services, { front: ['db1'], both: ['db1', 'db2'], back: ['db2'] })
    const first = succeeded(await deploy(user, system, { options: ['--build-on-targets'] }))
    expect(first.stderr).toMatch(/^\[db1\] build front: done$/m)
    expect(first.stderr).toMatch(/^\[db2\] bring back .*: done$/m)
    expect(await activeOn(hosts)).toEqual([
      'db1 wrapper both',
      'db1 wrapper front',
      'db2 wrapper back',
      'db2 wrapper both',
    ])
    const built = (await Promise.all(hosts.map(builtOn))).flat()
    expect(built.toSorted()).toEqual(['back', 'both', 'front', 'lib'])
    expect(await builtHere()).toEqual([])
    const again = succeeded(await deploy(user, system, { options: ['--build-on-targets'] }))
    expect(again.stderr).toContain('nothing to build: all packages are here')
    expect(again.stderr).not.toContain('[db1] build')
  })

  test('it works in a pipe, and passes on its input', async () => {
    const options = (
      await writeModels(user, models({ piped: wrapper({ version: 'piped' }) }, { piped: ['db2'] }))
    ).join(' ')
    const outcome = await user.bash(
      `davit-normalize ${options} | tee read.json | davit-delegate-build | tee handed.json | davit-manifest > manifest.xml && cmp read.json handed.json`,
    )
    succeeded(outcome)
    expect(await builtOn(hosts[1]!)).toContain('piped')
    expect(await builtHere()).toEqual([])
  })

  test('a build that fails is shown with its log; the others are built, and nothing of it is left', async () => {
    const services = {
      bad: wrapper({ build: 'mkdir $out; echo half > $out/half; echo "cannot find -lmissing" >&2; exit 3' }),
      good: wrapper({ version: 'good' }),
    }
    const file = await architecture(models(services, { bad: ['db1'], good: ['db1', 'db2'] }))
    const outcome = await user.run(['davit-delegate-build', file])
    expect(outcome).toMatchObject({ status: 1, stdout: '' })
    expect(outcome.stderr).toContain("error: the build of 'bad' on target 'db1'")
    expect(outcome.stderr).toContain('  | cannot find -lmissing')
    expect(await validHere()).toContain('good')
    expect(await validHere()).not.toContain('bad')
    const left = await Promise.all(hosts.map(({ sh }) => sh('ls -d "$1"/*-bad 2>/dev/null || :', user.storeDirectory)))
    expect(left).toEqual(['', ''])
    expect(await user.run(['davit-delegate-build', file])).toMatchObject({ status: 1 })
  })

  test('another platform: refused here with the option that helps, built on the targets', async () => {
    const services = { foreign: wrapper({ version: 'foreign' }) }
    const system = models(services, { foreign: ['db1', 'db2'] }, 'aarch64-linux')
    const environment = { DAVIT_SYSTEM: 'x86_64-linux' }
    const refused = await deploy(user, system, { environment })
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain("'foreign' must be built on aarch64-linux")
    expect(refused.stderr).toContain('--build-on-targets')
    const options = ['--build-on-targets', '--dry-run', '--take-over']
    const built = await deploy(user, system, { environment, options })
    succeeded(built)
    expect(await validHere()).toContain('foreign')
    const mixed = await architecture({
      ...system,
      infrastructure: { ...system.infrastructure, ...infrastructureOf([hosts[1]!]) },
      services: { foreign: wrapper({ version: 'mixed' }) },
    })
    const printed = succeeded(
      await user.run(['davit-delegate-build', '--print', '--format', 'json', mixed], { environment }),
    )
    const { derivationMappings } = JSON.parse(printed.stdout) as { derivationMappings: { derivation: string }[] }
    expect(new Set(derivationMappings.map(({ derivation }) => derivation)).size).toBe(2)
    succeeded(await user.run(['davit-delegate-build', mixed], { environment }))
  })

  test('--print builds nothing; its build model can be built', async () => {
    const file = await architecture(models({ printed: wrapper({ version: 'printed' }) }, { printed: ['db1', 'db2'] }))
    const printed = succeeded(await user.bash(`davit-delegate-build --print ${file} | tee build.xml`))
    expect(printed.stdout).toMatch(/^<\?xml .*\n<distributedderivation version="2">/)
    expect([...printed.stdout.matchAll(/<targetAddress>(.*)<\/targetAddress>/g)].map(([, address]) => address)).toEqual(
      hosts.map(({ address }) => address),
    )
    expect(await validHere()).not.toContain('printed')
    expect(succeeded(await user.run(['davit-delegate-build', '-B', 'build.xml'])).stdout).toBe(printed.stdout)
    expect(await validHere()).toContain('printed')
    expect(await builtHere()).toEqual([])
  })

  const long = (name: string, seconds: number) => ({
    [name]: wrapper({ version: name, build: `[ -e /tmp/${name}.go ] || exec sleep ${seconds}` }),
  })
  const isRunning = async ({ sh }: Host, seconds: number) =>
    (await sh(
      'for d in /proc/[0-9]*; do tr "\\0" " " <"$d/cmdline" 2>/dev/null | grep -qx "sleep $1 " && echo running; done; :',
      String(seconds),
    )) !== ''

  test('an interrupt ends the builder, and leaves nothing', async () => {
    const host = hosts[0]!
    const file = await architecture(models(long('endless', 86_391), { endless: ['db1'] }))
    const started = user.start(['davit-delegate-build', file])
    await eventually('the builder', () => isRunning(host, 86_391))
    started.process.kill('SIGINT')
    expect(await started.outcome).toMatchObject({ status: 130, stdout: '' })
    await eventually('the end of the builder', async () => !(await isRunning(host, 86_391)))
    expect(await workOn(host)).toBe('')
    expect(await validHere()).not.toContain('endless')
  })

  test('a connection that is lost ends the builder; the same command goes on', async () => {
    const host = hosts[1]!
    const services = { ...long('cut', 86_392), calm: wrapper({ version: 'calm' }) }
    const file = await architecture(models(services, { cut: ['db2'], calm: ['db1'] }))
    const started = user.start(['davit-delegate-build', file])
    await eventually('the builder', () => isRunning(host, 86_392))
    await host.sh(`listener=$(cat /run/sshd.pid)
      for d in /proc/[0-9]*; do
        [ "$(cat "$d/comm" 2>/dev/null)" = sshd ] && [ "\${d#/proc/}" != "$listener" ] && kill -9 "\${d#/proc/}"
      done; :`)
    const outcome = await started.outcome
    expect(outcome).toMatchObject({ status: 69, stdout: '' })
    expect(outcome.stderr).toMatch(/error: cannot build 'cut' on target 'db2': /)
    await eventually('the end of the builder', async () => !(await isRunning(host, 86_392)))
    expect(await validHere()).toContain('calm')
    await host.sh('touch /tmp/cut.go')
    succeeded(await user.run(['davit-delegate-build', file]))
    expect(await validHere()).toContain('cut')
  })

  test('a target that cannot be reached does not stop the others', async () => {
    const services = { here: wrapper({ version: 'here' }), gone: wrapper({ version: 'gone' }) }
    const system = models(services, { here: ['db1'], gone: ['nowhere'] })
    const nowhere = { properties: { hostname: 'nowhere.invalid' }, clientInterface: 'ssh', containers: { wrapper: {} } }
    const file = await architecture({ ...system, infrastructure: { ...system.infrastructure, nowhere } })
    const outcome = await user.run(['davit-delegate-build', file])
    expect(outcome.status).toBe(69)
    expect(outcome.stderr).toMatch(/error: cannot build 'gone' on target 'nowhere': /)
    expect(await validHere()).toContain('here')
  })
})

/** `HASH-name.json`, `HASH-name.log` or `HASH-name`; derivations and sources do not count. */
function nameIn(file: string): readonly string[] {
  const [, name = ''] = /^[0-9a-z]{32}-(.*?)(?:\.json|\.log)?$/.exec(file) ?? []
  return name === '' || name.endsWith('.drv') ? [] : [name]
}

function withInput(service: ReturnType<typeof wrapper>, lib: unknown): ReturnType<typeof wrapper> {
  const { build } = service['pkg'] as { readonly build: object }
  return { ...service, pkg: { build: { ...build, inputs: { lib } } } }
}
