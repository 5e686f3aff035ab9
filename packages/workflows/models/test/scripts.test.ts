import { describe, expect, test } from 'vitest'
import { load, loadIn, modelsIn, serviceOf, specOf } from './models-in.ts'

const infrastructure = `
export default {
  a: { properties: { hostname: 'a' } },
  b: { properties: { hostname: 'a' }, system: 'aarch64-linux' },
  c: { properties: { hostname: 'a' }, system: 'aarch64-linux' },
}`

describe('a program', () => {
  test("finds 'davit' anywhere, and paths are relative to the file that contains them", async () => {
    const directory = modelsIn({
      'infrastructure.mts': infrastructure,
      'services.ts': `
        import { build } from 'davit'
        import { shared } from './parts/shared.ts'
        export default { shared, own: { type: 'x', pkg: build({ sources: { app: './here' }, script: '' }) } }`,
      'parts/shared.ts': `
        import { source } from 'davit'
        export const shared = { type: 'x', pkg: source('./there') }`,
      'here/x': '',
      'parts/there/x': '',
    })
    const model = await loadIn(directory, ['services.ts', 'infrastructure.mts'])
    expect(specOf(model, 'shared')).toEqual({ kind: 'source', path: `${directory}/parts/there` })
    expect(specOf(model, 'own')).toMatchObject({ sources: new Map([['app', `${directory}/here`]]) })
  })

  test('knows where its files lie, in ES modules and in CommonJS', async () => {
    const directory = modelsIn({
      'infrastructure.yaml': 'a: { properties: {} }',
      'services.ts': `
        import { where } from './deep/where.ts'
        import old from './deep/old.cjs'
        const attributes = { url: import.meta.url, dirname: import.meta.dirname, filename: import.meta.filename, where, old }
        export default { web: { type: 'x', pkg: { source: import.meta.filename as string }, ...attributes } }`,
      'deep/where.ts': 'export const where = new URL("x.txt", import.meta.url).pathname',
      'deep/old.cjs': 'module.exports = require("path").join(__dirname, require("./older.cjs").name)',
      'deep/older.cjs': 'exports.name = __filename.split("/").pop()',
    })
    const model = await loadIn(directory, ['services.ts', 'infrastructure.yaml'])
    expect(Object.fromEntries(serviceOf(model, 'web').attributes)).toEqual({
      url: `file://${directory}/services.ts`,
      dirname: directory,
      filename: `${directory}/services.ts`,
      where: `${directory}/deep/x.txt`,
      old: `${directory}/deep/older.cjs`,
    })
  })

  test('imports data, npm packages of its directory and built-in modules of Node', async () => {
    const model = await load({
      'infrastructure.yaml': 'a: { properties: {} }',
      'services.ts': `
        import { join } from 'node:path'
        import settings from './settings.json' with { type: 'json' }
        import { modern } from 'modern'
        import classic from 'classic'
        export default { web: { type: 'x', pkg: { source: '.' }, settings, joined: join('a', 'b'), modern, classic: classic.name } }`,
      'settings.json': '{ "port": 8080 }',
      'node_modules/modern/package.json': '{ "type": "module", "exports": "./main.js" }',
      'node_modules/modern/main.js': 'export const modern = import.meta.url.split("/").slice(-3).join("/")',
      'node_modules/classic/index.js': 'exports.name = require("os").EOL + __dirname.split("/").pop()',
    })
    expect(serviceOf(model, 'web').attributes).toEqual(
      new Map<string, unknown>([
        ['settings', new Map([['port', 8080]])],
        ['joined', 'a/b'],
        ['modern', 'node_modules/modern/main.js'],
        ['classic', '\nclassic'],
      ]),
    )
  })

  test('in CommonJS is a model too', async () => {
    const model = await load({
      'infrastructure.cjs': "module.exports = { a: { properties: { hostname: 'a' } } }",
      'services.js':
        "const { source } = require('davit'); module.exports = () => ({ web: { type: 'x', pkg: source('.') } })",
    })
    expect([...model.infrastructure.keys(), ...model.services.keys()]).toEqual(['a', 'web'])
  })

  test('may be asynchronous', async () => {
    const model = await load({
      'infrastructure.ts': "export default await Promise.resolve({ a: { properties: { hostname: 'a' } } })",
      'services.ts':
        "export default async () => ({ web: { type: (await import('./lazy.ts')).type, pkg: { source: '.' } } })",
      'lazy.ts': "export const type = 'lazy'",
    })
    expect(serviceOf(model, 'web').type).toBe('lazy')
  })
})

