import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Float } from '@davit/languages'
import { describe, expect, test } from 'vitest'
import { loadArchitecture } from '../src/models.ts'
import { complaintOf, linux, load, loadIn, modelsIn, serviceOf, specOf } from './models-in.ts'

const guestbook = fileURLToPath(new URL('fixtures/guestbook', import.meta.url))
const database = {
  target: { properties: { hostname: 'db1.example' }, container: { port: 5432 } },
}

describe.each([
  ['services.yaml', 'infrastructure.yaml', 'distribution.yaml'],
  ['services.yaml', 'infrastructure.xml', 'distribution.json'],
  ['services.yaml', 'infrastructure.ts', 'distribution.ts'],
  ['services.ts', 'infrastructure.json', 'distribution.yaml'],
  ['services.ts', 'infrastructure.ts', 'distribution.ts'],
])('loadArchitecture() of %s, %s and %s', (...names) => {
  test('gives one architecture', async () => {
    const model = await loadIn(guestbook, names)
    expect([...model.services.keys()]).toEqual(['database', 'web'])
    expect(serviceOf(model, 'database')).toMatchObject({
      name: 'database',
      type: 'process',
      targets: [{ target: 'db1' }],
    })
    expect(serviceOf(model, 'web').dependsOn).toEqual(new Map([['database', { service: 'database' }]]))
    expect(serviceOf(model, 'web').targets).toEqual([{ target: 'web1', container: 'process2' }, { target: 'web2' }])
    expect(model.infrastructure).toEqual(
      new Map<string, unknown>([
        [
          'db1',
          {
            properties: new Map<string, unknown>([
              ['hostname', 'db1.example'],
              ['weight', new Float(1)],
            ]),
            containers: new Map([['process', new Map([['port', 5432]])]]),
          },
        ],
        ['web1', { properties: new Map([['hostname', 'web1.example']]), containers: new Map(), numOfCores: 2 }],
        [
          'web2',
          { properties: new Map([['hostname', 'web2.example']]), containers: new Map(), system: 'aarch64-linux' },
        ],
      ]),
    )
    expect(specOf(model, 'database')).toEqual({ kind: 'source', path: `${guestbook}/database` })
    const fromYaml = names[0] === 'services.yaml'
    expect(specOf(model, 'web', { parameters: { database }, system: 'aarch64-linux' })).toEqual({
      kind: 'build',
      name: 'web',
      script: 'mkdir -p $out/bin && cp -r $app/. $out/\n',
      sources: new Map([['app', `${guestbook}/web`]]),
      env: new Map([
        [
          'DATABASE',
          fromYaml ? '${database.target.properties.hostname}:${database.target.container.port}' : 'db1.example:5432',
        ],
      ]),
      inputs: new Map(),
      network: false,
    })
  })
})

const infrastructure = 'a: { properties: { hostname: a } }\nb: { properties: { hostname: b } }\n'
const pkg = 'pkg: { build: { script: "true" } }'

describe('services', () => {
  test('keep every other attribute, and only those', async () => {
    const model = await load({
      'infrastructure.yaml': infrastructure,
      'services.yaml': `web: { type: process, ${pkg}, port: 80, deployState: true, nested: { deep: [1, { x: 1.0 }, yes] } }`,
    })
    expect(serviceOf(model, 'web')).toMatchObject({ deployState: true })
    expect(serviceOf(model, 'web').targets).toBeUndefined()
    expect(serviceOf(model, 'web').attributes).toEqual(
      new Map<string, unknown>([
        ['port', 80],
        ['nested', new Map([['deep', [1, new Map([['x', new Float(1)]]), 'yes']]])],
      ]),
    )
  })

  test('keep a name that is not theirs, for normalization to refuse', async () => {
    const model = await load({
      'infrastructure.yaml': infrastructure,
      'services.yaml': `web: { name: wbe, type: process, ${pkg} }`,
    })
    expect(serviceOf(model, 'web').name).toBe('wbe')
  })

  test.each([
    ['[db]', [['db', { service: 'db' }]]],
    ['{ store: db }', [['store', { service: 'db' }]]],
    ['{ store: { service: db } }', [['store', { service: 'db' }]]],
    ['{ store: { service: db, targets: [a] } }', [['store', { service: 'db', targets: [{ target: 'a' }] }]]],
    [
      '{ store: { service: db, targets: { targets: [{ target: a, container: c }] } } }',
      [['store', { service: 'db', targets: [{ target: 'a', container: 'c' }] }]],
    ],
    ['[{ service: db, targets: [a] }]', [['db', { service: 'db', targets: [{ target: 'a' }] }]]],
    ['{}', []],
  ])('depend on %s', async (dependsOn, expected) => {
    const attributes = ['dependsOn', 'connectsTo', 'activatesAfter'].map((name) => `${name}: ${dependsOn}`).join(', ')
    const model = await load({
      'infrastructure.yaml': infrastructure,
      'services.yaml': `db: { type: process, ${pkg} }\nweb: { type: process, ${pkg}, ${attributes} }`,
    })
    const { dependsOn: depends, connectsTo, activatesAfter } = serviceOf(model, 'web')
    expect([depends, connectsTo, activatesAfter]).toEqual(Array.from({ length: 3 }, () => new Map(expected as never)))
  })

  test('provide containers in both ways', async () => {
    const model = await load({
      'infrastructure.yaml': infrastructure,
      'services.yaml': `one: { type: process, ${pkg}, providesContainer: c, port: 1 }
two: { type: process, ${pkg}, providesContainers: { c: { port: 1 }, d: {} } }`,
    })
    expect(serviceOf(model, 'one')).toMatchObject({ providesContainer: 'c', attributes: new Map([['port', 1]]) })
    expect(serviceOf(model, 'two').providesContainers).toEqual(
      new Map([
        ['c', new Map([['port', 1]])],
        ['d', new Map()],
      ]),
    )
  })

  test("are placed by their own 'targets' before the distribution", async () => {
    const model = await load({
      'infrastructure.yaml': infrastructure,
      'services.yaml': `web: { type: process, ${pkg}, targets: [b] }`,
      'distribution.yaml': 'web: [a]\nghost: [a]\n',
    })
    expect(serviceOf(model, 'web').targets).toEqual([{ target: 'b' }])
    expect([...(model.distributedServices ?? [])]).toEqual(['web', 'ghost'])
  })
})

