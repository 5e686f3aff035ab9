import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sampleOf } from '@davit/testing/effort'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, type RunOptions, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { infrastructureOf, makeManifest } from '../harness/models.ts'
import { killOn, processTable } from '../harness/process-table.ts'
import { activeOn } from '../harness/records.ts'

describe.skipIf(!HOSTS_POSSIBLE)('the state of the hosts counts, and not the last generation', () => {
  let set: TestHosts
  let two: Host
  let user: Coordinator
  let manifest: string

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'ob' })
    two = set.hosts[1]!
    user = await coordinator({ hosts: set })
    await describeSystem()
    succeeded(await deploy())
    await expectConverged()
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  /** Makes the manifest of a database on the first host, and of a page and its dependency on the second. */
  async function describeSystem(): Promise<void> {
    const infrastructure = infrastructureOf(set.hosts, { containers: { process: {} } })
    const distribution = { database: ['ob1'], api: ['ob2'], page: ['ob2'] }
    const services = { database: server(), api: server('database'), page: server('api') }
    await makeManifest(user, { services, infrastructure, distribution })
    manifest = join(user.directory, 'manifest.json')
  }

  const deploy = (options: readonly string[] = [], run: RunOptions = {}) =>
    user.run(['davit-env', '-D', manifest, ...options], run)
  const activate = (options: readonly string[], run: RunOptions = {}) =>
    user.run(['davit-activate', ...options, manifest], run)
  const planOf = async (options: readonly string[] = [], run: RunOptions = {}) =>
    stepsIn(succeeded(await activate(['--dry-run', ...options], run)).stdout)
  /** Lines of a plan that say what is done, or that nothing is. */
  const stepsIn = (plan: string) => plan.split('\n').filter((line) => /^[-+~>=] |^nothing to do/.test(line))
  const pids = async () =>
    Object.fromEntries((await processTable(set.hosts)).map(({ service, pid, began }) => [service, `${pid} ${began}`]))

  /** Expects that the services of the manifest run, each once, and nothing else, and that nothing is left to do. */
  async function expectConverged(): Promise<void> {
    const { services, serviceMappings } = JSON.parse(await readFile(manifest, 'utf8')) as ManifestText
    const wanted = serviceMappings.map(({ service, target }) => {
      const { name, pkg } = services[service]!
      return `${target === 'ob1' ? 'ob1' : 'ob2'} ${name} ${pkg}`
    })
    const table = await processTable(set.hosts)
    expect(table.map(({ host, service, component }) => `${host} ${service} ${component}`).toSorted()).toEqual(
      wanted.toSorted(),
    )
    const recorded = serviceMappings.map(
      ({ service, target, container }) => `${target} ${container} ${services[service]!.name}`,
    )
    expect(await activeOn(set.hosts)).toEqual(recorded.toSorted())
    expect(await planOf()).toEqual(['nothing to do'])
  }

  /** Services that are stopped and started, or only started, in the order in which they start. */
  const again = (reason: string, services: readonly string[], step = '~ restart') =>
    services.map((service) => `${step} ${service} in process on ${HOST_OF[service]} (${reason})`)

  test('a coordinator that has lost its state restarts nothing', async () => {
    const before = await pids()
    await rm(user.stateDirectory, { recursive: true })
    expect(await planOf()).toEqual(['nothing to do'])
    succeeded(await deploy())
    expect(await pids()).toEqual(before)
    expect(await user.generations()).toEqual([1])
    await expectConverged()
  })

  test('a second coordinator, which has to build first, restarts nothing', async () => {
    const before = await pids()
    const second = { environment: { DAVIT_STATE_DIR: join(user.directory, 'second') } }
    succeeded(await user.run(['chmod', '-R', 'u+w', user.storeDirectory]))
    await rm(user.storeDirectory, { recursive: true })
    await describeSystem()
    expect(await planOf([], second)).toEqual(['nothing to do'])
    succeeded(await deploy([], second))
    expect(await pids()).toEqual(before)
    await expectConverged()
  })

  test('a service that died is restarted, and that is all that a repair does', async () => {
    const before = await pids()
    await killOn(two, before['api']!.split(' ', 1)[0]!)
    const plan = again('no longer running', ['api'])
    expect(await planOf()).toEqual(plan)
    expect(await planOf(['--repair'])).toEqual(plan)
    succeeded(await activate(['--repair']))
    const { api, ...others } = await pids()
    expect({ ...others, api: before['api'] }).toEqual(before)
    expect(api).not.toBe(before['api'])
    await expectConverged()
  })

  test('a host that was rebooted gets its services again', async () => {
    const { database } = await pids()
    await two.befall('reboot')
    expect(Object.keys(await pids())).toEqual(['database'])
    expect(await planOf()).toEqual(again('the machine was restarted', ['api', 'page']))
    succeeded(await deploy())
    expect((await pids())['database']).toBe(database)
    await expectConverged()
  })

  test('a host that was reinstalled empty is deployed again', async () => {
    const { database } = await pids()
    await two.befall('reinstall')
    expect(await planOf()).toEqual(again('not found on its target', ['api', 'page'], '+ activate'))
    succeeded(await deploy())
    expect((await pids())['database']).toBe(database)
    await expectConverged()
  })

  test.each(sampleOf(['+1 year', '-1 year'], 1))(
    'a clock that is wrong by %s, and put right in the middle, is in the way of nobody',
    async (leap) => {
      const before = await pids()
      const script = `#!/bin/sh\nexec /usr/bin/date.right -d "${leap}" "$@"\n`
      await two.sh(
        'mv /usr/bin/date /usr/bin/date.right; printf %s "$1" >/usr/bin/date; chmod +x /usr/bin/date',
        script,
      )
      await expectConverged()
      const steps = `davit-lock manifest.json; echo $? >refused; until [ -e right ]; do sleep 0.05; done
        davit-lock manifest.json; echo $? >>refused; davit-activate --repair manifest.json && davit-set manifest.json`
      const running = user.start(['davit-lock', 'manifest.json', '--', 'sh', '-c', steps])
      await eventually(
        'the first refusal',
        async () => (await readFile(join(user.directory, 'refused'), 'utf8')) !== '',
      )
      await two.sh('mv /usr/bin/date.right /usr/bin/date')
      await user.write('right', '')
      succeeded(await running.outcome)
      expect((await user.run(['cat', 'refused'])).stdout).toBe('75\n75\n')
      await user.run(['rm', 'right', 'refused'])
      expect(await pids()).toEqual(before)
      succeeded(await user.run(['davit-lock', 'manifest.json', '--', 'true']))
    },
  )
})

interface ManifestText {
  readonly services: Readonly<Record<string, { readonly name: string; readonly pkg: string }>>
  readonly serviceMappings: readonly Readonly<Record<'service' | 'target' | 'container', string>>[]
}

const HOST_OF: Readonly<Record<string, string>> = { database: 'ob1', api: 'ob2', page: 'ob2' }

function server(dependency?: string) {
  return {
    type: 'process',
    pkg: {
      build: {
        ...(dependency === undefined ? {} : { env: { dependency: `\${${dependency}.name}` } }),
        script:
          "mkdir -p $out/bin; printf '#!/bin/sh\\nexec sleep 86397\\n' > $out/bin/server; chmod +x $out/bin/server",
      },
    },
    ...(dependency === undefined ? {} : { dependsOn: [dependency] }),
  }
}
