import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { describe, expect, test } from 'vitest'
import { type Call, convert } from './converter.ts'

const { environment } = privateNixOfFile()

const INFRASTRUCTURE = 'alpha:\n  properties: { hostname: a.example }\n'
const SERVICES = 'web:\n  type: process\n  pkg: { source: ./web }\n'

const cases: readonly (readonly [string, Call])[] = [
  ['no language', { document: 'm.yaml', files: { 'm.yaml': INFRASTRUCTURE } }],
  ['--store-paths without Nix', { to: 'json', storePaths: true, input: '{}' }],
  [
    'an infrastructure that is not needed',
    { to: 'json', infrastructure: 'i.yaml', document: 'm.yaml', files: { 'm.yaml': INFRASTRUCTURE } },
  ],
  ['an empty file', { to: 'json', document: 'm.xml', files: { 'm.xml': ' \n' } }],
  ['an empty model', { to: 'json', document: 'm.yaml', files: { 'm.yaml': '' } }],
  ['empty standard input', { to: 'json', input: '' }],
  ['a file in no known language', { to: 'json', document: 'm.txt', files: { 'm.txt': 'alpha: 1' } }],
  ['XML of another program', { to: 'json', input: '<?xml version="1.0"?>\n<!-- x -->\n  <project version="1"/>' }],
  ['JSON of another program', { to: 'xml', input: '{ "document": "invoice", "version": 1 }' }],
  ['data of no known kind', { to: 'json', input: 'a: 1\n' }],
  ['an entity', { to: 'json', input: '<infrastructure version="2">\n<target name="&x;"/></infrastructure>' }],
  ['a DOCTYPE', { to: 'json', input: '<!DOCTYPE manifest>\n<infrastructure version="2"/>' }],
  ['deep nesting', { to: 'json', input: `<infrastructure>${'<a>'.repeat(300)}` }],
  [
    'deep nesting in YAML',
    { to: 'json', document: 'm.yaml', files: { 'm.yaml': `a: ${'['.repeat(300)}${']'.repeat(300)}` } },
  ],
  ['XML that is cut off', { to: 'json', input: '<manifest version="2">\n<profiles>' }],
  [
    'another kind than it says',
    { to: 'yaml', kind: 'architecture', input: '{ "document": "manifest", "version": 2 }' },
  ],
  [
    'an invalid document',
    { to: 'yaml', document: 'm.yaml', files: { 'm.yaml': 'alpha:\n  properties: 3\n  containers: {}\n' } },
  ],
  [
    'an infrastructure model as a manifest',
    { to: 'json', kind: 'manifest', document: 'm.yaml', files: { 'm.yaml': INFRASTRUCTURE } },
  ],
  ['an infrastructure as a manifest, in XML', { to: 'json', kind: 'manifest', input: '<infrastructure version="2"/>' }],
  [
    'an infrastructure as a profile manifest, in JSON',
    { to: 'yaml', kind: 'profile-manifest', input: '{ "document": "infrastructure", "version": 2 }' },
  ],
  ['an infrastructure as services, in XML', { to: 'json', kind: 'services', input: '<infrastructure version="2"/>' }],
  ['a distribution as XML', { to: 'xml', document: 'm.yaml', files: { 'm.yaml': 'web: [alpha]\n' } }],
  ['services as XML', { to: 'xml', document: 'm.yaml', files: { 'm.yaml': SERVICES } }],
  ['XML as services', { to: 'json', kind: 'services', input: '<services/>' }],
  ['an architecture as XML', { to: 'xml', input: architecture() }],
  [
    'services as Nix',
    { to: 'nix', document: 'm.yaml', files: { 'm.yaml': `${SERVICES}db:\n  pkg: { source: ./db }\n` } },
  ],
  [
    'an architecture model as Nix',
    {
      to: 'nix',
      document: 'm.yaml',
      files: {
        'm.yaml': `services: { web: { pkg: { source: ./web } } }\ninfrastructure: {}\ntargetPackages: { a: [] }\n`,
      },
    },
  ],
  [
    'what Nix cannot hold',
    {
      to: 'nix',
      document: 'm.yaml',
      files: {
        'm.yaml': `${INFRASTRUCTURE}  containers:\n    process:\n      pkg: { type: derivation }\n__functor:\n  properties: {}\n`,
      },
    },
  ],
  ['a value that is too deep for models', { to: 'yaml', input: deepInfrastructure() }],
  [
    'a value that is too large for YAML',
    { to: 'yaml', kind: 'distribution', input: `{"web": ["${'x'.repeat(17_000_000)}"]}` },
  ],
  ['null as Nix', { to: 'nix', kind: 'distribution', input: 'web: [a, null]\nother: ["\\0"]\n' }],
  ['a function', { to: 'json', document: 'm.ts', files: { 'm.ts': 'export default () => ({})' } }],
  [
    'functions in a model',
    {
      to: 'json',
      document: 'm.ts',
      files: { 'm.ts': "export default { web: { type: 'process', pkg: ({ db }: any) => db, port: undefined } }" },
    },
  ],
  ['a program that throws', { to: 'json', document: 'm.ts', files: { 'm.ts': "\nthrow new Error('no')" } }],
  ['a file that does not exist', { to: 'json', document: 'm.ts' }],
]

test.each(cases)('%s is refused', async (name, call) => {
  const { printed, said, status } = await convert(call)
  expect(printed).toBe('')
  await expect(`${said}\nexit status ${status}\n`).toMatchFileSnapshot(
    `mistakes/${name.replace(/^\W+/, '').replaceAll(/\W+/g, '-')}.txt`,
  )
})

const nixCases: readonly (readonly [string, string])[] = [
  ['a function in Nix', '{ infrastructure, ... }:\n{ web = [ infrastructure.a ]; }\n'],
  ['an architecture that is a function in Nix', '{ system, pkgs }:\n{ services = { }; infrastructure = { }; }\n'],
  [
    'what is no data in Nix',
    '{\n  a.properties = {\n    hostname = "a";\n    key = ./key;\n    f = x: x;\n    n = null;\n  };\n}\n',
  ],
  ['an error in Nix', '{\n  a.properties.hostname = undefined;\n}\n'],
]

describe.skipIf(noPrivateNix !== undefined)('in the Nix language', () => {
  test.each(nixCases)('%s is refused', async (name, text) => {
    const { printed, said, status } = await convert({
      to: 'json',
      document: 'm.nix',
      files: { 'm.nix': text },
      environment,
    })
    expect(printed).toBe('')
    await expect(`${said}\nexit status ${status}\n`).toMatchFileSnapshot(
      `mistakes/${name.replace(/^\W+/, '').replaceAll(/\W+/g, '-')}.txt`,
    )
  })
})

/** Documents may be a little deeper than models. */
function deepInfrastructure(): string {
  const deep = `${'['.repeat(205)}${']'.repeat(205)}`
  return `{ "document": "infrastructure", "version": 2, "infrastructure": {\n"a": { "properties": { "deep": ${deep} } } } }`
}

function architecture(): string {
  return JSON.stringify({
    document: 'architecture',
    version: 1,
    services: {},
    infrastructure: {},
    targetPackages: {},
    store: { kind: 'native', directory: '/store' },
  })
}
