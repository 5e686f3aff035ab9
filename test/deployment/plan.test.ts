import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sampleOf } from '@davit/testing/effort'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, type RunOptions, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { infrastructureOf, makeManifest } from '../harness/models.ts'
import { killOn, processTable } from '../harness/process-table.ts'

describe.skipIf(!HOSTS_POSSIBLE)('a plan that was saved', () => {
  let set: TestHosts
  let two: Host
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'pl' })
    two = set.hosts[1]!
    user = await coordinator({ hosts: set })
    await writeManifest('one.json')
    await writeManifest('two.json', { version: '2' })
    await writeManifest('three.json', { version: '3' })
    await writeManifest('changed.json', { port: '2' })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  /** Makes the manifest of a database on the first host, and of a page of some version and what it needs on the second. */
  async function writeManifest(file: string, { version = '1', port = '1' } = {}): Promise<void> {
    const infrastructure = infrastructureOf(set.hosts, { containers: { process: { port } } })
    const distribution = { database: ['pl1'], api: ['pl2'], page: ['pl2'] }
    const services = { database: server(), api: server('database'), page: server('api', version) }
    await makeManifest(user, { services, infrastructure, distribution }, file)
  }

  const deploy = (file: string, options: readonly string[] = [], run: RunOptions = {}) =>
    user.run(['davit-env', '-D', file, ...options], run)
  const carryOut = () => user.run(['davit-env', '--plan', 'plan.json'])
  const table = async () =>
    (await processTable(set.hosts)).map(({ host, service, component, pid, began }) =>
      [host, service, component, pid, began].join(' '),
    )
  const pidOf = async (service: string) => (await processTable(set.hosts)).find((one) => one.service === service)!.pid
  const stop = async (service: string) => killOn(two, await pidOf(service))
  const forget = (service: string) =>
    two.sh(`rm -r "$(dirname "$(grep -l '^name ${service}$' /var/lib/davit/targets/pl2/active/default/*/record)")"`)
  const elsewhere = (file: string, options: readonly string[] = []) =>
    deploy(file, options, { environment: { DAVIT_STATE_DIR: join(user.directory, 'second') } })

  /** Deploys the first version, and saves the plan to replace its page. */
  async function savePlan(): Promise<void> {
    succeeded(await deploy('one.json', ['--restart-changed']))
    const { status, stdout } = await user.run(['davit-plan', '--no-fold', '--out', 'plan.json', 'two.json'])
    expect([status, stdout.split('\n').slice(0, 2)]).toEqual([
      2,
      [expect.stringMatching(/^- deactivate page in process on pl2 /), expect.stringMatching(/^\+ activate page in /)],
    ])
  }

  const PAGE = 'no longer to be done: deactivate page in process on pl2 (changed package: '
  const API = ['deactivate', 'activate'].map(
    (activity) => `also to be done: ${activity} api in process on pl2 (no longer running)`,
  )

  /** That any difference of steps is found is a law of plans. */
  const CHANGES: readonly (readonly [string, () => Promise<unknown>, readonly string[]])[] = [
    ['another service was killed', () => stop('api'), API],
    [
      'the record of a service was removed by hand',
      async () => {
        await stop('api')
        await forget('api')
      },
      ['also to be done: activate api in process on pl2 (not found on its target)'],
    ],
    [
      'another coordinator has deployed something else',
      () => elsewhere('three.json'),
      [PAGE, 'also to be done: deactivate page in process on pl2 (changed package: '],
    ],
    [
      'another coordinator has changed container properties',
      () => elsewhere('changed.json', ['--restart-changed']),
      ['recorded with other settings: deactivate page in process on pl2 (changed package: '],
    ],
    [
      'a host was reinstalled',
      () => two.befall('reinstall'),
      [PAGE, 'also to be done: activate api in process on pl2 (not found on its target)'],
    ],
  ]
  test.each(sampleOf(CHANGES, 2))(
    'is refused after %s, with what is different, and nothing is done',
    async (_, happen, differences) => {
      await savePlan()
      await happen()
      const before = await table()
      const { status, stdout, stderr } = await carryOut()
      expect([status, stdout]).toEqual([4, ''])
      expect(stderr).toContain(
        'what is active has changed since the plan was made [plan-outdated]\nhint: nothing was done',
      )
      for (const difference of differences) expect(stderr).toContain(`error: ${difference}`)
      expect(stderr).not.toContain('send packages')
      expect(await table()).toEqual(before)
    },
  )

  test('is refused after another coordinator has deployed the same, since nothing of it is left to be done', async () => {
    await savePlan()
    await elsewhere('two.json')
    const before = await table()
    const { status, stderr } = await carryOut()
    expect([status, stderr]).toEqual([4, expect.stringContaining('it was carried out already [plan-carried-out]')])
    expect(await table()).toEqual(before)
  })

  const NO_CHANGES: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['nothing has happened', async () => {}],
    ['the service that it replaces was killed', () => stop('page')],
    ['this coordinator has lost its state', () => rm(user.stateDirectory, { recursive: true })],
  ]
  test.each([NO_CHANGES[0]!, ...sampleOf(NO_CHANGES.slice(1), 1)])(
    'is carried out exactly where %s, and not twice',
    async (_, happen) => {
      await savePlan()
      await happen()
      const others = (await table()).filter((line) => !line.includes(' page '))
      const { stderr } = succeeded(await carryOut())
      const done = stderr.split('\n').filter((line) => /activate .*: done$/.test(line))
      expect(done).toEqual(['[pl2] deactivate page in process: done', '[pl2] activate page in process: done'])
      expect((await table()).filter((line) => !line.includes(' page '))).toEqual(others)
      expect((await user.run(['davit-plan', 'two.json'])).stdout).toBe('nothing to do\n')
      expect(await carryOut()).toMatchObject({ status: 4 })
    },
  )

  test('changes nothing if its packages are gone from this machine, or a host is down, and is carried out when they are there again', async () => {
    await savePlan()
    const before = await table()
    const plan = JSON.parse(await readFile(join(user.directory, 'plan.json'), 'utf8')) as PlanText
    const name = plan.manifest.profiles['pl2']!.replace(/.*\//, '')
    const [registration, aside] = [
      `${user.storeDirectory}/.davit/registrations/${name}.json`,
      `${user.directory}/aside`,
    ]
    await rename(registration, aside)
    const incomplete = await carryOut()
    await rename(aside, registration)
    expect([incomplete.status === 0, incomplete.stdout]).toEqual([false, ''])
    await two.sshd('stop')
    const { status, stdout } = await carryOut()
    await two.sshd('start')
    expect([status, stdout]).toEqual([69, ''])
    expect(await table()).toEqual(before)
    // A package that was removed from a host is sent again.
    await two.sh('rm "$1"/.davit/registrations/*-page.json', user.storeDirectory)
    succeeded(await carryOut())
  })
})

interface PlanText {
  readonly manifest: { readonly profiles: Readonly<Record<string, string>> }
}

function server(dependency?: string, version = '1') {
  return {
    type: 'process',
    pkg: {
      build: {
        env: { version, ...(dependency === undefined ? {} : { dependency: `\${${dependency}.name}` }) },
        script:
          "mkdir -p $out/bin; printf '#!/bin/sh\\nexec sleep 86397\\n' > $out/bin/server; chmod +x $out/bin/server; echo $version > $out/version",
      },
    },
    ...(dependency === undefined ? {} : { dependsOn: [dependency] }),
  }
}
