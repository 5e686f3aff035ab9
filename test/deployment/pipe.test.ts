import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { LANGUAGES } from '../harness/language.ts'
import { deploy, infrastructureOf, makeManifest, modelFile, type Models, writeModels } from '../harness/models.ts'
import { activeOn, profileOn } from '../harness/records.ts'
import { takeJournal, wrapper } from '../harness/services.ts'

describe.skipIf(!HOSTS_POSSIBLE).each(LANGUAGES)('tools in pipes on two hosts, models in %s', (language) => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'pi' })
    hosts = set.hosts
    user = await coordinator({ hosts: set, language })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const REFUSING = '[ "$1" != lock ] || [ ! -e /tmp/refuse ] || { echo "backup is running"; exit 1; }'
  const both = ['pi1 wrapper database', 'pi2 wrapper web']
  const models = (version = '1', body = REFUSING): Models => ({
    services: {
      database: wrapper({ body: REFUSING }),
      web: wrapper({ version, body, env: { provider: '${database.name}' } }, { dependsOn: ['database'] }),
    },
    infrastructure: infrastructureOf(hosts),
    distribution: { database: ['pi1'], web: ['pi2'] },
  })
  const FAILING = 'if [ "$1" = activate ]; then echo "bad configuration"; exit 4; fi'
  const isUnlocked = async () => {
    const { status } = await user.run(['davit-lock', 'manifest.json', '--', 'true'])
    return status === 0
  }

  test('each tool does its step alone, from files', async () => {
    const options = (await writeModels(user, models())).join(' ')
    expect(await user.bash(`davit-normalize ${options} > architecture.json`)).toMatchObject({ status: 0, stdout: '' })
    succeeded(await user.bash('davit-manifest --format json architecture.json > manifest.json'))
    expect(await user.bash('davit-manifest --output manifest.xml architecture.json')).toMatchObject({
      status: 0,
      stdout: '',
    })
    const manifest = (await user.run(['cat', 'manifest.xml'])).stdout
    for (const step of ['distribute', 'lock', 'activate', 'set', 'unlock']) {
      const outcome = await user.run([`davit-${step}`, 'manifest.xml'])
      expect(succeeded(outcome).stdout).toBe(manifest)
    }
    expect(await activeOn(hosts)).toEqual(both)
    expect(await user.generations()).toEqual([1])
  })

  test('all of them in a pipe deploy, and the manifest comes out as it went in', async () => {
    const options = (await writeModels(user, models('2'))).join(' ')
    const outcome = await user.bash(
      `davit-normalize ${options} | davit-manifest | tee made.xml | davit-distribute | davit-lock | davit-activate | davit-set | davit-unlock`,
    )
    succeeded(outcome)
    expect(outcome.stdout).toBe((await user.run(['cat', 'made.xml'])).stdout)
    const journal = await takeJournal(hosts, ['lock', 'activate', 'deactivate', 'unlock'])
    expect(journal.filter((line) => line.includes('web')).slice(-4)).toEqual([
      'lock web 1 wrapper',
      'deactivate web 1 wrapper',
      'activate web 2 wrapper',
      'unlock web 2 wrapper',
    ])
    expect(await user.generations()).toEqual([1, 2])
    expect(await isUnlocked()).toBe(true)
  })

  test('after an activation that fails in a pipe, later tools do nothing, the lock is released, and the status is its own', async () => {
    const manifest = await makeManifest(user, models('3', FAILING))
    const outcome = await user.bash(
      `davit-distribute ${manifest} | davit-lock | davit-activate | davit-set | davit-unlock; echo "\${PIPESTATUS[@]}"`,
    )
    expect(outcome.stdout).toMatch(/^0 0 1 66 \d+\n$/)
    expect(outcome.stderr).toContain('bad configuration')
    expect(await activeOn(hosts)).toEqual(both)
    expect(await user.generations()).toEqual([1, 2])
    expect(await isUnlocked()).toBe(true)
  })

  test('after a tool that fails early in a pipe, no later tool acts', async () => {
    await user.write('services.yaml', 'web: { type: wrapper }\n')
    await takeJournal(hosts)
    const options = `-s services.yaml -i ${modelFile(user, 'infrastructure')} -d ${modelFile(user, 'distribution')}`
    const outcome = await user.bash(
      `davit-normalize ${options} | davit-manifest | davit-distribute | davit-lock | davit-activate | davit-set | davit-unlock; echo "\${PIPESTATUS[@]}"`,
    )
    expect(outcome.stdout).toMatch(/^65 66 66 66 66 66 \d+\n$/)
    expect(await takeJournal(hosts)).toEqual([])
    expect(await activeOn(hosts)).toEqual(both)
  })

  test('a service that refuses to be locked blocks davit-lock and davit-env; --no-lock goes past it', async () => {
    await makeManifest(user, models('2'))
    await hosts[0]!.sh('touch /tmp/refuse')
    const refused = await user.run(['davit-lock', 'manifest.json'])
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('backup is running')
    await takeJournal(hosts)
    expect((await deploy(user, models('4'))).status).toBe(1)
    expect(await takeJournal(hosts)).toEqual([])

    const outcome = await deploy(user, models('4'), { options: ['--no-lock'] })
    succeeded(outcome)
    expect(await takeJournal(hosts)).toEqual(['deactivate web 2 wrapper', 'activate web 4 wrapper'])
    await hosts[0]!.sh('rm /tmp/refuse')
    await makeManifest(user, models('4'))
    expect(await isUnlocked()).toBe(true)
  })

  test('with a dead target, the others are sent their packages, it is named, and nothing is activated', async () => {
    await hosts[1]!.sh('kill "$(cat /run/sshd.pid)"')
    await makeManifest(user, models('5'))
    const before = await profileOn(hosts[0]!)
    await takeJournal(hosts)
    const distribution = await user.run(['davit-distribute', 'manifest.json'])
    expect([distribution.status, distribution.stdout]).toEqual([69, ''])
    expect(distribution.stderr).toContain('pi2')
    const { profiles } = JSON.parse((await user.run(['cat', 'manifest.json'])).stdout) as {
      profiles: Record<string, string>
    }
    await hosts[0]!.sh('test -e "$1/profilemanifest.xml"', profiles['pi1']!)

    const activation = await user.run(['davit-activate', 'manifest.json'])
    expect([activation.status, activation.stdout]).toEqual([69, ''])
    expect(activation.stderr).toContain("cannot reach 'pi2'")
    expect((await deploy(user, models('5'))).status).toBe(69)
    expect(await takeJournal(hosts)).toEqual([])
    expect(await profileOn(hosts[0]!)).toEqual(before)

    await hosts[1]!.sh('/usr/sbin/sshd -E /var/log/sshd.log')
    const { stderr } = succeeded(await deploy(user, models('5')))
    expect(stderr).toMatch(/^\[pi1\] send packages \(all are there\)/m)
    expect(stderr).toMatch(/^\[pi2\] send \d+ packages?/m)
    expect(await activeOn(hosts)).toEqual(both)
  })

  test('a host whose key is not the known one is refused before anything is done', async () => {
    const key = (await user.run(['cat', `${set.directory}/known_hosts`])).stdout
    await user.write(
      'known_hosts',
      key.replaceAll(/^pi1,.*$/gm, (line) => line.replace(/AAAA.{20}/, 'AAAAC3NzaC1lZDI1NTE5AAAAIAAA')),
    )
    const config = (await user.run(['cat', `${set.directory}/ssh_config`])).stdout
    const file = await user.write(
      'ssh_config',
      config.replaceAll(`${set.directory}/known_hosts`, `${user.directory}/known_hosts`),
    )
    const { status } = await user.run(['davit-activate', 'manifest.json'], { environment: { DAVIT_SSH_CONFIG: file } })
    expect(status).toBe(77)
  })
})
