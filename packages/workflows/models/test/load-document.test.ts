import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadBuildModel, loadDeploymentModel } from '../src/models.ts'
import { complaintOf, modelsIn } from './models-in.ts'
import { noPrivateNix, privateNixOfFile } from './nix-models.ts'

const { environment } = privateNixOfFile()
const path = '/var/lib/davit/store/00000000000000000000000000000000-a'
const infrastructure = '{ "a": { "properties": { "hostname": "a" }, "containers": {} } }'

const withoutNix = [
  ['deployment.yaml', `profiles: { a: ${path} }\ninfrastructure: ${infrastructure}`],
  ['deployment.json', `{ "profiles": { "a": "${path}" }, "infrastructure": ${infrastructure} }`],
  [
    'deployment.ts',
    `export default () => ({ profiles: { a: '${path}' as string }, infrastructure: ${infrastructure} })`,
  ],
  [
    'deployment.xml',
    `<manifest version="2"><profiles><profile name="a">${path}</profile></profiles><infrastructure><target name="a"><properties><property name="hostname" type="string">a</property></properties><containers/></target></infrastructure></manifest>`,
  ],
] as const
const inNix = [
  'deployment.nix',
  `{ profiles.a = "${path}"; infrastructure.a = { properties.hostname = "a"; }; }`,
] as const

describe.each([...withoutNix, ...(noPrivateNix === undefined ? [inNix] : [])])(
  'loadDeploymentModel()',
  (file, text) => {
    test(`reads ${file}, whose other sections are absent`, async () => {
      const model = await loadDeploymentModel(join(modelsIn({ [file]: text }), file), { environment })
      expect(model.profiles).toEqual(new Map([['a', path]]))
      expect([...model.infrastructure.keys()]).toEqual(['a'])
      expect([model.services.size, model.serviceMappings, model.snapshotMappings]).toEqual([0, [], []])
    })
  },
)

test('loadDeploymentModel() reports problems with their places', async () => {
  const directory = modelsIn({ 'deployment.yaml': 'profiles:\n  a: 3\n' })
  const complaint = await complaintOf(loadDeploymentModel(join(directory, 'deployment.yaml')), directory)
  expect(complaint).toContain('deployment.yaml:2:6: error: ')
})

test.each([
  ['deployment.yaml', "profiles:\n  ok: /a\n  'b@d': 3\n", '3:3'],
  ['build.yaml', 'derivationMappings: []\ninterfaces: { "x y": { targetAddress: h, clientInterface: ssh } }\n', '2:15'],
])('reports a wrong key of %s at its place, without the errors that follow from it', async (name, text, expected) => {
  const directory = modelsIn({ [name]: text })
  const read = name === 'build.yaml' ? loadBuildModel : loadDeploymentModel
  expect(await complaintOf(read(join(directory, name)), directory)).toContain(`${name}:${expected}: error: `)
})

const derivation = '/nix/store/00000000000000000000000000000000-a.drv'
const buildModels = [
  [
    'build.yaml',
    `derivationMappings: [{ derivation: ${derivation}, interface: a }]\ninterfaces: { a: { targetAddress: h, clientInterface: ssh } }`,
  ],
  [
    'build.js',
    `export default { derivationMappings: [{ derivation: '${derivation}', interface: 'a' }], interfaces: { a: { targetAddress: 'h', clientInterface: 'ssh' } } }`,
  ],
  [
    'build.json',
    `{ "document": "distributedderivation", "version": 2, "derivationMappings": [{ "derivation": "${derivation}", "interface": "a" }], "interfaces": { "a": { "targetAddress": "h", "clientInterface": "ssh" } } }`,
  ],
  [
    'build.xml',
    `<distributedderivation version="2"><derivationMappings><mapping><derivation>${derivation}</derivation><interface>a</interface></mapping></derivationMappings><interfaces><interface name="a"><targetAddress>h</targetAddress><clientInterface>ssh</clientInterface></interface></interfaces></distributedderivation>`,
  ],
] as const
const buildInNix = [
  'build.nix',
  `{ derivationMappings = [ { derivation = "${derivation}"; interface = "a"; } ]; interfaces.a = { targetAddress = "h"; clientInterface = "ssh"; }; }`,
] as const

describe.each([...buildModels, ...(noPrivateNix === undefined ? [buildInNix] : [])])(
  'loadBuildModel()',
  (file, text) => {
    test(`reads ${file}`, async () => {
      expect(await loadBuildModel(join(modelsIn({ [file]: text }), file), { environment })).toEqual({
        derivationMappings: [{ derivation, interface: 'a' }],
        interfaces: new Map([['a', { targetAddress: 'h', clientInterface: 'ssh' }]]),
      })
    })
  },
)

test.skipIf(noPrivateNix)('problems of documents in Nix have places, deep inside', async () => {
  const directory = modelsIn({
    'deployment.nix': '{\n  serviceMappings = [\n    { service = 3;\n      target = "a"; container = "c"; }\n  ];\n}',
    'build.nix': '{ interfaces = { };\n  derivationMappings = [ { derivation = "x"; interface = "a"; } ]; }',
  })
  const complaints = [
    await complaintOf(loadDeploymentModel(join(directory, 'deployment.nix'), { environment }), directory),
    await complaintOf(loadBuildModel(join(directory, 'build.nix'), { environment }), directory),
  ]
  expect(complaints.join('\n\n')).toMatchInlineSnapshot(`
    "deployment.nix:3:7: error: expected text, but got 3
          { service = 3;
            ^
    cannot read 'deployment.nix' as a deployment model

    build.nix:2:28: error: 'x' is not valid: a store path has the form <store directory>/<32 characters>-<name>
        derivationMappings = [ { derivation = "x"; interface = "a"; } ]; }
                                 ^
    cannot read 'build.nix' as a build model"
  `)
})

test.skipIf(noPrivateNix)('derivations in a deployment model are the paths that they build', async () => {
  const text =
    '{ profiles.a = derivation { name = "x"; system = "s"; builder = "b"; }; infrastructure.a.properties.hostname = "a"; }'
  const directory = modelsIn({ 'deployment.nix': text })
  const { profiles } = await loadDeploymentModel(join(directory, 'deployment.nix'), { environment })
  expect([...profiles.values()]).toEqual([expect.stringMatching(/^\/nix\/store\/[a-z0-9]{32}-x$/)])
})
