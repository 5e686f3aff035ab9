import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeDocument, DeploymentModel, type System } from '@davit/documents'
import { loadArchitecture, loadBuildModel, loadDeploymentModel } from '@davit/models'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { describe, expect, test } from 'vitest'
import { type Language } from '../src/write-content.ts'
import { convert, filesIn } from './converter.ts'

const { environment } = privateNixOfFile()

const path = (name: string) => `/var/lib/davit/store/00000000000000000000000000000000-${name}`
const AWKWARD = '${x} $${y} "q" \'s\' \\ `t` ${`z`}\n  two\n'

const INFRASTRUCTURE = `
beta: { properties: { hostname: b.example }, meta: { room: 12b }, numOfCores: 2 }
alpha:
  properties: { hostname: a.example, weight: 1.0, motd: ${JSON.stringify(AWKWARD)} }
  containers: { process: { password: { secret: { file: keys/a } } } }
`
const DEPLOYMENT = `
profiles: { alpha: ${path('alpha')} }
infrastructure: { alpha: { properties: { hostname: a.example, weight: 1.0 }, clientInterface: local } }
services:
  k: { name: web, pkg: ${path('web')}, type: process, providesContainers: { app: { port: 80, motd: ${JSON.stringify(AWKWARD)} } } }
serviceMappings: [{ service: k, target: alpha, container: process }]
snapshotMappings: [{ service: k, target: alpha, container: process, component: web }]
`
const BUILD = `
derivationMappings: [{ derivation: ${path('web.drv')}, interface: alpha }]
interfaces: { alpha: { targetAddress: a.example, clientInterface: ssh } }
`
const SERVICES = `
database: { type: process, port: 5432, weight: 1.0, pkg: { source: ./database } }
web:
  type: process
  dependsOn: [database]
  connectsTo: { self: { service: web } }
  providesContainers: { app: { motd: ${JSON.stringify(AWKWARD)} } }
  pkg:
    build:
      env: { HOST: "\${database.target.properties.hostname}", PORT: 80 }
      sources: { app: ./web }
      script: |
        cp -r $app $out
        echo "\${HOST}"
`
const DISTRIBUTION = 'database: [beta]\nweb: { targets: [{ target: alpha, container: process }] }\n'
const PACKAGES = 'alpha: [{ source: ./tools }]\n'
const ARCHITECTURE = `infrastructure: { alpha: { properties: { hostname: a } } }
services: { web: { type: process, pkg: { source: ./web }, targets: [alpha] } }
targetPackages: { alpha: [{ source: ./tools }] }
`

const MODELS = {
  infrastructure: INFRASTRUCTURE,
  deployment: DEPLOYMENT,
  build: BUILD,
  services: SERVICES,
  distribution: DISTRIBUTION,
  packages: PACKAGES,
  architecture: ARCHITECTURE,
}
type Name = keyof typeof MODELS
const NAMES = Object.keys(MODELS) as Name[]

const ENDINGS: Readonly<Record<Language, string>> = {
  xml: 'xml',
  json: 'json',
  yaml: 'yaml',
  typescript: 'ts',
  nix: 'nix',
}

async function converted(text: string, from: Language, to: Language): Promise<string> {
  const file = `model.${ENDINGS[from]}`
  const { printed, said } = await convert({ to, document: file, files: { [file]: text }, environment })
  expect(said).toBe('')
  return printed
}

describe.each(NAMES)('a model in YAML: %s', (name) => {
  const withNix = noPrivateNix === undefined && !['services', 'packages', 'architecture'].includes(name)

  test.each(['json', 'typescript', ...(withNix ? (['nix'] as const) : [])] as const)(
    'comes back from %s',
    async (to) => {
      const yaml = await converted(MODELS[name], 'yaml', 'yaml')
      expect(await converted(await converted(MODELS[name], 'yaml', to), to, 'yaml')).toBe(yaml)
    },
  )
})

