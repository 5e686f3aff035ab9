import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { secretTextOf } from '@davit/documents'
import { normalizeModel } from '@davit/normalization'
import { expect, test } from 'vitest'
import { complaintOf, linux, loadIn, modelsIn } from './models-in.ts'

const options = {
  clientInterface: 'ssh',
  targetProperty: 'hostname',
  deployState: false,
  system: linux,
  store: { kind: 'native', directory: '/store' },
} as const

test.each(['services.yaml', 'services.ts'])('the guestbook of %s is normalized', async (services) => {
  const guestbook = fileURLToPath(new URL('fixtures/guestbook', import.meta.url))
  const model = await loadIn(guestbook, [services, 'infrastructure.ts', 'distribution.yaml'])
  const { packageRequests } = normalizeModel(model, options)
  expect(packageRequests.map(({ spec, system, wantedBy }) => [spec.kind, system, wantedBy])).toEqual([
    ['source', 'x86_64-linux', { service: 'database' }],
    ['build', 'aarch64-linux', { service: 'web' }],
    ['build', 'x86_64-linux', { service: 'web' }],
  ])
  expect(packageRequests.at(-1)?.spec).toMatchObject({ env: new Map([['DATABASE', 'db1.example:5432']]) })
})

test('problems that normalization finds have places', async () => {
  const directory = modelsIn({
    'infrastructure.yaml': 'a: { properties: { hostname: a } }\n',
    'distribution.json': '{\n  "web": ["a", "b"],\n  "api": ["a"],\n  "ghost": ["a"]\n}\n',
    'services.yaml':
      'web: { type: process, dependsOn: [apii], pkg: { source: . } }\napi: { name: x, type: process, pkg: { source: . } }\n',
  })
  const model = await loadIn(directory, ['services.yaml', 'infrastructure.yaml', 'distribution.json'])
  const complaint = await complaintOf(() => normalizeModel(model, options), directory)
  const places = [...complaint.matchAll(/^(\S+:\d+:\d+): error/gm)].map(([, place]) => place)
  expect(new Set(places)).toEqual(
    new Set(['distribution.json:2:16', 'distribution.json:4:3', 'services.yaml:1:35', 'services.yaml:2:14']),
  )
})

test('all failing functions are reported, each with its place in the file', async () => {
  const directory = modelsIn({
    'infrastructure.yaml': 'a: { properties: { hostname: a } }\n',
    'distribution.yaml': '{ one: [a], two: [a], three: [a], four: [a] }',
    'services.ts': `import { build, source } from 'davit'
export default {
  one: { type: 'x', dependsOn: ['four'], pkg: ({ fuor }) => build({ script: fuor.name }) },
  two: { type: 'x', pkg: () => { throw new Error('on purpose') } },
  three: { type: 'x', pkg: () => undefined },
  four: { type: 'x', pkg: () => source('.') },
}
`,
  })
  const model = await loadIn(directory, ['services.ts', 'infrastructure.yaml', 'distribution.yaml'])
  expect(await complaintOf(() => normalizeModel(model, options), directory)).toMatchInlineSnapshot(`
    "services.ts:3:50: error: package of service 'one' uses parameter 'fuor', but 'fuor' is not among its dependencies
        one: { type: 'x', dependsOn: ['four'], pkg: ({ fuor }) => build({ script: fuor.name }) },
                                                       ^
      hint: did you mean 'four'?
    services.ts: services.three.pkg: error: expected a package, but got nothing (undefined)
      hint: write { source: PATH } or { build: { script: ... } }
    services.ts:4:40: error: on purpose
        two: { type: 'x', pkg: () => { throw new Error('on purpose') } },
                                             ^
    the models have 3 errors"
  `)
})

test('missing members of parameters are reported with their places, and such tables can be used as a whole', async () => {
  const directory = modelsIn({
    'infrastructure.yaml': 'a: { properties: { hostname: a }, containers: { x: { port: 1 } } }\n',
    'distribution.yaml': '{ redis: [a], web: [a], api: [a], all: [a] }',
    'services.ts': `import { build, source } from 'davit'
const dependsOn = ['redis']
export default {
  redis: { type: 'x', port: 6379, pkg: source('.') },
  web: { type: 'x', dependsOn, pkg: ({ redis }) => build({ script: '', env: {
    REDIS: \`\${redis.target.properties.hostname}:\${redis.prt}\`,
  } }) },
  api: { type: 'x', dependsOn, pkg: ({ redis }) => build({ script: '', env: { HOST: redis.target.properties.hostnme } }) },
  all: { type: 'x', dependsOn, pkg: ({ redis }) => build({ script: '', env: redis.target.container }) },
}
`,
  })
  const model = await loadIn(directory, ['services.ts', 'infrastructure.yaml', 'distribution.yaml'])
  expect(await complaintOf(() => normalizeModel(model, options), directory)).toMatchInlineSnapshot(`
    "services.ts:8:109: error: package of service 'api' uses 'hostnme', but 'properties' of target 'a' has no member 'hostnme'
      n, pkg: ({ redis }) => build({ script: '', env: { HOST: redis.target.properties.hostnme } }) },
                                                                                      ^
      hint: did you mean 'hostname'?
    services.ts:6:57: error: package of service 'web' uses 'prt', but service 'redis' has no member 'prt'
          REDIS: \`\${redis.target.properties.hostname}:\${redis.prt}\`,
                                                              ^
      hint: did you mean 'port'?
    the models have 2 errors"
  `)
})