describe.each(['yaml', 'json'])('names such as __proto__ in %s', (language) => {
  test('are names', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const table = (value: string) => `{ ${names.map((name) => `"${name}": ${value}`).join(', ')} }`
    const model = await load({
      [`infrastructure.${language}`]: table(`{ "properties": ${table('"p"')}, "containers": ${table('{ "x": 1 }')} }`),
      [`services.${language}`]: table(
        `{ "type": "process", "pkg": { "build": { "script": "", "env": ${table('"e"')} } }, "dependsOn": ${table('"toString"')}, "connectsTo": ["__proto__"] }`,
      ),
      [`distribution.${language}`]: table('["__proto__", { "target": "constructor", "container": "toString" }]'),
    })
    expect([...model.infrastructure.keys()]).toEqual(names)
    for (const target of model.infrastructure.values()) {
      expect([...target.properties]).toEqual(names.map((name) => [name, 'p']))
      expect([...target.containers.keys()]).toEqual(names)
    }
    expect([...model.services.keys()]).toEqual(names)
    for (const service of model.services.values()) {
      expect([...service.dependsOn]).toEqual(names.map((name) => [name, { service: 'toString' }]))
      expect([...service.connectsTo.keys()]).toEqual(['__proto__'])
      expect(service.targets).toEqual([{ target: '__proto__' }, { target: 'constructor', container: 'toString' }])
      expect([...service.attributes]).toEqual([])
      const { spec } = service.packageFor(linux) as unknown as { readonly spec: { readonly env: Map<string, string> } }
      expect([...spec.env.keys()]).toEqual(names)
    }
  })
})

describe('packages', () => {
  test('of the YAML form have names, inputs, limits and values as text', async () => {
    const model = await load({
      'infrastructure.yaml': infrastructure,
      'app/file': '',
      'services.yaml': `web:
  type: process
  pkg:
    build:
      name: web-\${db.name}
      script: true > $out
      sources: { app: ./app, other: { source: app/file } }
      env: { TEXT: a, NUMBER: 1, FLOAT: 1.0, YES: true, NO: false }
      inputs:
        tool: { build: { script: x } }
        raw: { source: ./app, name: renamed, sizeLimit: 4096 }
      network: true
      timeLimit: 90
      sizeLimit: 1.5 GB
      parametersFile: true
`,
    })
    const { packageFor } = serviceOf(model, 'web')
    const pkg = packageFor(linux)
    const directory =
      pkg.kind === 'data' && pkg.spec.kind === 'build' ? pkg.spec.sources.get('app')?.replace(/\/app$/, '') : ''
    expect(pkg).toEqual({
      kind: 'data',
      parametersFile: true,
      spec: {
        kind: 'build',
        name: 'web-${db.name}',
        script: 'true > $out',
        sources: new Map([
          ['app', `${directory}/app`],
          ['other', `${directory}/app/file`],
        ]),
        env: new Map(Object.entries({ TEXT: 'a', NUMBER: '1', FLOAT: '1.0', YES: '1', NO: '' })),
        inputs: new Map<string, unknown>([
          [
            'tool',
            {
              kind: 'build',
              name: 'tool',
              script: 'x',
              sources: new Map(),
              env: new Map(),
              inputs: new Map(),
              network: false,
            },
          ],
          ['raw', { kind: 'source', path: `${directory}/app`, name: 'renamed', sizeLimitBytes: 4096 }],
        ]),
        network: true,
        timeLimitSeconds: 90,
        sizeLimitBytes: 1_500_000_000,
      },
    })
  })

  test('of targets need no services', async () => {
    const model = await load({
      'infrastructure.yaml': infrastructure,
      'packages.yaml': 'b: [{ source: . }, { build: { name: tool, script: x } }]\nghost: []\n',
    })
    expect(model.services.size).toBe(0)
    expect([...model.targetPackages].map(([target, packages]) => [target, packages.map(({ kind }) => kind)])).toEqual([
      ['b', ['data', 'data']],
      ['ghost', []],
    ])
  })

  test('are none when only the infrastructure is left, as for an undeployment', async () => {
    const model = await load({ 'infrastructure.yaml': infrastructure })
    expect([model.services.size, model.targetPackages.size, model.infrastructure.size]).toEqual([0, 0, 2])
  })
})

