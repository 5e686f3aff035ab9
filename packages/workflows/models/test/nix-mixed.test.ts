import { fileURLToPath } from 'node:url'
import type { Architecture } from '@davit/documents'
import type { Environment } from '@davit/process'
import { describe, expect, test } from 'vitest'
import { specOf } from './models-in.ts'
import { architectureFrom, countEvaluations, loadNixIn, noPrivateNix, privateNixOfFile } from './nix-models.ts'

const nix = privateNixOfFile()
const { environment } = nix
const directory = fileURLToPath(new URL('fixtures/nix-mixed', import.meta.url))

async function architectureOf(names: readonly string[]): Promise<Architecture> {
  return architectureFrom(await loadNixIn(directory, names, { environment }), { environment })
}

describe.skipIf(noPrivateNix)('services in Nix', () => {
  let architecture: Promise<Architecture> | undefined
  const allInNix = () => (architecture ??= architectureOf(['services.nix', 'infrastructure.nix', 'distribution.nix']))

  test.each([
    ['infrastructure.nix', 'distribution.nix', 1],
    ['infrastructure.nix', 'distribution.json', 1],
    ['infrastructure.nix', 'distribution.ts', 2],
    ['infrastructure.yaml', 'distribution.nix', 1],
    ['infrastructure.yaml', 'distribution.json', 1],
    ['infrastructure.yaml', 'distribution.ts', 1],
    ['infrastructure.ts', 'distribution.nix', 1],
    ['infrastructure.ts', 'distribution.json', 1],
    ['infrastructure.ts', 'distribution.ts', 1],
  ])('with %s and %s give the same architecture, after %i evaluations', async (infrastructure, distribution, count) => {
    const names = ['services.nix', infrastructure, distribution]
    const load = (counting: Environment) => loadNixIn(directory, names, { environment: counting })
    expect(await countEvaluations(environment, load)).toBe(count)
    expect(await architectureOf(names)).toEqual(await allInNix())
  })

  test('get exactly the parameters of the original toolset', async () => {
    const { services } = await allInNix()
    const [web] = [...services.values()].filter(({ name }) => name === 'web')
    const [derivation] = Array.from(web?.packages.values() ?? [], (pkg) => pkg.derivation ?? '')
    const text = nix.shell('nix-store --query --binding text "$1"', derivation ?? '')
    expect(JSON.parse(text)).toEqual([
      { hostname: 'db1.example', load: 0.1, cores: 2, tags: ['a', 1] },
      { port: 5432 },
      5432,
      1.5,
      ['web1.example', 'web2.example'],
      ['web'],
      5432,
      ['deployState', 'name', 'pkg', 'pkgs', 'port', 'target', 'targets', 'type', 'unused', 'weight'],
      [
        'clientInterface',
        'container',
        'meta',
        'name',
        'numOfCores',
        'properties',
        'selectedContainer',
        'system',
      ].concat('targetProperty'),
    ])
  })
})

test.skipIf(noPrivateNix).each([
  ['infrastructure.nix', 'distribution.nix'],
  ['infrastructure.nix', 'distribution.json'],
  ['infrastructure.nix', 'distribution.ts'],
  ['infrastructure.yaml', 'distribution.nix'],
])('services in TypeScript with %s and %s see targets and services', async (infrastructure, distribution) => {
  const model = await loadNixIn(directory, ['services.ts', infrastructure, distribution], { environment })
  expect(specOf(model, 'web')).toMatchObject({
    script: '{"web":["web1.example","web2.example"],"onWeb1":["web"]}',
  })
  const { targetPackages, infrastructure: targets } = model
  expect([targetPackages.size, [...targets.keys()]]).toEqual([0, ['db1', 'web1', 'web2']])
})

test.skipIf(noPrivateNix).each(['infrastructure.nix', 'infrastructure.yaml'])(
  'packages in Nix are installed on targets of %s',
  async (infrastructure) => {
    const { targetPackages } = await architectureOf([infrastructure, 'packages.nix'])
    const names = Array.from(targetPackages, ([target, packages]) => [
      target,
      packages.map(({ outPath }) => outPath.slice('/nix/store/'.length + 33)),
    ])
    expect(names).toEqual([
      ['db1', ['backup', 'top']],
      ['web1', []],
      ['web2', ['top']],
    ])
  },
)