test.each([
  ['yaml', 'a: { properties: { hostname: a }, containers: { x: { password: { secret: { file: keys/db } } } } }'],
  [
    'json',
    '{ "a": { "properties": { "hostname": "a" }, "containers": { "x": { "password": { "secret": { "file": "keys/db" } } } } } }',
  ],
  [
    'ts',
    `import { defineInfrastructure, secret } from 'davit'
export default defineInfrastructure({
  a: { properties: { hostname: 'a' }, containers: { x: { password: secret({ file: './keys/db' }) } } },
})`,
  ],
  [
    'xml',
    `<infrastructure version="2"><target name="a">
<properties><property name="hostname" type="string">a</property></properties>
<containers><container name="x"><property name="password" type="attrs"><property name="secret" type="attrs">
<property name="file" type="string">keys/db</property></property></property></container></containers>
</target></infrastructure>`,
  ],
])('paths of secrets in %s are relative to the model', async (extension, text) => {
  const directory = modelsIn({ [`infrastructure.${extension}`]: text })
  const model = await loadIn(directory, [`infrastructure.${extension}`])
  const { infrastructure } = normalizeModel(model, options).architecture
  const [target] = infrastructure.values()
  const [properties] = target?.containers.values() ?? []
  expect(properties).toEqual(
    new Map([['password', new Map([['secret', new Map([['file', join(directory, 'keys/db')]])]])]]),
  )
})

test('secrets of containers that services provide, in lists and of commands', async () => {
  const directory = modelsIn({
    'infrastructure.yaml': 'a: { properties: { hostname: a } }\n',
    'distribution.yaml': 'web: [a]\n',
    'services.yaml': `web:
  type: process
  pkg: { source: . }
  providesContainer: webapp
  keys: [{ secret: { file: key } }, plain, { secret: { command: [./get, ./key] } }, { secret: { command: [get] } }]
`,
  })
  const model = await loadIn(directory, ['services.yaml', 'infrastructure.yaml', 'distribution.yaml'])
  const [service] = normalizeModel(model, options).architecture.services.values()
  const keys = service?.providesContainers.get('webapp' as never)?.get('keys')
  expect(secretTextOf(keys ?? '')).toEqual([
    { file: join(directory, 'key') },
    'plain',
    { command: [join(directory, 'get'), './key'] },
    { command: ['get'] },
  ])
})

test('secrets of another shape are refused, each with its place and what is expected', async () => {
  const directory = modelsIn({
    'services.yaml': `web:
  type: process
  pkg: { build: { script: 'true', env: { KEY: '\${web.target.container.ok}' } } }
  connectsTo: [web]
`,
    'distribution.yaml': 'web: [a]\n',
    'infrastructure.yaml': `a:
  properties: { hostname: a }
  containers:
    process:
      text: { secret: keys/db }
      misspelt: { secret: { fiel: keys/db } }
      both: { secret: { file: keys/db, env: KEY } }
      none: { secret: {} }
      more: { secret: { env: KEY }, default: x }
      number: { secret: { env: 3 } }
      name: { secret: { env: A-B } }
      empty: { secret: { file: '' } }
      command: { secret: { command: [] } }
      words: [{ secret: { command: [a, 1] } }]
      ok: { secret: { env: KEY } }
`,
  })
  const files = ['services.yaml', 'infrastructure.yaml', 'distribution.yaml']
  const model = await loadIn(directory, files)
  const complaint = await complaintOf(() => normalizeModel(model, options), directory)
  await expect(complaint).toMatchFileSnapshot('fixtures/invalid/secrets.yaml.errors')
  const known = await readFile(join(directory, 'infrastructure.yaml'), 'utf8')
  const kept = known.split('\n').filter((line) => !/^ {6}/.test(line) || line.includes(' ok: '))
  const valid = modelsIn({
    'infrastructure.yaml': kept.join('\n'),
    'services.yaml': await readFile(join(directory, 'services.yaml'), 'utf8'),
    'distribution.yaml': 'web: [a]\n',
  })
  const inPackage = await loadIn(valid, files)
  expect(await complaintOf(() => normalizeModel(inPackage, options), valid)).toContain(
    "services.yaml:3:47: error: package of service 'web' uses '${web.target.container.ok}', but it is a secret, which only lifecycle modules get",
  )
})
