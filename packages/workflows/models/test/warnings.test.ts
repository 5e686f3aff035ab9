import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { System } from '@davit/documents'
import { normalizeModel } from '@davit/normalization'
import { expect, test } from 'vitest'
import { loadArchitecture } from '../src/models.ts'
import { complaintOf, linux, load, loadIn, modelsIn } from './models-in.ts'
import { loadNixIn, noPrivateNix, privateNixOfFile } from './nix-models.ts'

const { environment } = privateNixOfFile()

test('loadArchitecture() warns of attributes that are nearly called like those it knows, and keeps them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'davit-warnings-'))
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  const services = file('services.yaml', 'web: { type: echo, pkg: { source: . }, dependOn: [x], port: 1 }\n')
  const infrastructure = file('infrastructure.yaml', 'one:\n  properties: { hostname: a }\n  numCores: 2\n  meta: 1\n')
  const distribution = file('distribution.yaml', 'web: [one]\n')
  const options = { system: 'x86_64-linux' as System }
  const model = await loadArchitecture({ services, infrastructure, distribution }, options)
  rmSync(directory, { recursive: true })
  expect(model.warnings).toMatchObject([
    { severity: 'warning', hint: "did you mean 'numOfCores'?", place: { line: 3, column: 3 } },
    { severity: 'warning', hint: "did you mean 'dependsOn'?", place: { line: 1, column: 40 } },
  ])
  expect([...model.services.values()][0]?.attributes.has('dependOn')).toBe(true)
})

const NIX_SERVICE = 'name = "web"; type = "echo"; pkg = builtins.storePath "/x"; dependOn = [ ]; port = 1;'

test.each<readonly [string, Readonly<Record<string, string>>]>([
  ['json', { services: '{ "web": { "type": "echo", "pkg": { "source": "." }, "dependOn": ["x"], "port": 1 } }' }],
  ['ts', { services: "export default { web: { type: 'echo', pkg: { source: '.' }, dependOn: ['x'], port: 1 } }" }],
  ['nix', { services: `{ pkgs, system, distribution, invDistribution }: { web = { ${NIX_SERVICE} }; }` }],
])('loadArchitecture() warns of them in %s as well', async (language, { services = '' }) => {
  if (language === 'nix' && noPrivateNix !== undefined) return
  const files = { [`services.${language}`]: services, 'infrastructure.yaml': 'one: { properties: { hostname: a } }\n' }
  const { warnings = [] } = await loadNixIn(modelsIn(files), Object.keys(files), { environment })
  expect(warnings).toMatchObject([{ severity: 'warning', hint: "did you mean 'dependsOn'?" }])
})

const OPTIONS = {
  clientInterface: 'ssh',
  targetProperty: 'hostname',
  deployState: false,
  system: linux,
  store: { kind: 'native', directory: '/store' },
} as const

test('a misspelt attribute is reported before the errors that follow from it', async () => {
  const directory = modelsIn({
    'infrastructure.yaml': 'a: { properties: { hostname: a } }\n',
    'distribution.yaml': '{ counter: [a], web: [a] }\n',
    'services.yaml': `counter: { type: x, pkg: { source: . } }
web:
  pkg: { build: { script: x, env: { A: "\${counter.name}" } } }
  type: x
  dependson: [counter]
`,
    'broken.yaml': 'web:\n  pkg: { source: . }\n  tpye: x\n',
  })
  const rest = ['infrastructure.yaml', 'distribution.yaml']
  const model = await loadIn(directory, ['services.yaml', ...rest])
  const first = /^\S+ warning: attribute '\w+' has no meaning for davit in a service/
  expect(await complaintOf(() => normalizeModel(model, OPTIONS), directory)).toMatch(first)
  const broken = loadArchitecture(
    { services: `${directory}/broken.yaml`, infrastructure: `${directory}/infrastructure.yaml` },
    { system: linux },
  )
  expect(await complaintOf(broken, directory)).toMatch(first)
})

async function warningsOf(files: Readonly<Record<string, string>>, extraParams = {}): Promise<readonly string[]> {
  const { warnings } = normalizeModel(await load(files, extraParams), OPTIONS)
  return warnings.map(({ message, hint, place }) => [message, hint, place?.line].join(' | '))
}

