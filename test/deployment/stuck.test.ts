import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'

/** Returns a module that records its calls, and then runs its body. */
const module = (name: string, body: string) => `#!/bin/sh
echo "$1 with the ${name} module" >>"$journal"
${body}
`

const FAILING = module('broken', 'exit 4')

describe('a service whose module can neither start nor stop it', () => {
  let user: Coordinator

  beforeAll(async () => {
    user = await coordinator()
    const container = { journal: `${user.directory}/journal` }
    const properties = { hostname: 'localhost' }
    const infrastructure = { here: { properties, clientInterface: 'local', containers: { own: container } } }
    await user.write('infrastructure.yaml', infrastructure)
    await user.write('services.yaml', { web: { type: 'own', pkg: { build: { script: 'mkdir $out' } } } })
    await user.write('distribution.yaml', { web: ['here'] })
    await user.write('modules/own.activities', 'activate\ndeactivate\n')
  })
  afterAll(() => user?.remove())

  const withModule = async (script: string) => {
    await user.write('modules/own', script)
    succeeded(await user.run(['chmod', '+x', 'modules/own']))
  }
  const models = ['-s', 'services.yaml', '-i', 'infrastructure.yaml', '-d', 'distribution.yaml']
  const env = (...options: readonly string[]) => user.run(['davit-env', '--modules', 'modules', ...options])
  const journal = async () => (await user.bash('cat journal; rm -f journal')).stdout.trimEnd().split('\n')

  test('ends with 3, and the repaired module gets past the record', async () => {
    await withModule(FAILING)
    const failed = await env(...models)
    expect(failed.status).toBe(3)
    expect(failed.stderr).toContain("; the same command with '--abandon web' gives up what cannot be stopped")
    await journal()
    await withModule(module('repaired', ''))
    const repaired = succeeded(await env(...models))
    expect(repaired.stderr).toContain("cannot deactivate 'web' with the module that activated it; trying the module of")
    expect(await journal()).toEqual([
      'deactivate with the broken module',
      'deactivate with the repaired module',
      'activate with the repaired module',
    ])
  })

  test('is undeployed with a repaired module', async () => {
    succeeded(await env('--undeploy', '-i', 'infrastructure.yaml'))
    await withModule(FAILING)
    expect((await env(...models)).status).toBe(3)
    expect((await env('--undeploy', '-i', 'infrastructure.yaml')).status).toBe(1)
    await withModule(module('repaired', ''))
    succeeded(await env('--undeploy', '-i', 'infrastructure.yaml'))
    expect(await journal()).toContain('deactivate with the repaired module')
    expect(succeeded(await env('--undeploy', '-i', 'infrastructure.yaml')).stderr).toContain('nothing to do')
  })

  test('is given up, and the journal says so', async () => {
    await withModule(FAILING)
    expect((await env(...models)).status).toBe(3)
    await journal()
    const unknown = await user.run(['davit-env', '--abandon', 'wed'])
    expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining("hint: did you mean 'web'?")])
    const planned = succeeded(await env('--dry-run', '--abandon', 'web', ...models))
    expect(planned.stdout).toBe("give up 'web' in 'own' on 'here'\n")
    const given = succeeded(await user.run(['davit-env', '--abandon', 'web']))
    expect(given.stderr).toContain('its module was not called, and davit will no longer stop it')
    expect((await user.bash('cat journal')).status).not.toBe(0)
    const undeployed = succeeded(await env('--undeploy', '-i', 'infrastructure.yaml'))
    expect(undeployed.stderr).toContain('nothing to do')
    const { stdout } = succeeded(await user.run(['davit-journal', '-v']))
    expect(stdout).toContain("gave up 'web' in 'own' on 'here': its module was not called")
  })

  test.each([
    [['--abandon'], "option '--abandon' needs a value"],
    [['--abandon', 'a b'], "option '--abandon' cannot be 'a b'"],
    [['--abandon', 'web', '--rollback'], "options '--abandon' and '--rollback' cannot be combined"],
  ])('is not given up with %j', async (options, message) => {
    const { status, stderr } = await user.run(['davit-env', ...options])
    expect([status, stderr]).toEqual([64, expect.stringContaining(message)])
  })
})
