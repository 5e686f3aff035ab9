import { Float } from '@davit/languages'
import { expect, test } from 'vitest'
import { architectureFor, normalize, type PlainModel, propertiesOf, source } from './model.ts'

function serviceIn(plain: PlainModel, name: string) {
  const found = [...normalize(plain).architecture.services.values()].find((service) => service.name === name)
  if (found === undefined) throw new Error(`no service '${name}'`)
  return found
}

test('normalizeModel() fills in defaults of targets', () => {
  const { architecture } = normalize({
    infrastructure: {
      t2: { system: 'aarch64-linux', numOfCores: 3, targetProperty: 'address', properties: { address: '10.0.0.2' } },
      t1: { containers: { process: { b: new Float(1), a: true } } },
    },
  })
  expect([...architecture.infrastructure]).toEqual([
    [
      't1',
      {
        properties: propertiesOf({ hostname: 't1.example.org' }),
        containers: new Map([['process', propertiesOf({ a: true, b: new Float(1) })]]),
        system: 'x86_64-linux',
        numOfCores: 1,
        clientInterface: 'ssh',
        targetProperty: 'hostname',
      },
    ],
    [
      't2',
      {
        properties: propertiesOf({ address: '10.0.0.2' }),
        containers: new Map(),
        system: 'aarch64-linux',
        numOfCores: 3,
        clientInterface: 'ssh',
        targetProperty: 'address',
      },
    ],
  ])
})

test.each([
  ['by name, in the container of its type', ['t1'], [{ target: 't1', container: 'process' }]],
  ['in a chosen container', ['t1 other'], [{ target: 't1', container: 'other' }]],
  [
    'in several places, in order',
    ['t2', 't1 a'],
    [
      { target: 't2', container: 'process' },
      { target: 't1', container: 'a' },
    ],
  ],
  ['by the address of one target', ['t2.example.org'], [{ target: 't2', container: 'process' }]],
  ['twice in one place: once', ['t1', 't1'], [{ target: 't1', container: 'process' }]],
])('normalizeModel() places a service %s', (_, targets, expected) => {
  expect(serviceIn({ services: { web: { targets } } }, 'web').targets).toEqual(expected)
})

test('normalizeModel() tells targets with the same address apart by their names', () => {
  const infrastructure = { a: { properties: { hostname: 'same' } }, b: { properties: { hostname: 'same' } } }
  expect(serviceIn({ infrastructure, services: { web: { targets: ['b'] } } }, 'web').targets).toEqual([
    { target: 'b', container: 'process' },
  ])
})

test('normalizeModel() warns of a place that is named twice', () => {
  const { warnings } = normalize({ services: { web: { targets: ['t1', 't1 process'] } } })
  expect(warnings).toEqual([
    {
      severity: 'warning',
      code: 'placed-twice',
      fields: { service: 'web', container: 'process', target: 't1' },
      path: ['services', 'web', 'targets', 1],
      message: "service 'web' is placed twice in container 'process' on target 't1'",
    },
  ])
})

test('normalizeModel() keeps a service that is placed nowhere and asks for no package', () => {
  const { architecture, packageRequests } = normalize({ services: { idle: {}, web: { targets: [] } } })
  expect([...architecture.services.keys()]).toEqual(['idle', 'web'])
  expect(packageRequests).toEqual([])
})

test('normalizeModel() takes the default of deployState for services that say nothing', () => {
  const services = { a: {}, b: { deployState: false } }
  const { architecture } = normalize({ services }, { deployState: true })
  expect([...architecture.services.values()].map(({ deployState }) => deployState)).toEqual([true, false])
})

test('normalizeModel() resolves dependencies to all places of a service, or to chosen ones', () => {
  const web = serviceIn(
    {
      services: {
        db: { type: 'mysql', targets: ['t1', 't2', 't2 replica'] },
        web: {
          dependsOn: ['db'],
          connectsTo: { other: { service: 'db', targets: ['t2'] } },
          activatesAfter: { late: { service: 'db', targets: ['t2 replica'] } },
        },
      },
    },
    'web',
  )
  const [first, second, third] = [
    { target: 't1', container: 'mysql' },
    { target: 't2', container: 'mysql' },
    { target: 't2', container: 'replica' },
  ]
  expect([...web.dependsOn]).toEqual([['db', { service: 'db', targets: [first, second, third] }]])
  expect([...web.connectsTo]).toEqual([['other', { service: 'db', targets: [second] }]])
  expect([...web.activatesAfter]).toEqual([['late', { service: 'db', targets: [third] }]])
})

test('normalizeModel() finds a dependency in the only container that it has on a chosen target', () => {
  const services = {
    db: { type: 'mysql', targets: ['t1 special'] },
    web: { dependsOn: { db: { service: 'db', targets: ['t1'] } } },
  }
  expect(serviceIn({ services }, 'web').dependsOn.get('db')?.targets).toEqual([{ target: 't1', container: 'special' }])
})

const ENGINE = { providesContainer: 'page', attributes: { port: 80 }, targets: ['t1', 't2'] }

test('normalizeModel() makes a service wait for the provider of its container on the same targets', () => {
  const page = serviceIn(
    { services: { engine: ENGINE, page: { type: 'page', targets: ['t2', 't1', 't2 process'] } } },
    'page',
  )
  expect(page.targets).toEqual([
    { target: 't2', container: 'page', containerProvidedByService: 'engine' },
    { target: 't1', container: 'page', containerProvidedByService: 'engine' },
    { target: 't2', container: 'process' },
  ])
  expect([...page.activatesAfter]).toEqual([
    [
      'engine',
      {
        service: 'engine',
        targets: [
          { target: 't2', container: 'process' },
          { target: 't1', container: 'process' },
        ],
      },
    ],
  ])
})

