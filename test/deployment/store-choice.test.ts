import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, type TestHosts } from '../harness/hosts.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'
import { deploy, infrastructureOf, type Models, writeModels } from '../harness/models.ts'
import { nixModel } from '../harness/nix-language.ts'
import { activeOn, recordOf } from '../harness/records.ts'
import { takeJournal, wrapper } from '../harness/services.ts'

const TOOL = { build: { name: 'tool', script: 'mkdir -p $out/bin; echo hello > $out/bin/tool' } }

describe.skipIf(!NIX_POSSIBLE)('stores and languages of models, on a host', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'st' })
    host = set.hosts[0]!
    user = await coordinator({ hosts: set, nix: true })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const services = {
    database: wrapper({}, { port: 5432 }),
    web: wrapper({ env: { provider: '${database.name}' } }, { dependsOn: ['database'] }),
  }
  const models = (): Models => ({
    services,
    infrastructure: infrastructureOf([host]),
    distribution: { database: ['st1'], web: ['st1'] },
  })
  const both = ['st1 wrapper database', 'st1 wrapper web']
  const NIX_MODELS = ['-s', 'services.nix', '-i', 'infrastructure.nix', '-d', 'distribution.nix']
  const writeNixModels = async () => {
    for (const kind of ['services', 'infrastructure', 'distribution'] as const) {
      await user.write(`${kind}.nix`, nixModel(kind, models()[kind]))
    }
  }
  const providerOnHost = async () => host.sh('cat "$1/provider"', (await recordOf('web', host)).pkg)

  test('packages in the Nix language and the native store are refused together, with an explanation', async () => {
    await writeNixModels()
    const { status, stdout, stderr } = await user.run(['davit-env', ...NIX_MODELS, '--store', 'native'])
    expect([status, stdout]).toEqual([65, ''])
    expect(stderr).toMatch(/native store.*Nix language.*'database'/)
    expect(stderr).toContain('hint: ')
  })

  test('both kinds of packages in one deployment are refused, naming whose they are; --store nix builds both', async () => {
    const options = [...(await writeModels(user, models())), '-P', 'packages.nix']
    await user.write('packages.nix', nixModel('packages', { st1: [TOOL] }))
    const { status, stdout, stderr } = await user.run(['davit-env', ...options])
    expect([status, stdout]).toEqual([65, ''])
    expect(stderr).toMatch(/'st1'.*'database'/)
    expect(stderr).toContain('--store nix')

    succeeded(await user.run(['davit-env', ...options, '--store', 'nix']))
    expect(await activeOn([host])).toEqual(both)
    expect(await host.sh('cat /nix/store/*-tool/bin/tool')).toBe('hello\n')
  })

  test('models in YAML are deployed with the Nix store', async () => {
    succeeded(await deploy(user, models(), { options: ['--store', 'nix'] }))
    expect(await activeOn([host])).toEqual(both)
    expect((await recordOf('web', host)).pkg).toMatch(/^\/nix\/store\//)
    expect(await providerOnHost()).toBe('database')
    await takeJournal([host])
    succeeded(await deploy(user, models(), { environment: { DAVIT_STORE: 'nix' } }))
    expect(await takeJournal([host])).toEqual([])
  })

  test('a deployment that changes its store replaces its services, and can change it back', async () => {
    succeeded(await deploy(user, models()))
    expect(await takeJournal([host])).toEqual([
      'deactivate web 1 wrapper',
      'deactivate database 1 wrapper',
      'activate database 1 wrapper',
      'activate web 1 wrapper',
    ])
    expect((await recordOf('web', host)).pkg).toContain(user.storeDirectory)
    succeeded(await deploy(user, models(), { options: ['--store', 'nix'] }))
    expect((await recordOf('web', host)).pkg).toMatch(/^\/nix\/store\//)
    expect(await takeJournal([host])).toHaveLength(4)
  })

  test('models in three languages are deployed together', async () => {
    await writeNixModels()
    await writeModels(user, models())
    await user.write(
      'distribution.ts',
      `import { defineDistribution } from 'davit'
       export default defineDistribution(({ infrastructure }) => ({ database: [infrastructure.st1], web: ['st1'] }))`,
    )
    const options = ['-s', 'services.nix', '-i', 'infrastructure.yaml', '-d', 'distribution.ts']
    succeeded(await user.run(['davit-env', ...options]))
    expect(await activeOn([host])).toEqual(both)
    expect(await providerOnHost()).toBe('database')
  })

  test('a model that asks for pkgs gets what <nixpkgs> is, for the platform of the target; others need none', async () => {
    const tool = `derivation { name = "from-nixpkgs"; inherit system; builder = "/bin/sh"; args = [ "-c" "echo hello > $out" ]; }`
    await user.write('nixpkgs/default.nix', `{ system ? builtins.currentSystem, ... }: { tool = ${tool}; }`)
    await user.write('with-pkgs.nix', '{ pkgs, system }: { st1 = [ pkgs.tool ]; }')
    const options = ['-P', 'with-pkgs.nix', '-i', 'infrastructure.nix']
    const missing = await user.run(['davit-normalize', ...options])
    expect(missing.status).not.toBe(0)
    expect(missing.stderr).toContain('nixpkgs')
    const environment = { NIX_PATH: `nixpkgs=${user.directory}/nixpkgs` }
    const made = await user.bash(`davit-normalize ${options.join(' ')} | davit-manifest --format json`, { environment })
    const { profiles } = JSON.parse(succeeded(made).stdout) as { readonly profiles: Readonly<Record<string, string>> }
    expect(succeeded(await user.run(['nix-store', '-qR', profiles['st1']!])).stdout).toMatch(/-from-nixpkgs$/m)
  })

  const web = (rest: string) => `{ system, pkgs, distribution, invDistribution }:
rec {
  database = { name = "database"; type = "wrapper"; pkg = derivation { name = "d"; inherit system; builder = "/bin/sh"; }; };
  web = { name = "web"; type = "wrapper"; dependsOn = { inherit database; };
    ${rest}
  };
}
`
  // What else may be wrong in models is tested with what reads them.
  test.each([
    [
      'a failed assertion of the user',
      web('pkg = { database }: throw "no luck";'),
      /^broken\.nix:5:\d+: error: .*no luck/m,
    ],
    [
      'a parameter that is no dependency',
      web('pkg = { database, cache }: null;'),
      /^broken\.nix:\d+:\d+: error: .*'cache'/m,
    ],
  ])('%s in a model is shown with its place, and nothing of davit', async (_, text, message) => {
    await user.write('broken.nix', text)
    const options = ['-s', 'broken.nix', '-i', 'infrastructure.nix', '-d', 'distribution.nix']
    const { status, stdout, stderr } = await user.run(['davit-normalize', ...options])
    expect([status, stdout]).toEqual([65, ''])
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/lib\/davit|packages\/|\n\s+at /)
  })

  test('--show-trace shows all that Nix says', async () => {
    const options = ['-s', 'broken.nix', '-i', 'infrastructure.nix', '-d', 'distribution.nix']
    await user.write('broken.nix', web('pkg = { database }: throw "no luck";'))
    const { stderr } = await user.run(['davit-normalize', '--show-trace', ...options])
    expect(stderr).toContain('no luck')
    expect(stderr).toContain('while ')
  })

  test('a target whose Nix says something else is refused by name', async () => {
    await host.sh(`printf '#!/bin/sh\\necho "nix-store: not today"; cat > /dev/null\\n' > /usr/bin/nix-store`)
    const changed = { ...models(), services: { ...services, database: wrapper({ version: '2' }, { port: 5432 }) } }
    const { status, stderr } = await deploy(user, changed, { options: ['--store', 'nix'] })
    expect(status).not.toBe(0)
    expect(stderr).toContain("'st1'")
    expect(stderr).toMatch(/Nix/)
    expect(stderr).not.toMatch(/internal error|\n\s+at /)
  })
})

describe.skipIf(!NIX_POSSIBLE)('a target without Nix', () => {
  let set: TestHosts
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'no', kind: 'bare' })
    user = await coordinator({ hosts: set, language: 'Nix' })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  test('is refused by name before anything is done', async () => {
    const infrastructure = infrastructureOf(set.hosts)
    const deployed = { services: { database: wrapper() }, infrastructure, distribution: { database: ['no1'] } }
    const { status, stderr } = await deploy(user, deployed)
    expect(status).toBe(69)
    expect(stderr).toMatch(/'no1'.*nix-store|nix-store.*'no1'|Nix.*'no1'|'no1'.*Nix/)
    expect(stderr).toContain('hint: ')
    expect(await activeOn(set.hosts)).toEqual([])
    expect(await user.generations()).toEqual([])
  })
})