describe('functions', () => {
  test('of services are called once for each system of the infrastructure', async () => {
    const model = await load({
      'infrastructure.ts': infrastructure,
      'services.ts': `
        const calls: string[] = []
        export default ({ system }) => {
          calls.push(system)
          return { web: { type: 'x', calls, pkg: { build: { name: system, script: '' } } } }
        }`,
    })
    expect(serviceOf(model, 'web').attributes.get('calls')).toEqual(['aarch64-linux', 'x86_64-linux'])
    expect(specOf(model, 'web')).toMatchObject({ name: 'x86_64-linux' })
    expect(specOf(model, 'web', { system: 'aarch64-linux' })).toMatchObject({ name: 'aarch64-linux' })
  })

  test('get extra parameters', async () => {
    const model = await load(
      {
        'infrastructure.ts': 'export default ({ host }) => ({ a: { properties: { hostname: host } } })',
        'services.ts': "export default ({ port }) => ({ web: { type: 'x', port, pkg: { source: '.' } } })",
        'distribution.ts': 'export default ({ infrastructure, on }) => ({ web: [infrastructure[on]] })',
        'packages.ts': "export default ({ tool }) => ({ a: [{ build: { name: tool, script: '' } }] })",
      },
      { port: 8080, on: 'a', host: 'example', tool: 'wrench', unused: 1 },
    )
    expect(serviceOf(model, 'web')).toMatchObject({ attributes: new Map([['port', 8080]]), targets: [{ target: 'a' }] })
    expect([...model.infrastructure.values()][0]?.properties.get('hostname')).toBe('example')
    expect([...model.targetPackages.values()]).toMatchObject([[{ spec: { name: 'wrench' } }]])
  })

  test('of packages are called for the system of each target', async () => {
    const model = await load({
      'infrastructure.ts': infrastructure,
      'packages.ts':
        "const on = (system) => [{ build: { name: system, script: '' } }]; export default ({ system }) => ({ a: on(system), b: on(system) })",
    })
    expect([...model.targetPackages]).toMatchObject([
      ['b', [{ spec: { name: 'aarch64-linux' } }]],
      ['a', [{ spec: { name: 'x86_64-linux' } }]],
    ])
  })

  test('pkg get the inter-dependencies, and the file of them on request', async () => {
    const model = await load({
      'infrastructure.ts': infrastructure,
      'services.ts': `
        import { build, source } from 'davit'
        export default {
          db: { type: 'x', pkg: () => source('.', { name: 'db' }) },
          web: { type: 'x', dependsOn: ['db'], pkg: ({ db }) => build({ env: { HOST: db.host, LITERAL: '\${db.host}' }, script: '', parametersFile: true }) },
        }`,
    })
    expect(serviceOf(model, 'web').packageFor('x86_64-linux' as never).kind).toBe('function')
    expect(specOf(model, 'db')).toMatchObject({ kind: 'source', name: 'db' })
    expect(specOf(model, 'web', { parameters: { db: { host: 'h' } } })).toMatchObject({
      name: 'web',
      env: new Map([
        ['HOST', 'h'],
        ['LITERAL', '${db.host}'],
      ]),
      parameters: '{"text":"of parameters"}',
    })
  })

  test('read the distribution and its inverse', async () => {
    const model = await load({
      'infrastructure.ts': infrastructure,
      'distribution.yaml': 'one: [a]\ntwo: [a, { target: b, container: c }]\nproxy: { targets: [b] }\n',
      'services.ts': `
        const pkg = { source: '.' }
        export default ({ distribution, invDistribution }) => ({
          one: { type: 'x', pkg, note: 'seen' },
          two: { type: 'x', pkg, hosts: [distribution.two[0].properties.hostname, distribution.two[1].target.system] },
          proxy: {
            type: 'x',
            dependsOn: { ...invDistribution.a.services, again: { ...invDistribution.a.services.two, targets: ['b'] } },
            targets: Object.keys(invDistribution),
            pkg: () => ({ build: { script: invDistribution.a.services.one.note } }),
          },
        })`,
    })
    expect(serviceOf(model, 'two').attributes.get('hosts')).toEqual(['a', 'aarch64-linux'])
    expect(serviceOf(model, 'proxy')).toMatchObject({
      targets: [{ target: 'a' }, { target: 'b' }, { target: 'c' }],
      dependsOn: new Map([
        ['one', { service: 'one' }],
        ['two', { service: 'two' }],
        ['again', { service: 'two', targets: [{ target: 'b' }] }],
      ]),
    })
    expect(specOf(model, 'proxy')).toMatchObject({ script: 'seen' })
  })
})

