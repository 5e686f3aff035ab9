import { fileURLToPath } from 'node:url'
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