test('the types of davit accept what is written in TypeScript', async () => {
  const directory = filesIn({})
  for (const name of NAMES)
    writeFileSync(join(directory, `${name}.ts`), await converted(MODELS[name], 'yaml', 'typescript'))
  const place = (relative: string) => fileURLToPath(new URL(`../../../../${relative}`, import.meta.url))
  const options = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      noUnusedLocals: true,
      module: 'nodenext',
      target: 'esnext',
      allowImportingTsExtensions: true,
      types: ['node'],
      typeRoots: [place('node_modules/@types')],
      paths: { davit: [place('packages/documents/davit/src/davit.ts')] },
    },
    files: NAMES.map((name) => `${name}.ts`),
  }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(options))
  const complaints = (): string => {
    try {
      return execFileSync(place('node_modules/.bin/tsc'), ['-p', directory], { encoding: 'utf8' })
    } catch (error) {
      return String((error as { readonly stdout?: unknown }).stdout)
    }
  }
  expect(complaints()).toBe('')
  writeFileSync(
    join(directory, 'services.ts'),
    (await converted(SERVICES, 'yaml', 'typescript')).replaceAll('type:', 'tape:'),
  )
  expect(complaints()).toMatch(/services\.ts.*error TS/)
})

describe.each(['json', 'typescript', ...(noPrivateNix === undefined ? (['nix'] as const) : [])] as const)(
  'in %s',
  (to) => {
    async function fileOf(name: Name): Promise<string> {
      const file = `${name}.${ENDINGS[to]}`
      return join(filesIn({ [file]: await converted(MODELS[name], 'yaml', to) }), file)
    }

    test('a deployment model is the same for its readers', async () => {
      const original = await loadDeploymentModel(join(filesIn({ 'd.yaml': DEPLOYMENT }), 'd.yaml'), { environment })
      const read = await loadDeploymentModel(await fileOf('deployment'), { environment })
      expect(encodeDocument(DeploymentModel, read, 'json')).toBe(encodeDocument(DeploymentModel, original, 'json'))
    })

    test('a build model is the same for its readers', async () => {
      const original = await loadBuildModel(join(filesIn({ 'b.yaml': BUILD }), 'b.yaml'), { environment })
      expect(await loadBuildModel(await fileOf('build'), { environment })).toEqual(original)
    })

    test('an infrastructure model is the same for its readers', async () => {
      const copy = `infrastructure.${ENDINGS[to]}`
      const text = await converted(INFRASTRUCTURE, 'yaml', to)
      // In the same directory, since the paths of secrets are relative.
      const directory = filesIn({ 'original.yaml': INFRASTRUCTURE, [copy]: text })
      const targetsIn = async (file: string) => {
        const files = { infrastructure: join(directory, file) }
        const { infrastructure } = await loadArchitecture(files, { system: 'x86_64-linux' as System, environment })
        return JSON.stringify([...infrastructure], inOrder)
      }
      expect(await targetsIn(copy)).toBe(await targetsIn('original.yaml'))
    })
  },
)

function byText(left: unknown, right: unknown): number {
  return String(left) < String(right) ? -1 : 1
}

function inOrder(_: string, value: unknown): unknown {
  const entries = value instanceof Map ? [...(value as ReadonlyMap<string, unknown>)] : value
  return Array.isArray(entries) && entries.every(Array.isArray) ? entries.toSorted(byText) : value
}

test('attributes of targets that davit does not read are only lost in XML', async () => {
  const files = { 'm.yaml': INFRASTRUCTURE }
  const call = { document: 'm.yaml', files }
  expect((await convert({ ...call, to: 'json' })).printed).toContain('"room": "12b"')
  const { printed, said, status } = await convert({ ...call, to: 'xml' })
  expect([printed, status]).toEqual(['', 1])
  expect(said).toContain("m.yaml:2:46: error: XML has no attribute 'meta' of a target")
  const lossy = await convert({ ...call, to: 'xml', lossy: true })
  expect(lossy.printed).toMatch(/^<\?xml [^]*<target name="beta">/)
  expect(lossy.said).toContain("m.yaml:2:46: warning: left out: XML has no attribute 'meta' of a target")
})