describe('objects', () => {
  test.each([
    ['infrastructure.b', 'b'],
    ['{ ...infrastructure.b }', 'b'],
    ["{ ...infrastructure.c, properties: { hostname: 'a' } }", 'c'],
    ['Object.values(infrastructure)[2]', 'c'],
    ['machines.b', 'b'],
    ['{ ...machines.b }', 'b'],
    ['{ target: machines.c }', 'c'],
    ["'ghost'", 'ghost'],
  ])('of the infrastructure such as %s are known by name', async (target, name) => {
    const model = await load({
      'infrastructure.ts': infrastructure,
      'services.ts': "export default { web: { type: 'x', pkg: { source: '.' } } }",
      'distribution.ts': `import machines from './infrastructure.ts'; export default ({ infrastructure }) => ({ web: [${target}] })`,
    })
    expect(serviceOf(model, 'web').targets).toEqual([{ target: name }])
  })

  test.each([
    ['[db]', 'db', { service: 'db' }],
    ['{ p: db }', 'p', { service: 'db' }],
    ['{ p: { service: db } }', 'p', { service: 'db' }],
    ["{ p: { ...db, targets: ['a'] } }", 'p', { service: 'db', targets: [{ target: 'a' }] }],
    ["{ p: { name: 'db', targets: ['a'] } }", 'p', { service: 'db', targets: [{ target: 'a' }] }],
    [
      '{ p: { ...db, targets: { targets: [{ target: machines.a }] } } }',
      'p',
      { service: 'db', targets: [{ target: 'a' }] },
    ],
    ['{ p: placed }', 'p', { service: 'placed' }],
    ['{ p: self }', 'p', { service: 'self' }],
  ])('of services such as %s are known by name', async (dependsOn, parameter, expected) => {
    const model = await load({
      'infrastructure.ts': infrastructure,
      'services.ts': `
        import machines from './infrastructure.ts'
        const db = { type: 'x', pkg: { source: '.' } }
        const placed = { type: 'x', pkg: { source: '.' }, targets: ['b'] }
        const self = { type: 'x', service: 'an attribute', pkg: { source: '.' } }
        export default { db, placed, self, web: { type: 'x', dependsOn: ${dependsOn}, pkg: { source: '.' } } }`,
    })
    expect(serviceOf(model, 'web').dependsOn).toEqual(new Map([[parameter, expected]]))
  })

  test('of an architecture model are known by name for each system', async () => {
    const model = await load({
      'architecture.ts': `
        import { defineArchitecture } from 'davit'
        export default defineArchitecture(({ system }) => {
          const infrastructure = { a: { properties: { hostname: 'x' } }, b: { properties: { hostname: 'x' }, system: 'aarch64-linux' } }
          const pkg = { build: { name: system, script: '' } }
          const web = { type: 'x', pkg, targets: [infrastructure.a, { target: infrastructure.b, container: 'c' }] }
          return { services: { web, idle: { type: 'x', pkg } }, infrastructure, targetPackages: { b: [pkg] } }
        })`,
    })
    expect([...model.services.keys()]).toEqual(['web'])
    expect(serviceOf(model, 'web').targets).toEqual([{ target: 'a' }, { target: 'b', container: 'c' }])
    expect(specOf(model, 'web')).toMatchObject({ name: 'x86_64-linux' })
    expect([...model.targetPackages]).toMatchObject([['b', [{ spec: { name: 'aarch64-linux' } }]]])
  })

  test('may be Maps, have no prototype, and leave attributes undefined', async () => {
    const model = await load({
      'infrastructure.ts':
        "export default { ['__proto__']: { properties: new Map([['__proto__', 1], ['constructor', -0]]), system: undefined } }",
      'services.ts': `
        export default new Map([
          ['constructor', Object.assign(Object.create(null), { type: 'x', pkg: { source: '.' }, ['__proto__']: undefined, dependsOn: undefined })],
          ['toString', { type: 'x', pkg: { source: '.' }, ['__proto__']: 'kept', dependsOn: ['constructor'] }],
        ])`,
      'distribution.ts':
        "export default ({ infrastructure }) => ({ constructor: [infrastructure['__proto__']], toString: Object.values(infrastructure) })",
    })
    expect([...model.infrastructure]).toEqual([
      [
        '__proto__',
        {
          properties: new Map([
            ['__proto__', 1],
            ['constructor', 0],
          ]),
          containers: new Map(),
        },
      ],
    ])
    expect(serviceOf(model, 'constructor')).toMatchObject({ attributes: new Map(), targets: [{ target: '__proto__' }] })
    expect(serviceOf(model, 'toString')).toMatchObject({
      attributes: new Map([['__proto__', 'kept']]),
      targets: [{ target: '__proto__' }],
    })
  })
})
