import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, type Models } from '../harness/models.ts'
import { activeOn } from '../harness/records.ts'
import { wrapper } from '../harness/services.ts'

describe.skipIf(!HOSTS_POSSIBLE)('a target that was taken out of the infrastructure', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator
  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'lb' })
    hosts = set.hosts
    user = await coordinator({ hosts: set })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  /** Returns models from a table target → services. The infrastructure contains its targets; each is the host with the same number. */
  const models = (distribution: Readonly<Record<string, readonly string[]>>): Models => {
    const described = infrastructureOf(hosts)
    const placed = Object.entries(distribution).flatMap(([target, names]) => names.map((name) => [name, [target]]))
    return {
      services: Object.fromEntries(placed.map(([name]) => [name, wrapper({ version: '1' })])),
      infrastructure: Object.fromEntries(
        Object.keys(distribution).map((target) => [target, described[`lb${target.slice(-1)}`]]),
      ),
      distribution: Object.fromEntries(placed),
    }
  }
  const run = async (distribution: Readonly<Record<string, readonly string[]>>, ...options: readonly string[]) =>
    succeeded(await deploy(user, models(distribution), { options }))
  const davit = (...options: readonly string[]) => user.run(['davit-env', ...options])

  const WHOLE = { lb1: ['web'], lb2: ['api', 'page'] }
  const SHRUNK = { lb1: ['web'] }
  const TOLD =
    "'api' and 'page' keep running on 'lb2', which is no longer in the infrastructure: put 'lb2' back without services, deploy, then remove it, or run 'davit-env --forget lb2'\n"
  const WELL = 'nothing to do: services, profiles and generation are as the manifest says\n'
  const active = ['lb1 wrapper web', 'lb2 wrapper api', 'lb2 wrapper page']

  /** Takes the target out while services run on it. */
  const leave = async () => {
    await run(WHOLE)
    expect((await run(SHRUNK)).stderr).toContain(`warning: ${TOLD}`)
  }

  test('is reported in every run, even if generations are deleted, while its services keep running', async () => {
    await run(WHOLE)
    expect((await run(SHRUNK, '--dry-run')).stdout).toBe(`warning: ${TOLD}\nnothing to do\n`)
    for (const options of [[], [], ['--no-upgrade'], ['--restart-changed']]) {
      const { stderr } = await run(SHRUNK, ...options)
      expect(stderr).toContain(`warning: ${TOLD}`)
      expect(stderr).not.toContain(WELL)
    }
    succeeded(await davit('--delete-generations', 'old'))
    expect(await user.generations()).toEqual([2])
    const { stderr } = await run({ lb1: ['web', 'fresh'] })
    expect(stderr).toContain(`warning: ${TOLD}`)
    expect((await run(SHRUNK, '--dry-run')).stdout).toContain(TOLD)
    expect(await activeOn(hosts)).toEqual(['lb1 wrapper fresh', ...active])
  })

  test('is settled when it was put back without services, and removed then', async () => {
    const { stderr } = await run({ lb1: ['web'], lb2: [] })
    expect(stderr).not.toContain('keep running')
    expect(await activeOn(hosts)).toEqual(['lb1 wrapper web'])
    expect((await run(SHRUNK)).stderr).not.toContain('keep running')
    expect((await run(SHRUNK)).stderr).toContain(WELL)
  })

  test('is settled when it is there again under another name', async () => {
    await leave()
    expect((await run({ lb1: ['web'], 'other-2': [] })).stderr).not.toContain('keep running')
    expect(await activeOn(hosts)).toEqual(['lb1 wrapper web'])
    expect((await run({ lb1: ['web'], 'other-2': [] })).stderr).toContain(WELL)
    await run(SHRUNK)
  })

  test('does not count as taken out if it only has another name', async () => {
    await run(WHOLE)
    const { stderr } = await run({ lb1: ['web'], 'other-2': ['api', 'page'] })
    expect(stderr).not.toContain('keep running')
    await run({ lb1: ['web'], 'other-2': [] })
    expect((await run(SHRUNK)).stderr).not.toContain('keep running')
  })

  test('can be forgotten by its name, and the journal says by whom', async () => {
    await run(WHOLE)
    const early = await davit('--forget', 'lb2')
    expect([early.status, early.stderr]).toEqual([1, expect.stringContaining("'lb2' is still part of the deployment")])
    await leave()
    const wrong = await davit('--forget', 'lb3')
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining("did you mean 'lb2'?")])
    expect((await davit('--forget', 'lb2', '--dry-run')).status).toBe(64)
    expect((await run(SHRUNK)).stderr).toContain(TOLD)
    const { stderr } = succeeded(await davit('--forget', 'lb2'))
    expect(stderr).toBe("forgot 'api', 'page' on 'lb2'\n")
    expect((await run(SHRUNK)).stderr).toContain(WELL)
    expect((await davit('--forget', 'lb2')).stderr).toContain('has left nothing behind on any target')
    const { stdout } = succeeded(await user.run(['davit-journal']))
    expect(stdout).toContain("forgot 'api', 'page' on 'lb2'")
    expect(await activeOn(hosts)).toEqual(active)
  })
})