test('an architecture model drops services without targets', async () => {
  const model = await load({
    'architecture.yaml': `services:
  web: { type: process, ${pkg}, targets: [a] }
  idle: { type: process, ${pkg} }
infrastructure:
  a: { properties: { hostname: a } }
targetPackages:
  a: [{ source: . }]
`,
  })
  expect([...model.services.keys()]).toEqual(['web'])
  expect(model.targetPackages.size).toBe(1)
  expect(model.placeOf(['services', 'web', 'targets', 0])).toMatchObject({ line: 2, column: 71 })
})

test.each([
  [['services', 'web', 'dependsOn', 0], 'services.yaml', 7],
  [['services', 'web', 'targets', 0, 'container'], 'distribution.yaml', 2],
  [['services', 'database', 'targets', 0], 'distribution.yaml', 1],
  [['distribution', 'web'], 'distribution.yaml', 2],
  [['infrastructure', 'web1', 'numOfCores'], 'infrastructure.yaml', 6],
])('placeOf(%j) is in %s, line %i', async (path, file, line) => {
  const model = await loadIn(guestbook, ['services.yaml', 'infrastructure.yaml', 'distribution.yaml'])
  expect(model.placeOf(path)).toMatchObject({ file: `${guestbook}/${file}`, line })
})

test('placeOf() knows the file of a program, and nothing of models that are not there', async () => {
  const model = await loadIn(guestbook, ['services.ts', 'infrastructure.ts'])
  expect(model.placeOf(['services', 'web'])).toMatchObject({ file: `${guestbook}/services.ts` })
  expect(model.placeOf(['distribution', 'web'])).toBeUndefined()
})

test('loadArchitecture() takes files relative to the working directory', async () => {
  const infrastructure = relative(process.cwd(), `${guestbook}/infrastructure.yaml`)
  const model = await loadArchitecture({ infrastructure }, { system: linux })
  expect(model.placeOf(['infrastructure'])?.file).toBe(infrastructure)
})

test('loadArchitecture() takes client executables relative to the model, and programs by name', async () => {
  const interfaces = ['clients/serial', '/opt/serial', 'disnix-client', 'disnix-ssh-client']
  const targets = interfaces.map((clientInterface, index) => [`t${index}`, { clientInterface }])
  const directory = modelsIn({ 'infrastructure.json': JSON.stringify(Object.fromEntries(targets)) })
  const { infrastructure } = await loadIn(directory, ['infrastructure.json'])
  expect([...infrastructure.values()].map(({ clientInterface }) => clientInterface)).toEqual([
    `${directory}/clients/serial`,
    ...interfaces.slice(1),
  ])
})

const bare = { a: { properties: { hostname: 'a' }, containers: { process: {} }, system: 'x86_64-linux' } }

test('loadArchitecture() reads an infrastructure with the header of a document', async () => {
  const document = { document: 'infrastructure', version: 2, infrastructure: bare }
  const rest = { 'services.yaml': '{}', 'distribution.yaml': '{}' }
  const model = await load({ 'infrastructure.json': JSON.stringify(document), ...rest })
  expect(model.infrastructure).toEqual(
    (await load({ 'infrastructure.json': JSON.stringify(bare), ...rest })).infrastructure,
  )
  const wrong = { ...document, infrastructure: { a: { ...bare.a, system: 'x y' } } }
  const directory = modelsIn({ 'infrastructure.json': JSON.stringify(wrong, undefined, 1) })
  expect(await complaintOf(loadIn(directory, ['infrastructure.json']), directory)).toMatch(
    /infrastructure\.json:\d+:\d+: error: .*a system must consist of/,
  )
  const later = modelsIn({ 'infrastructure.json': JSON.stringify({ ...document, version: 9 }) })
  expect(await complaintOf(loadIn(later, ['infrastructure.json']), later)).toContain('version')
})

test.each([
  ['infrastructure.json', 'manifest', 'davit-manifest --deployment'],
  ['architecture.json', 'architecture', 'pass it to davit-manifest'],
  ['services.yaml', 'something', "remove 'document' and 'version'"],
])('loadArchitecture() refuses as %s the document %j, and says what to do', async (file, document, hint) => {
  const directory = modelsIn({ [file]: JSON.stringify({ document, version: 2, services: {} }) })
  await expect(loadIn(directory, [file])).rejects.toMatchObject({
    exitStatus: 65,
    message: expect.stringContaining(`it is a document of the kind '${document}'`),
    hint: expect.stringContaining(hint),
  })
})