test.each([
  ["takes the provider's place of a user's entry", { activatesAfter: ['engine'] }, ['engine t1']],
  ['leaves dependsOn that waits for the provider anyhow', { dependsOn: ['engine'] }, ['engine t1']],
  [
    'keeps an entry of that name for another service',
    { activatesAfter: { engine: 'db' } },
    ['engine t2', "engine' t1"],
  ],
  ['is not hidden by a parameter of that name', { dependsOn: { engine: 'db' } }, ["engine' t1"]],
  [
    'is not hidden by a dependency on another place of the provider',
    { dependsOn: { engine: { service: 'engine', targets: ['t2'] } } },
    ["engine' t1"],
  ],
])('the wait for a provider %s', (_, page, expected) => {
  const services = { engine: ENGINE, db: { targets: ['t2'] }, page: { type: 'page', targets: ['t1'], ...page } }
  const { activatesAfter } = serviceIn({ services }, 'page')
  expect(
    [...activatesAfter].map(([name, { targets }]) => `${name} ${targets.map(({ target }) => target).join()}`),
  ).toEqual(expected)
})

test('normalizeModel() takes containers from both attributes of a provider, and the full one on a clash', () => {
  const engine = {
    providesContainer: 'page',
    providesContainers: { page: { port: 81 }, script: {} },
    attributes: { port: 80 },
    targets: ['t1'],
  }
  const services = { engine, page: { type: 'page', targets: ['t1'] }, script: { type: 'script', targets: ['t1'] } }
  const { architecture } = normalize({ services })
  const found = [...architecture.services.values()]
  expect(found.map(({ providesContainers }) => [...providesContainers])).toEqual([
    [
      ['page', propertiesOf({ port: 81 })],
      ['script', new Map()],
    ],
    [],
    [],
  ])
  expect(found.flatMap(({ targets }) => targets.map((one) => one.containerProvidedByService))).toEqual([
    undefined,
    'engine',
    'engine',
  ])
})

test('normalizeModel() lets the first provider in the order of names win, and warns', () => {
  const services = {
    second: { ...ENGINE, targets: ['t1'] },
    first: { ...ENGINE, targets: ['t1'] },
    page: { type: 'page', targets: ['t1'] },
  }
  const { architecture, warnings } = normalize({ services })
  const page = [...architecture.services.values()].find(({ name }) => name === 'page')
  expect(page?.targets[0]?.containerProvidedByService).toBe('first')
  expect(warnings.map(({ message }) => message)).toEqual([
    "container 'page' on target 't1' is already provided by 'first'",
  ])
})

test('normalizeModel() asks for a package for each system of a service, then for those of targets', () => {
  const infrastructure = {
    t1: { system: 'x86_64-linux' },
    t2: { system: 'aarch64-linux' },
    t3: { system: 'x86_64-linux' },
  }
  const services = { web: { targets: ['t1', 't2', 't3'] }, db: { targets: ['t3'] } }
  const targetPackages = { t2: [source('/src/tool')], t1: [source('/src/b'), source('/src/a')] }
  const { packageRequests } = normalize({ infrastructure, services, targetPackages })
  expect(packageRequests.map(({ spec, system, wantedBy }) => [spec, system, wantedBy])).toEqual([
    [{ kind: 'source', path: '/src/db' }, 'x86_64-linux', { service: 'db' }],
    [{ kind: 'source', path: '/src/web' }, 'aarch64-linux', { service: 'web' }],
    [{ kind: 'source', path: '/src/web' }, 'x86_64-linux', { service: 'web' }],
    [{ kind: 'source', path: '/src/b' }, 'x86_64-linux', { target: 't1' }],
    [{ kind: 'source', path: '/src/a' }, 'x86_64-linux', { target: 't1' }],
    [{ kind: 'source', path: '/src/tool' }, 'aarch64-linux', { target: 't2' }],
  ])
})

test('architectureOf() puts packages where they were asked for', () => {
  const architecture = architectureFor({
    infrastructure: { t1: {}, t2: { system: 'aarch64-linux' } },
    services: { web: { targets: ['t1', 't2'] }, idle: {} },
    targetPackages: { t2: [source('/src/tool')] },
  })
  const systems = [...architecture.services.values()].map(({ name, packages }) => [name, [...packages.keys()]])
  expect(systems).toEqual([
    ['idle', []],
    ['web', ['aarch64-linux', 'x86_64-linux']],
  ])
  expect([...architecture.targetPackages].map(([name, packages]) => [name, packages.length])).toEqual([
    ['t1', 0],
    ['t2', 1],
  ])
})

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  "a service, target, container and property '%s' works",
  (name) => {
    const infrastructure = {
      [name]: { properties: { hostname: 'h', [name]: 'x' }, containers: { [name]: { [name]: 1 } } },
    }
    const table = (value: unknown) => Object.fromEntries([[name, value]])
    const { architecture } = normalize({
      infrastructure: table(infrastructure[name]) as never,
      services: table({ type: name, targets: [name] }) as never,
    })
    expect([...architecture.services.values()][0]?.targets).toEqual([{ target: name, container: name }])
  },
)
