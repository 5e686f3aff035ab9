import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '@davit/files'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, contentIn, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, modelFile, type Models, writeModels } from '../harness/models.ts'
import { activeOn, recordOf } from '../harness/records.ts'
import { hasBegun, heldBack, JOURNAL, letGo, takeJournal, wrapper } from '../harness/services.ts'

const BEGUN = 'if [ "$1" = activate ]; then rm -f /tmp/*.begun /tmp/*.go; fi'

describe.skipIf(!HOSTS_POSSIBLE)('a deployment on two hosts whose coordinator was killed', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let [one, two]: Host[] = []
  let first: Coordinator
  let other: Coordinator
  let environment: Readonly<Record<string, string>>

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'rs' })
    hosts = set.hosts
    ;[one, two] = [hosts[0]!, hosts[1]!]
    first = await coordinator({ hosts: set })
    other = await coordinator({ hosts: set })
    await writeModels(other, models('0'))
    // Packages on the hosts have to survive a restart.
    environment = { DAVIT_STORE_DIR: await mkdtemp('/var/tmp/davit-test-') }
    kept = join(first.directory, 'kept')
  })
  afterAll(async () => {
    await set?.down()
    await first?.remove()
    await other?.remove()
    removeTree(environment['DAVIT_STORE_DIR']!)
  })
  /** What is there then is kept, and put back before the other tests, until a host was restarted. */
  beforeEach(async () => {
    await rm(other.stateDirectory, { recursive: true, force: true })
    const boots = hosts.map((host) => contentIn(host, '/proc/sys/kernel/random/boot_id')).join('')
    if (boots === keptBoots) {
      for (const [index, directory] of directories().entries()) {
        removeTree(directory)
        await copy(join(kept, String(index)), directory)
      }
    } else {
      await cutOff()
      journals = hosts.map((host) => contentIn(host, JOURNAL) ?? '')
      removeTree(kept)
      await mkdir(kept)
      for (const [index, directory] of directories().entries()) await copy(directory, join(kept, String(index)))
      keptBoots = boots
    }
    for (const [index, host] of hosts.entries()) await writeFile(host.inside(JOURNAL), journals[index]!)
    letGo(two!, 'web')
  })

  let kept = ''
  let keptBoots = ''
  let journals: readonly string[] = []
  const directories = () => [
    ...hosts.map((host) => host.inside('/var/lib/davit')),
    first.stateDirectory,
    environment['DAVIT_STORE_DIR']!,
  ]
  const copy = async (from: string, to: string) => succeeded(await first.run(['cp', '-a', '-T', from, to]))

  /** The first coordinator has deployed one version, and was killed while the last service of the next one was activated. */
  const cutOff = async () => {
    await rm(first.stateDirectory, { recursive: true, force: true })
    for (const host of hosts) await host.sh('rm -f /tmp/*.begun /tmp/*.go')
    succeeded(await deploy(first, models('old'), { environment, options: ['--take-over'] }))
    before = await packages()
    await takeJournal(hosts)
    const words = await writeModels(first, models('new', heldBack('web')))
    const tool = first.start(['davit-env', ...words], { environment })
    await hasBegun(two!, 'web')
    process.kill(-tool.process.pid!, 'SIGKILL')
    await tool.outcome
    letGo(two!, 'web')
    await eventually('the end of the activity', async () => (await recordOf('web', two!)).state === 'active')
  }

  let before: readonly string[] = []
  const models = (name: string, body = BEGUN): Models => ({
    services: {
      database: wrapper({ version: name }),
      web: wrapper({ version: name, body }, { dependsOn: ['database'] }),
    },
    infrastructure: infrastructureOf(hosts, { containers: { wrapper: {} } }),
    distribution: { database: ['rs1'], web: ['rs2'] },
  })
  const packages = async () => [(await recordOf('database', one!)).pkg, (await recordOf('web', two!)).pkg]
  const both = ['rs1 wrapper database', 'rs2 wrapper web']
  const resume = (user: Coordinator, ...options: readonly string[]) =>
    user.run(['davit-env', '--resume', ...options], { environment })
  const infrastructure = () => modelFile(other, 'infrastructure')

  test('is finished by the same coordinator, which starts nothing twice', async () => {
    expect(succeeded(await resume(first, '--dry-run')).stdout).not.toBe('')
    succeeded(await resume(first))
    expect(await activeOn(hosts)).toEqual(both)
    expect(await packages()).not.toEqual(before)
    expect(await takeJournal(hosts)).toEqual([
      'deactivate web old wrapper',
      'deactivate database old wrapper',
      'activate database new wrapper',
      'activate web new wrapper',
    ])
    expect(succeeded(await resume(first)).stderr).toContain('nothing to resume')
    expect(await first.generations()).toEqual([1, 2])
  })

  test('is finished by another coordinator, with packages and manifest from the targets', async () => {
    removeTree(environment['DAVIT_STORE_DIR']!)
    succeeded(await resume(other, '-i', infrastructure()))
    expect(await activeOn(hosts)).toEqual(both)
    expect(await packages()).not.toEqual(before)
    expect(await other.generations()).toEqual([1])
    // The first one knows that somebody else has been there.
    const late = await resume(first)
    expect([late.status === 0 || late.stderr.includes('[wanted-elsewhere]'), await packages()]).toEqual([
      true,
      await packages(),
    ])
  })

  test('is undone by another coordinator, to exactly what was active before', async () => {
    succeeded(await other.run(['davit-env', '--abort', '-i', infrastructure()], { environment }))
    expect(await activeOn(hosts)).toEqual(both)
    expect(await packages()).toEqual(before)
    expect(succeeded(await resume(other, '-i', infrastructure())).stderr).toContain('nothing to resume')
  })

  test('is finished although a host was restarted', async () => {
    await two!.befall('reboot')
    letGo(two!, 'web')
    succeeded(await resume(first))
    expect(await activeOn(hosts)).toEqual(both)
    expect(await packages()).not.toEqual(before)
  })

  test('is not guessed at if a host was reinstalled since, and finished by who has a record', async () => {
    await two!.befall('reinstall')
    const guessed = await resume(other, '-i', infrastructure())
    expect([guessed.status === 0, guessed.stderr]).toEqual([false, expect.stringContaining('[wanted-unknown]')])
    letGo(two!, 'web')
    succeeded(await resume(first))
    expect(await activeOn(hosts)).toEqual(both)
    expect(await packages()).not.toEqual(before)
  })
})
