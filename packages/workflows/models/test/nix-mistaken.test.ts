import { expect, test } from 'vitest'
import { complaintOf, modelsIn } from './models-in.ts'
import { loadNixIn, noPrivateNix, privateNixOfFile } from './nix-models.ts'

const { environment } = privateNixOfFile()

const PACKAGE = 'derivation { name = "x"; system = "x86_64-linux"; builder = "/bin/sh"; }'
const TARGETS = 'here.properties.hostname = "h";'

const MODELS = {
  services: '{ system, ... }: { web = { name = "web"; type = "x"; pkg = { }: throw "nobody needs it"; }; }',
  infrastructure: `{ ${TARGETS} }`,
  distribution: '{ web.targets = [ { target = "here"; } ]; }',
  packages: `{ system, ... }: { here = [ (${PACKAGE}) ]; }`,
  architecture: `{ services = { }; infrastructure = { ${TARGETS} }; }`,
  deployment: `{ profiles.here = "/store/x"; infrastructure = { ${TARGETS} }; services = { }; }`,
  build: '{ interfaces = { }; derivationMappings = [ { derivation = "x"; } ]; }',
} as const

const MISTAKES: readonly (readonly [given: string, as: string, message: string, option: string])[] = [
  ['services', 'packages', 'expected a packages model, but this looks like a services model', '-s'],
  ['infrastructure', 'packages', 'expected a packages model, but this looks like an infrastructure model', '-i'],
  ['distribution', 'packages', 'expected a packages model, but this looks like a distribution model', '-d'],
  ['architecture', 'packages', 'expected a packages model, but this looks like an architecture model', '-A'],
  ['services', 'architecture', 'expected an architecture model, but this looks like a services model', '-s'],
  [
    'infrastructure',
    'architecture',
    'expected an architecture model, but this looks like an infrastructure model',
    '-i',
  ],
  ['distribution', 'architecture', 'expected an architecture model, but this looks like a distribution model', '-d'],
  ['packages', 'architecture', 'expected an architecture model, but this looks like a packages model', '-P'],
  ['deployment', 'architecture', 'expected an architecture model, but this looks like a deployment model', '-D'],
  [
    'build',
    'architecture',
    'expected an architecture model, but this looks like a build model',
    '-B of davit-delegate-build',
  ],
]

test.skipIf(noPrivateNix !== undefined).each(MISTAKES)(
  'a model of %s in the Nix language that is passed as one of %s is recognised',
  async (given, as, message, option) => {
    const directory = modelsIn({
      'infrastructure.json': '{ "here": { "properties": { "hostname": "h" } } }',
      [`${as}-given.nix`]: MODELS[given as keyof typeof MODELS],
    })
    const names = as === 'architecture' ? ['architecture-given.nix'] : ['infrastructure.json', `${as}-given.nix`]
    expect(await complaintOf(loadNixIn(directory, names, { environment }), directory)).toBe(
      `${as}-given.nix: error: ${message}\n  hint: was it meant for ${option}?\na model is not of the expected kind`,
    )
  },
)

test.skipIf(noPrivateNix !== undefined)('packages in place of lists are reported with their places', async () => {
  const directory = modelsIn({
    'infrastructure.json': '{ "here": { "properties": { "hostname": "h" } } }',
    'packages.nix': `{ here = ${PACKAGE}; }`,
  })
  const failing = loadNixIn(directory, ['infrastructure.json', 'packages.nix'], { environment })
  expect(await complaintOf(failing, directory)).toContain('packages.nix:1:3: error: expected a list of packages')
})
