import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, generationText, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, makeManifest, type Models, writeModels } from '../harness/models.ts'
import { activeOn, profileOn, recordOf } from '../harness/records.ts'
import { hasBegun, heldBack, letGo, takeJournal, wrapper } from '../harness/services.ts'
import { contentsOf } from '../harness/trace.ts'

const STATE = '/var/lib/davit'

describe.skipIf(!HOSTS_POSSIBLE)('a part of a deployment on three hosts', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let [one, two, three]: Host[] = []
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'se' })
    hosts = set.hosts
    ;[one, two, three] = [hosts[0]!, hosts[1]!, hosts[2]!]
    user = await coordinator({ hosts: set })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })
  /** Everything is deployed in the first version, which no test leaves behind. */
  beforeEach(async () => {
    await run(models())
    await takeJournal(hosts)
  })

  /** `store` ← `api` on one and two; `page` on two and three; `lone` on three. Each in the first version, unless another is given. */
  const models = (
    versions: Readonly<Record<string, string>> = {},
    bodies: Readonly<Record<string, string>> = {},
  ): Models => {
    const service = (name: string, attributes = {}) =>
      wrapper({ version: `1${versions[name] ?? ''}`, body: bodies[name] ?? '' }, attributes)
    const infrastructure = infrastructureOf(hosts)
    return {
      services: {
        store: service('store'),
        api: service('api', { dependsOn: ['store'] }),
        page: service('page'),
        lone: service('lone'),
      },
      infrastructure: {
        ...infrastructure,
        se3: { ...infrastructure['se3'], properties: { hostname: three!.address, tags: ['canary', 'edge'] } },
      },
      distribution: { store: ['se1'], api: ['se2'], page: ['se2', 'se3'], lone: ['se3'] },
    }
  }
  const run = async (wanted: Models, ...options: readonly string[]) =>
    succeeded(await deploy(user, wanted, { options }))
  const journal = () => takeJournal(hosts).then((lines) => lines.map((line) => line.split(' ').slice(0, 3).join(' ')))
  const ALL_NEW = { store: 'n', page: 'n', lone: 'n' }

  test('is deployed while other hosts are down, which stay byte for byte as they were, and the rest follows later', async () => {
    const before = await Promise.all([one!, two!].map((host) => contentsOf(host, STATE, user.storeDirectory)))
    const number = (await user.generations()).at(-1)!
    for (const host of [one!, two!]) await host.befall('cut')
    await run(models(ALL_NEW), '--on', '@canary')
    // Again, there is nothing to do.
    expect((await run(models(ALL_NEW), '--on', '@canary')).stderr).toContain('nothing to do')
    for (const host of [one!, two!]) await host.befall('join')
    expect(await Promise.all([one!, two!].map((host) => contentsOf(host, STATE, user.storeDirectory)))).toEqual(before)
    expect(await journal()).toEqual(
      [
        ['deactivate', 'activate'].flatMap((activity) =>
          ['lone', 'page'].map((name) => `${activity} ${name} 1${activity === 'activate' ? 'n' : ''}`),
        ),
      ]
        .flat()
        .toSorted((left, right) => Number(left.startsWith('activate')) - Number(right.startsWith('activate'))),
    )
    expect(await user.generations()).toContain(number + 1)
    await readBack()

    await run(models(ALL_NEW))
    expect((await journal()).toSorted()).toEqual([
      'activate api 1',
      'activate page 1n',
      'activate store 1n',
      'deactivate api 1',
      'deactivate page 1',
      'deactivate store 1',
    ])
    await readBack()
  })

  /** What the machines tell is what the generation says. */
  const readBack = async () => {
    succeeded(await user.run(['davit-reconstruct', '--format', 'json', '--output', 'told.json', 'infrastructure.yaml']))
    expect(await user.run(['davit-compare', 'told.json'])).toMatchObject({ status: 0, stdout: '' })
  }

  test('is taken back without the others', async () => {
    const number = (await user.generations()).at(-1)!
    const before = await profileOn(three!)
    await run(models({ lone: 'n' }), '--on', 'se3')
    expect(await user.generations()).toContain(number + 1)
    await one!.befall('cut')
    succeeded(await user.run(['davit-env', '--rollback', '--on', 'se3']))
    await one!.befall('join')
    expect(await journal()).toEqual(['deactivate lone 1', 'activate lone 1n', 'deactivate lone 1n', 'activate lone 1'])
    // It is the generation before, here and there.
    expect((await profileOn(three!)).current).toBe(before.current)
    expect(await currentNumber()).toBe(String(number))
  })

  const currentNumber = async () => {
    const { stdout } = succeeded(await user.run(['davit-generations', '--format', 'json']))
    return /"isCurrent":true[^}]*"number":(\d+)/.exec(stdout.replaceAll(/\s/g, ''))?.[1]
  }

  test('may be one service on a host with others, which keep their records and their version', async () => {
    const [record, directory] = [await recordOf('api', two!), `${STATE}/targets/se2/active/default`]
    const key = `${directory}/wrapper:${record.key}`
    const before = await contentsOf(two!, key)
    const others = await Promise.all([one!, three!].map((host) => contentsOf(host, STATE)))
    await run(models(ALL_NEW), '--on', 'service:page@se2')
    expect(await journal()).toEqual(['deactivate page 1', 'activate page 1n'])
    expect(await contentsOf(two!, key)).toBe(before)
    expect(await Promise.all([one!, three!].map((host) => contentsOf(host, STATE)))).toEqual(others)
    await readBack()
    const profile = await profileOn(two!)
    expect(profile.manifest).toContain(record.pkg)
    expect(profile.manifest).toContain((await recordOf('page', two!)).pkg)
    await run(models(ALL_NEW))
    await readBack()
  })

  test('leaves a service alone that was damaged and left out, and starts one with its dependants', async () => {
    const { key } = await recordOf('page', two!)
    const record = `${STATE}/targets/se2/active/default/wrapper:${key}`
    await two!.sh(`sed -i '/^pkg /d' ${record}/record`)
    const before = await contentsOf(two!, record)
    const { stderr } = await run(models(ALL_NEW), '--on', 'service:...store')
    expect(await journal()).toEqual(['deactivate api 1', 'deactivate store 1', 'activate store 1n', 'activate api 1'])
    expect(await contentsOf(two!, record)).toBe(before)
    expect(stderr).not.toContain('damaged')
    await run(models(ALL_NEW))
    expect(await activeOn(hosts)).toContain('se2 wrapper page')
  })

  test('is refused if what is left out needs what would be replaced, and nothing is done', async () => {
    const before = await Promise.all(hosts.map((host) => contentsOf(host, STATE)))
    const generations = await user.generations()
    const refused = await deploy(user, models(ALL_NEW), { options: ['--on', 'se1'] })
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr)
      .toContain(`error: 'api' on 'se2', which is left out, needs 'store' on 'se1', which would be replaced or stopped
davit-select: what is selected cannot be deployed without the rest [part-refused]
hint: nothing was done; select it as well: --on 'service:api'
`)
    expect(await Promise.all(hosts.map((host) => contentsOf(host, STATE)))).toEqual(before)
    expect(await user.generations()).toEqual(generations)
  })

  test('is deployed by the tools one by one, which refuse a manifest that is more than the part', async () => {
    await makeManifest(user, models(ALL_NEW))
    await one!.befall('cut')
    const whole = await user.run(['davit-activate', '--on', 'se3', 'manifest.json'])
    expect(whole).toMatchObject({ status: 1, stdout: '' })
    expect(whole.stderr).toContain(
      "the manifest changes more than what is selected: also something on 'se1', 'se2' [part-not-alone]",
    )
    const piped = await user.bash(`export DAVIT_ON=se3
      davit-select manifest.json | davit-distribute | davit-lock | davit-activate | davit-set | davit-unlock > part.json`)
    succeeded(piped)
    await one!.befall('join')
    expect((await journal()).toSorted()).toEqual([
      'activate lone 1n',
      'activate page 1n',
      'deactivate lone 1',
      'deactivate page 1',
    ])
    const locks = await Promise.all(
      hosts.map((host) => host.sh(`ls ${STATE}/targets/*/lock/default/owner 2>/dev/null || :`)),
    )
    expect(locks).toEqual(['', '', ''])
    await readBack()
  })

  test('is continued after it was cut off, also while other hosts are down, and nothing else is begun before', async () => {
    await three!.sh('rm -f /tmp/lone.*')
    const words = await writeModels(user, models({ ...ALL_NEW }, { lone: heldBack('lone') }))
    const tool = user.start(['davit-env', ...words, '--on', 'se3'])
    await hasBegun(three!, 'lone')
    process.kill(-tool.process.pid!, 'SIGKILL')
    await tool.outcome
    letGo(three!, 'lone')
    const refused = await deploy(user, models(ALL_NEW), { options: ['--on', 'service:page@se2', '--take-over'] })
    expect(refused).toMatchObject({ status: 1 })
    expect(refused.stderr).toContain(
      "a run was cut off that had begun to change 'se3', which would be left out [part-unfinished]",
    )
    await one!.befall('cut')
    succeeded(await user.run(['davit-env', '--resume']))
    await one!.befall('join')
    expect(await activeOn(hosts)).toEqual([
      'se1 wrapper store',
      'se2 wrapper api',
      'se2 wrapper page',
      'se3 wrapper lone',
      'se3 wrapper page',
    ])
    await readBack()
    const current = await generationText(user, Number(await currentNumber()))
    expect(current).toContain((await recordOf('lone', three!)).pkg)
  })
})