const infrastructure = 'a: { properties: { hostname: a } }\n'

test('services without placement are reported, unless that is intended', async () => {
  const service = '{ type: x, pkg: { source: . } }'
  const services = ['web', 'api', 'old'].map((name) => `${name}: ${service}\n`).join('')
  const files = { 'infrastructure.yaml': infrastructure, 'services.yaml': services }
  expect(await warningsOf({ ...files, 'distribution.yaml': '{ web: [a], api: [] }' })).toEqual([
    "service 'old' is not placed on any target | add it to the distribution, or write 'old: []' to leave it out | 3",
  ])
  expect(await warningsOf({ ...files, 'distribution.yaml': '{}' })).toEqual([
    "3 services are not placed on any target: 'web', 'api', 'old' | add it to the distribution, or write 'web: []' to leave it out | 1",
  ])
  const architecture = `infrastructure: { ${infrastructure.trim()} }
services:
  web: { type: x, pkg: { source: . } }
  api: { type: x, pkg: { source: . }, targets: [] }
`
  expect(await warningsOf({ 'architecture.yaml': architecture })).toEqual([
    "service 'web' is not placed on any target | add 'targets', or write 'targets: []' to leave it out | 3",
  ])
})

test('extra parameters that no function reads are reported', async () => {
  const services = `export default ({ port = 80, ...rest }) => ({
    web: { type: 'x', port, pkg: () => ({ source: rest.late ?? '.' }), targets: ['a'] } })`
  const reading = `export default (context) => ({
    web: { type: 'x', pkg: () => ({ source: context.late ?? '.' }), targets: ['a'] } })`
  const files = { 'infrastructure.yaml': infrastructure, 'distribution.yaml': '{}' }
  const plain = `export default ({ port = 80 }) => ({ web: { type: 'x', port, pkg: { source: '.' }, targets: ['a'] } })`
  expect(await warningsOf({ ...files, 'services.ts': plain }, { prt: 1 })).toEqual([
    "no model uses parameter 'prt' of --extra-params | did you mean 'port'? | ",
  ])
  expect(await warningsOf({ ...files, 'services.ts': plain }, { port: 1 })).toEqual([])
  expect(await warningsOf({ ...files, 'services.ts': services }, { late: '.', any: 1 })).toEqual([])
  expect(await warningsOf({ ...files, 'services.ts': reading }, { late: '.' })).toEqual([])
  expect(
    await warningsOf({ ...files, 'services.yaml': 'web: { type: x, pkg: { source: . }, targets: [a] }' }, { a: 1 }),
  ).toEqual([
    "no model uses parameter 'a' of --extra-params | functions of models name the parameters that they use | ",
  ])
})

test.skipIf(noPrivateNix !== undefined)(
  'extra parameters that no function in the Nix language names are reported',
  async () => {
    const files = {
      'infrastructure.yaml': infrastructure,
      'distribution.nix': '{ infrastructure, place ? null }: { }',
      'services.nix': '{ system, port ? 80, ... }@all: { }',
    }
    const unreadIn = async (more: Readonly<Record<string, string>>, extraParams: string) => {
      const directory = modelsIn({ ...files, ...more })
      const model = await loadNixIn(directory, Object.keys({ ...files, ...more }), { environment, extraParams })
      return normalizeModel(model, OPTIONS).warnings.map(({ message, hint }) => `${message} | ${hint}`)
    }
    const prt = "no model uses parameter 'prt' of --extra-params | did you mean 'port'?"
    const other =
      "no model uses parameter 'other' of --extra-params | functions of models name the parameters that they use"
    expect(await unreadIn({}, '{ "prt": 1, "place": 2 }')).toEqual([prt])
    expect(await unreadIn({}, '{ port = 1; other = throw "nobody needs it"; }')).toEqual([other])
    const program = `export default ({ other }) => ({ a: { properties: { hostname: 'a', other } } })`
    expect(await unreadIn({ 'infrastructure.ts': program }, '{ port = 1; other = 2; }')).toEqual([])
  },
)
