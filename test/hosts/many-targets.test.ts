import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, makeManifest, modelFile, type Models } from '../harness/models.ts'
import { wrapper } from '../harness/services.ts'

/** More than ten, the number of listeners above which Node warns of a leak; the harness refuses its warnings. */
const COUNT = 11

describe.runIf(HOSTS_POSSIBLE)('more targets than Node allows listeners without a warning', () => {
  let user: Coordinator
  let hosts: TestHosts
  beforeAll(async () => {
    hosts = await bringUpHosts(COUNT, { prefix: 'mt', kind: 'bare' })
    user = await coordinator({ hosts })
  })
  afterAll(async () => {
    await user?.remove()
    await hosts?.down()
  })

  const models = (version: string): Models => ({
    services: { web: wrapper({ version }) },
    infrastructure: infrastructureOf(hosts.hosts),
    distribution: { web: hosts.hosts.map(({ name }) => name) },
  })

  test('are deployed to and undeployed from', async () => {
    succeeded(await deploy(user, models('1')))
    succeeded(await user.run(['davit-env', '--undeploy', '-i', modelFile(user, 'infrastructure')]))
  })

  test('are reached by each tool', async () => {
    const manifest = await makeManifest(user, models('2'))
    for (const tool of ['distribute', 'lock', 'activate', 'set', 'unlock']) {
      succeeded(await user.run([`davit-${tool}`, manifest]))
    }
    succeeded(await user.run(['davit-collect-garbage', manifest]))
    expect(succeeded(await user.run(['davit-activate', '--dry-run', manifest])).stdout).toBe('nothing to do\n')
  })
})