test('what readers of documents ignore is lost, unless that is allowed', async () => {
  const input =
    '<infrastructure version="2">\n  <target name="a">\n    <properties><property name="p">x</property></properties>\n' +
    '    <color>red</color>\n  </target>\n</infrastructure>\n'
  const { printed, said } = await convert({ to: 'json', input })
  expect(printed).toBe('')
  expect(said.split('\n').filter((line) => line.startsWith('<stdin>'))).toEqual([
    "<stdin>:3:17: error: davit does not read 'property' in an infrastructure model",
    "<stdin>:4:5: error: davit does not read 'color' in an infrastructure model",
  ])
  const lossy = await convert({ to: 'yaml', input, lossy: true })
  expect(lossy.printed).toBe('a:\n  containers: {}\n  properties: {}\n')
  expect(lossy.said.match(/warning: left out/g)).toHaveLength(2)
})

test('what is not data is left out of a model, if that is allowed', async () => {
  const files = { 'm.ts': "export default { web: { type: 'process', pkg: () => 1, list: [1, undefined, 2] } }" }
  const { printed } = await convert({ to: 'json', document: 'm.ts', files, lossy: true })
  expect(JSON.parse(printed)).toEqual({ web: { type: 'process', list: [1, 2] } })
})

test('paths of the Nix store are written as such if that is wanted', async () => {
  const input = DEPLOYMENT.replaceAll('/var/lib/davit/store', '/nix/store')
  const { printed } = await convert({ to: 'nix', input, storePaths: true })
  expect(printed).toContain('alpha = builtins.storePath "/nix/store/00000000000000000000000000000000-alpha";')
  expect((await convert({ to: 'nix', input })).printed).toContain('alpha = "/nix/store/')
  expect((await convert({ to: 'nix', input: DEPLOYMENT, storePaths: true })).printed).not.toContain('builtins')
})

test('a document in YAML may state what it is', async () => {
  const input = 'document: infrastructure\nversion: 2\ninfrastructure: { a: { properties: {} } }\n'
  expect((await convert({ to: 'yaml', input })).printed).toBe('a:\n  containers: {}\n  properties: {}\n')
  const empty = 'document: manifest\nversion: 2\nprofiles: {}\n'
  expect((await convert({ to: 'xml', input: empty })).printed).toContain('<manifest version="2">')
})

test('--kind says what an empty model is', async () => {
  expect((await convert({ to: 'typescript', input: '{}', kind: 'services' })).printed).toBe(
    "import { defineServices } from 'davit'\n\nexport default defineServices({})\n",
  )
})

test.each([
  ['services', { web: { type: 'process', pkg: 'PATH' } }, { web: { type: 'process', pkg: { storePath: 'PATH' } } }],
  ['services', { web: { pkg: './web', x: 'PATH' } }, { web: { pkg: './web', x: 'PATH' } }],
  ['packages', { a: ['PATH', { storePath: 'PATH' }] }, { a: [{ storePath: 'PATH' }, { storePath: 'PATH' }] }],
  [
    'architecture-model',
    { services: { web: { pkg: 'PATH' } }, targetPackages: { a: ['PATH'] }, infrastructure: { a: { x: 'PATH' } } },
    {
      services: { web: { pkg: { storePath: 'PATH' } } },
      targetPackages: { a: [{ storePath: 'PATH' }] },
      infrastructure: { a: { x: 'PATH' } },
    },
  ],
] as const)('packages of %s that are in a store are written as davit reads them', async (kind, model, expected) => {
  const filled = (value: object) =>
    JSON.stringify(value).replaceAll('PATH', '/nix/store/00000000000000000000000000000000-web')
  const { printed } = await convert({ to: 'json', kind, input: filled(model) })
  expect(JSON.parse(printed)).toEqual(JSON.parse(filled(expected)))
})
