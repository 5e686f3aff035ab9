import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, type RunOptions, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, type Models } from '../harness/models.ts'
import { activeOn } from '../harness/records.ts'
import { takeJournal, wrapper } from '../harness/services.ts'

describe.skipIf(!HOSTS_POSSIBLE)('a deployment under the name of somebody else', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator
  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'st' })
    hosts = set.hosts
    user = await coordinator({ hosts: set })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const models = (...names: readonly string[]): Models => ({
    services: Object.fromEntries(names.map((name) => [name, wrapper({ version: '1' })])),
    infrastructure: infrastructureOf(hosts),
    distribution: Object.fromEntries(names.map((name, index) => [name, [hosts[index % 2]!.name]])),
  })
  const THEIRS = ['api', 'database', 'page']
  const asOther = (name = 'other'): RunOptions => ({ environment: { DAVIT_STATE_DIR: join(user.directory, name) } })
  const davit = (options: readonly string[], run?: RunOptions) => user.run(['davit-env', ...options], run)
  const active = ['st1 wrapper api', 'st1 wrapper page', 'st2 wrapper database']
  const stored = async (host: Host) =>
    (await host.sh('ls "$1" 2>/dev/null || :', user.storeDirectory)).split('\n').filter((name) => name !== '')
  const knownTo = (name: string) => readdir(join(user.directory, name, 'coordinator')).catch(() => [])

  test('is refused before anything is sent, locked or recorded', async () => {
    succeeded(await deploy(user, models(...THEIRS)))
    await takeJournal(hosts)
    const before = await Promise.all(hosts.map(stored))
    const { status, stderr } = await deploy(user, models('shop'), asOther())
    expect([status, stderr]).toEqual([1, expect.stringContaining("what runs as 'default' was not deployed from this")])
    expect(stderr).toContain("'st1' has 2 services of 'default': 'api', 'page'")
    expect(stderr).toContain("'st2' has 1 service of 'default': 'database'")
    expect(stderr).toMatch(/hint: nothing was done; .*-p NAME.*--take-over/)
    expect([await Promise.all(hosts.map(stored)), await takeJournal(hosts), await knownTo('other')]).toEqual([
      before,
      [],
      [],
    ])
    const plan = await deploy(user, models('shop'), { ...asOther(), options: ['--dry-run'] })
    expect([plan.status, plan.stdout]).toEqual([1, ''])
    expect(await activeOn(hosts)).toEqual(active)
  })

  test('is allowed with the same models, or on a coordinator that has lost its state', async () => {
    succeeded(await deploy(user, models(...THEIRS), asOther('second')))
    succeeded(await deploy(user, models('api', 'fresh'), asOther('third')))
    succeeded(await deploy(user, models(...THEIRS)))
    expect(await activeOn(hosts)).toEqual(active)
  })

  test('is made if that is requested, and the journal says so', async () => {
    succeeded(await deploy(user, models('shop'), { ...asOther(), options: ['--take-over'] }))
    expect(await activeOn(hosts)).toEqual(['st1 wrapper shop'])
    const { stdout } = succeeded(await user.run(['davit-journal', '-n', '1', '-v'], asOther()))
    expect(stdout).toMatch(/warning: taking over 'default', .* 2 on 'st1', 1 on 'st2'/)
    succeeded(await deploy(user, models(...THEIRS)))
  })

  test('cannot be undeployed, unless that is requested', async () => {
    const undeploy = ['--undeploy', '-i', 'infrastructure.yaml']
    const { status, stderr } = await davit(undeploy, asOther('fourth'))
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('undeploy another deployment with -p NAME, or this one with --take-over'),
    ])
    expect([await activeOn(hosts), await knownTo('fourth')]).toEqual([active, []])
    succeeded(await davit([...undeploy, '--take-over'], asOther('fourth')))
    expect(await activeOn(hosts)).toEqual([])
    succeeded(await deploy(user, models(...THEIRS)))
  })

  test('that does not exist cannot be undeployed, and nothing is recorded', async () => {
    const undeploy = ['-p', 'nosuch', '--undeploy', '-i', 'infrastructure.yaml']
    for (const options of [undeploy, [...undeploy, '--dry-run']]) {
      const { status, stderr, stdout } = await davit(options)
      expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining("been deployed as 'nosuch'")])
      expect(stderr).toContain(
        "hint: nothing was done; the targets have 'default', this coordinator has deployed 'default'",
      )
    }
    expect(await knownTo('state')).toEqual(['default'])
    const known = await hosts[0]!.sh('find /var/lib/davit -name "*nosuch*"')
    expect(known).toBe('')
  })

  test('that was undeployed once may be again, and the others are named', async () => {
    const options = ['-p', 'gone', '-i', 'infrastructure.yaml']
    succeeded(await deploy(user, models('other'), { options: ['-p', 'gone'] }))
    succeeded(await davit([...options, '--undeploy']))
    const { stderr } = succeeded(await davit([...options, '--undeploy']))
    expect(stderr).toContain("nothing runs under this name; the targets have services of 'default'\n")
    expect(stderr).toContain('nothing to do\n')
    // The same works for a coordinator that has lost its state, since the targets know the deployment.
    succeeded(await davit([...options, '--undeploy'], asOther('fifth')))
  })

  test.each([
    [['--rollback'], 1],
    [['--switch-to-generation', '1'], 1],
    [['--list-generations'], 0],
  ])('is named by what there is from this coordinator: %j', async (options, expected) => {
    const { status, stderr } = await davit([...options, '-p', 'nosuch'])
    expect([status, stderr]).toEqual([
      expected,
      expect.stringContaining(
        "nothing has been deployed under this name from this coordinator, only 'default', 'gone'",
      ),
    ])
    expect(await knownTo('state')).toEqual(['default', 'gone'])
  })
})
