import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  loadArchitecture,
  loadBuildModel,
  loadDeploymentModel,
  loadInfrastructure,
  type ModelFiles,
} from '../src/models.ts'
import { complaintOf, linux, modelsIn } from './models-in.ts'

const STORE_PATH = `/var/lib/davit/store/${'0'.repeat(32)}-x`
const KEY = '0'.repeat(64)
const target = { clientInterface: 'local', properties: { hostname: 'localhost' } }

const MODELS = {
  services: { web: { type: 'process', pkg: { source: '.' } } },
  infrastructure: { here: target },
  distribution: { web: ['here'] },
  packages: { here: [{ source: '.' }] },
  architecture: { infrastructure: { here: target }, services: { web: { type: 'x', pkg: { source: '.' } } } },
  deployment: {
    profiles: { here: STORE_PATH },
    services: { [KEY]: { name: 'one', pkg: STORE_PATH, type: 'echo' } },
    infrastructure: { here: target },
    serviceMappings: [{ service: KEY, target: 'here', container: 'echo' }],
  },
  build: {
    derivationMappings: [{ derivation: `${STORE_PATH}.drv`, interface: 'here' }],
    interfaces: { here: { targetAddress: 'localhost', clientInterface: 'local' } },
  },
} as const
type Kind = keyof typeof MODELS
const KINDS = Object.keys(MODELS) as Kind[]

const NAMES: Readonly<Record<Kind, readonly [title: string, option: string]>> = {
  services: ['a services model', '-s'],
  infrastructure: ['an infrastructure model', '-i'],
  distribution: ['a distribution model', '-d'],
  packages: ['a packages model', '-P'],
  architecture: ['an architecture model', '-A'],
  deployment: ['a deployment model', '-D'],
  build: ['a build model', '-B of davit-delegate-build'],
}

/** Loads a file as a model of a kind, together with correct models of the other kinds. */
function loadAs(kind: Kind, directory: string, file: string): Promise<unknown> {
  const path = join(directory, file)
  const good = (name: Kind) => join(directory, `good/${name}.json`)
  if (kind === 'deployment') return loadDeploymentModel(path)
  if (kind === 'build') return loadBuildModel(path)
  const rest = {
    services: good('services'),
    infrastructure: good('infrastructure'),
    distribution: good('distribution'),
  }
  const files: ModelFiles = kind === 'architecture' ? { architecture: path } : { ...rest, [kind]: path }
  return loadArchitecture(files, { system: linux })
}

const LANGUAGES: Readonly<Record<string, (value: unknown) => string>> = {
  'model.yaml': (value) => JSON.stringify(value),
  'model.json': (value) => JSON.stringify(value),
  'model.ts': (value) => `export default () => (${JSON.stringify(value)})`,
}

function directoryWith(value: unknown): string {
  const good = Object.entries(MODELS).map(([name, model]) => [`good/${name}.json`, JSON.stringify(model)])
  const all = Object.entries(LANGUAGES).map(([file, written]) => [file, written(value)])
  return modelsIn(Object.fromEntries([...good, ...all]) as Record<string, string>)
}

test('no option for another model is named where only targets are read', async () => {
  const directory = directoryWith(MODELS.services)
  const options = { system: linux, clientInterface: 'ssh', targetProperty: 'hostname' }
  expect(await complaintOf(loadInfrastructure(join(directory, 'model.yaml'), options), directory)).toBe(
    'model.yaml: error: expected an infrastructure model, but this looks like a services model\n' +
      '  hint: pass the infrastructure model\n' +
      'a model is not of the expected kind',
  )
})

describe.each(KINDS)('a model of %s', (kind) => {
  test.each(KINDS.filter((other) => other !== kind))('that is passed as one of %s is recognised', async (role) => {
    const directory = directoryWith(MODELS[kind])
    for (const file of Object.keys(LANGUAGES)) {
      expect(await complaintOf(loadAs(role, directory, file), directory)).toBe(
        `${file}: error: expected ${NAMES[role][0]}, but this looks like ${NAMES[kind][0]}\n` +
          `  hint: was it meant for ${NAMES[kind][1]}?\n` +
          'a model is not of the expected kind',
      )
    }
  })

  test('is read as one, and so is an empty one', async () => {
    const directory = directoryWith(MODELS[kind])
    // A build model in JSON states its kind.
    const files = Object.keys(LANGUAGES).filter((file) => kind !== 'build' || file !== 'model.json')
    for (const file of files) await loadAs(kind, directory, file)
  })
})

test('services, targets and sections of any name are no reason to take a model for another', async () => {
  const names = [
    'profiles',
    'serviceMappings',
    'interfaces',
    'services',
    'infrastructure',
    'derivationMappings',
    'targets',
  ]
  const tableOf = (value: unknown) => JSON.stringify(Object.fromEntries(names.map((name) => [name, value])))
  const directory = modelsIn({
    'services.json': tableOf({ type: 'x', pkg: { source: '.' }, properties: { a: 1 } }),
    'infrastructure.json': tableOf({ properties: { hostname: 'a' }, type: 'x' }),
    'distribution.json': tableOf(['profiles']),
    'packages.json': tableOf([{ source: '.' }]),
  })
  const files = ['services', 'infrastructure', 'distribution', 'packages'].map((name) => [
    name,
    `${directory}/${name}.json`,
  ])
  const model = await loadArchitecture(Object.fromEntries(files), { system: linux })
  expect([...model.services.keys()]).toEqual(names)
})

test('models that are mixed up are reported together', async () => {
  const directory = modelsIn({ 'a.yaml': 'web: [here]\n', 'b.yaml': 'here: { properties: { hostname: a } }\n' })
  const files = {
    services: `${directory}/b.yaml`,
    infrastructure: `${directory}/a.yaml`,
    distribution: `${directory}/b.yaml`,
  }
  expect(await complaintOf(loadArchitecture(files, { system: linux }), directory)).toMatchInlineSnapshot(`
    "b.yaml: error: expected a services model, but this looks like an infrastructure model
      hint: was it meant for -i?
    a.yaml: error: expected an infrastructure model, but this looks like a distribution model
      hint: was it meant for -d?
    b.yaml: error: expected a distribution model, but this looks like an infrastructure model
      hint: was it meant for -i?
    models are not of the expected kinds"
  `)
})

test.each([
  ['infrastructure', 'distribution.ts', 'export default ({ infrastructure }) => ({ web: [infrastructure.a] })'],
  ['distribution', 'services.ts', 'export default ({ invDistribution }) => ({ web: invDistribution.a })'],
  ['deployment', 'services.ts', 'export default ({ distribution }) => distribution.web'],
] as const)(
  'the function of a model that is passed as one of %s is refused for an argument that it does not get',
  async (kind, file, text) => {
    const directory = modelsIn({
      [file]: text,
      'good/services.json': '{}',
      'good/infrastructure.json': '{}',
      'good/distribution.json': '{}',
    })
    await expect(await complaintOf(loadAs(kind, directory, file), directory)).toMatchFileSnapshot(
      `fixtures/mistaken/${kind}.errors`,
    )
  },
)

test.each(['yaml', 'json'])(
  'a deployment model in %s with unknown sections deploys nothing silently',
  async (language) => {
    const directory = modelsIn({ [`d.${language}`]: '{ "profils": {}, "services": {} }' })
    expect(await complaintOf(loadDeploymentModel(`${directory}/d.${language}`), directory)).toContain(
      "did you mean 'profiles'?",
    )
  },
)
