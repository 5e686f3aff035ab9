import { DavitError } from '@davit/diagnostics'
import { type PackageSpec } from '@davit/documents'
import { Float } from '@davit/languages'
import { expect, test } from 'vitest'
import { lazyObject } from '../src/lazy-object.ts'
import { build, buildSpec, call, envOf, normalize, type PlainModel, type PlainService, problemsOf } from './model.ts'

/** A database and a web service on two targets. */
function system(web: PlainService, more: PlainModel = {}): PlainModel {
  return {
    infrastructure: {
      t1: { containers: { process: { user: 'www' } } },
      t2: {
        properties: {
          hostname: 'db.example.org',
          tags: ['a', 'b'],
          rack: { row: 4 },
          version: new Float(2),
          on: true,
          off: false,
        },
        containers: { mysql: { port: 3306, name: 'x y' } },
      },
    },
    services: {
      db: {
        type: 'mysql',
        targets: ['t2'],
        deployState: true,
        attributes: { schema: 'main', sizes: [1, new Float(2), [3]] },
      },
      api: { targets: ['t1'], dependsOn: ['db'] },
      ...more.services,
      web: { targets: ['t1'], ...web },
    },
  }
}

test.each([
  ['${db.target.properties.hostname}:${db.target.container.port}', 'db.example.org:3306'],
  ['${db.targets.0.properties.hostname} ${db.targets[0].name}', 'db.example.org t2'],
  ['${ db.name } ${db.type} ${db.schema} ${db.target.selectedContainer}', 'db mysql main mysql'],
  ['${db.target.system} ${db.target.numOfCores}', 'x86_64-linux 1'],
  ['${db.target.properties.tags} ${db.target.properties.tags[1]}', 'a b b'],
  ['${db.sizes}', '1 2.0 3'],
  ['${db.target.properties.version}', '2.0'],
  ['<${db.target.properties.on}${db.target.properties.off}>', '<1>'],
  ['${"db"."target".properties.rack.row}', '4'],
  ['${api.connectsTo.db.target.container.name}', 'x y'],
  ['$${HOME} $HOME ${db.name}$${x}', '${HOME} $HOME db${x}'],
  ['no reference', 'no reference'],
])('a template %s becomes %s', (template, expected) => {
  const normalized = normalize(system({ dependsOn: ['db', 'api'], pkg: build({ VALUE: template }) }))
  expect(envOf(normalized, 'web')['VALUE']).toBe(expected)
})

test('templates work in the name and in inputs, and leave scripts alone', () => {
  const input = buildSpec({ HOST: '${db.target.name}' }, 'input-${db.schema}')
  const spec: PackageSpec = { ...buildSpec({}, 'web-${db.schema}'), inputs: new Map([['tool', input]]) } as PackageSpec
  const { packageRequests } = normalize(system({ dependsOn: ['db'], pkg: { kind: 'data', spec } }))
  const web = packageRequests.at(-1)?.spec
  if (web?.kind !== 'build') throw new Error('no build')
  expect(web.name).toBe('web-main')
  expect(web.script).toContain('${HOME}')
  expect(web.inputs.get('tool')).toMatchObject({ name: 'input-main', env: new Map([['HOST', 't2']]) })
})

test.each([
  [
    '${databse.target.name}',
    "uses '${databse.target.name}', but 'databse' is not among its dependencies",
    "did you mean 'database'?",
  ],
  [
    '${database.target.nme}',
    "uses '${database.target.nme}', but 'database.target' has no member 'nme'",
    "did you mean 'name'?",
  ],
  [
    '${database.target.properties}',
    "uses '${database.target.properties}', but it refers to a table, not to text",
    'name one of its members',
  ],
  ['${database.targets}', "uses '${database.targets}', but it refers to a table", ''],
  ['${database.targets.length}', "'database.targets' has no member 'length'", "write '$${' for a literal '${'"],
  ['${database.name.length}', "'database.name' has no member 'length'", ''],
  ['${database.__proto__}', "'database' has no member '__proto__'", ''],
  ['${HOME}', "'HOME' is not among its dependencies", 'its dependencies are '],
  ['${}', "uses '${}', but it is not a valid reference", "write '$${'"],
  ['${database', "uses '${', but it is not a valid reference", ''],
  ['${a b}', "uses '${a b}', but it is not a valid reference", ''],
  ['${database..name}', 'it is not a valid reference', ''],
  [
    '${lost.target.name}',
    "uses '${lost.target.name}', but service 'lost' is not placed on any target",
    "add 'lost' to the distribution",
  ],
  [
    '${odd.target.container.port}',
    "but container 'process2' is not described on target 't1'",
    "add it to 'containers' of 't1'",
  ],
])('a template %s is an error', (template, message, hint) => {
  const services = { lost: {}, odd: { targets: ['t1 process2'] } }
  const web = { dependsOn: { database: 'db', lost: 'lost', odd: 'odd' }, pkg: build({ VALUE: template }) }
  const [problem, ...others] = problemsOf(system(web, { services }))
  expect(others).toEqual([])
  expect(problem).toContain("services.web.pkg.build.env.VALUE: error: package of service 'web'")
  expect(problem).toContain(message)
  expect(problem).toContain(hint)
})

test('all references of a package that cannot be resolved are reported together', () => {
  const pkg = build({ A: '${x}', B: '${y}' }, 'web-${z}')
  expect(problemsOf(system({ pkg }))).toHaveLength(3)
})

test('functions get plain data', () => {
  let seen: unknown
  const pkg = call(({ db }: { db: { target: { properties: object }; sizes: unknown } }) => {
    seen = {
      ...structuredClone({ properties: db.target.properties, sizes: db.sizes }),
      json: JSON.parse(JSON.stringify(db)),
    }
    return buildSpec({ LITERAL: '${db.name}' })
  })
  const normalized = normalize(system({ dependsOn: ['db'], pkg }))
  const properties = {
    hostname: 'db.example.org',
    tags: ['a', 'b'],
    rack: { row: 4 },
    version: 2,
    on: true,
    off: false,
  }
  const target = {
    name: 't2',
    system: 'x86_64-linux',
    numOfCores: 1,
    clientInterface: 'ssh',
    targetProperty: 'hostname',
    properties,
    selectedContainer: 'mysql',
    container: { port: 3306, name: 'x y' },
  }
  const json = {
    schema: 'main',
    sizes: [1, 2, [3]],
    name: 'db',
    type: 'mysql',
    deployState: true,
    targets: [target],
    target,
  }
  expect(seen).toEqual({ properties, sizes: [1, 2, [3]], json })
  expect(envOf(normalized, 'web')).toEqual({ LITERAL: '${db.name}' })
})

test('members are computed when they are read, and once', () => {
  let computed = 0
  const lazy = lazyObject([{ name: 'member', compute: () => (computed += 1) }])
  expect(computed).toBe(0)
  expect([Reflect.get(lazy, 'member'), Reflect.get(lazy, 'member'), computed]).toEqual([1, 1, 1])
})

test('all dependants share the object of a placement', () => {
  interface Places {
    readonly target: object
    readonly targets: readonly object[]
  }
  const seen: object[] = []
  const pkg = call(({ all, one }: { all: Places; one: Places }) => {
    seen.push(all.target, all.targets[0] ?? {}, one.target)
    return buildSpec({})
  })
  const services = { pair: { targets: ['t1', 't2'] } }
  normalize(system({ dependsOn: { all: 'pair', one: { service: 'pair', targets: ['t1'] } }, pkg }, { services }))
  expect(new Set(seen).size).toBe(1)
  expect(seen).toHaveLength(3)
})

test('functions see containers that are provided, and the attributes of the provider', () => {
  let seen: unknown
  const pkg = call(({ page }: { page: { target: { container: object }; connectsTo: object } }) => {
    seen = [{ ...page.target.container }, Object.keys(page.connectsTo), Object.keys(page)]
    return buildSpec({})
  })
  const services = {
    engine: { providesContainer: 'page', attributes: { port: 80 }, targets: ['t1'] },
    page: { type: 'page', targets: ['t1'] },
  }
  normalize(system({ dependsOn: ['page'], pkg }, { services }))
  expect(seen).toEqual([{ port: 80 }, [], ['name', 'type', 'deployState', 'targets', 'target']])
})

test('parameters contain no packages and cannot be changed', () => {
  const pkg = call(({ db }: { db: Record<string, unknown> }) => {
    expect(Object.keys(db)).not.toContain('pkg')
    expect(() => {
      db['name'] = 'other'
    }).toThrow(TypeError)
    return buildSpec({})
  })
  normalize(system({ dependsOn: ['db'], pkg }))
})

test('dependsOn wins over connectsTo of the same name, and activatesAfter is not a parameter', () => {
  let seen: unknown
  const pkg = call((parameters: { one: { name: string } }) => {
    seen = [Object.keys(parameters), parameters.one.name, 'late' in parameters]
    return buildSpec({})
  })
  const web = { dependsOn: { one: 'db' }, connectsTo: { one: 'api', two: 'api' }, activatesAfter: { late: 'db' }, pkg }
  normalize(system(web))
  expect(seen).toEqual([['one', 'two'], 'db', false])
})

test('a function that uses a parameter which is not a dependency is reported', () => {
  const pkg = call(({ databse }: { databse: { name: string } }) => buildSpec({ NAME: databse.name }))
  expect(problemsOf(system({ dependsOn: { database: 'db' }, pkg }))).toEqual([
    "services.web.pkg: error: package of service 'web' uses parameter 'databse', but 'databse' is not among its dependencies\n" +
      "  hint: did you mean 'database'?",
  ])
})

test.each([
  ['unused', 'lost nothing', []],
  ['used', 'lost data', ["uses 'data.target', but service 'lost' is not placed on any target"]],
  [
    'used further away',
    'api near',
    ["uses 'target' of 'lost', an indirect dependency, but service 'lost' is not placed on any target"],
  ],
])('a dependency that is placed nowhere, %s', (_, words, expected) => {
  const [data = '', use] = words.split(' ')
  const pkg = call((parameters: { data: { target: object }; near: { connectsTo: { lost: { target: object } } } }) => {
    if (use === 'data') void parameters.data.target
    if (use === 'near') void parameters.near.connectsTo.lost.target
    return buildSpec({ JSON: use === 'nothing' ? JSON.stringify(parameters.data) : '' })
  })
  const services = { lost: {}, near: { dependsOn: ['lost'], targets: ['t1'] } }
  const problems = problemsOf(system({ dependsOn: { data, near: 'near' }, pkg }, { services }))
  expect(problems).toHaveLength(expected.length)
  for (const [index, message] of expected.entries()) expect(problems[index]).toContain(message)
})

test('what a function throws is an error of its service, once, with the cause', () => {
  const cause = new TypeError('no luck')
  const pkg = call(() => {
    throw cause
  })
  const model = system({ targets: ['t1', 't2'], pkg })
  const infrastructure = { t1: {}, t2: { system: 'aarch64-linux' } }
  expect(problemsOf({ ...model, infrastructure })).toEqual([
    "services.web.pkg: error: package of service 'web' failed: no luck",
  ])
  expect(() => normalize(model)).toThrow(expect.objectContaining({ code: 'invalid-model', exitStatus: 65, cause }))
})

test('errors that packageFor() throws are reported too, and a DavitError passes', () => {
  const broken = () => {
    throw new Error('no such system')
  }
  expect(problemsOf(system({ pkg: broken }))).toEqual([
    "services.web.pkg: error: package of service 'web' failed: no such system",
  ])
  const error = new DavitError('cannot-read', "cannot read 'x'")
  const refused = call(() => {
    throw error
  })
  expect(() => normalize(system({ pkg: refused }))).toThrow(error)
})

test('packages of targets have no parameters', () => {
  expect(problemsOf({ targetPackages: { t1: [build({ X: '${db.name}' })] } })).toEqual([
    "targetPackages.t1[0].build.env.X: error: package of target 't1' uses '${db.name}', but 'db' is not among its dependencies\n" +
      "  hint: it has no dependencies; services name theirs in 'dependsOn' and 'connectsTo'",
  ])
})

test('the parameters file contains the direct dependencies', () => {
  const pkg = build({}, 'web', { parametersFile: true })
  const services = { lost: { dependsOn: ['api'] } }
  const { packageRequests } = normalize(system({ dependsOn: { near: 'api', lost: 'lost' }, pkg }, { services }))
  const web = packageRequests.at(-1)?.spec
  const target = {
    name: 't1',
    system: 'x86_64-linux',
    numOfCores: 1,
    clientInterface: 'ssh',
    targetProperty: 'hostname',
    properties: { hostname: 't1.example.org' },
    selectedContainer: 'process',
    container: { user: 'www' },
  }
  expect(JSON.parse((web?.kind === 'build' && web.parameters) || '')).toEqual({
    lost: { name: 'lost', type: 'process', deployState: false, targets: [] },
    near: { name: 'api', type: 'process', deployState: false, targets: [target], target },
  })
})

test('a function gets the text of the parameters file', () => {
  const pkg = {
    kind: 'function' as const,
    call: (_: object, parametersText: () => string) =>
      ({ ...buildSpec({}), parameters: parametersText() }) as PackageSpec,
  }
  const { packageRequests } = normalize(system({ dependsOn: ['db'], pkg }))
  expect(packageRequests.at(-1)?.spec).toMatchObject({ parameters: expect.stringContaining('"db":{"schema":"main"') })
})

test('mutual connectsTo works in templates and functions', () => {
  const services = {
    a: { targets: ['t1'], connectsTo: ['b'], pkg: build({ B: '${b.connectsTo.a.connectsTo.b.name}' }) },
    b: {
      targets: ['t2'],
      connectsTo: ['a'],
      pkg: call(({ a }: { a: { connectsTo: { b: { connectsTo: { a: object } } } } }) => {
        expect(a.connectsTo.b.connectsTo.a).toBe(a)
        return buildSpec({})
      }),
    },
  }
  expect(envOf(normalize({ services }), 'a')['B']).toBe('b')
})

test('parameters called __proto__ and constructor work', () => {
  const pkg = build({ X: '${__proto__.name} ${constructor.name}' }, 'x', { parametersFile: true })
  const dependsOn = Object.fromEntries([
    ['__proto__', 'db'],
    ['constructor', 'api'],
  ])
  const normalized = normalize(system({ dependsOn, pkg }))
  expect(envOf(normalized, 'web')['X']).toBe('db api')
})

interface Parameter {
  readonly name: string
  readonly targets: readonly { readonly container: object }[]
  readonly connectsTo?: Readonly<Record<string, Parameter>>
}

/** Visits every value that a package can read. */
function visit(parameters: Readonly<Record<string, Parameter>>, seen: Set<object>): void {
  const pending = Object.values(parameters)
  for (const parameter of pending) {
    if (seen.has(parameter)) continue
    seen.add(parameter)
    for (const target of parameter.targets) seen.add(target)
    pending.push(...Object.values(parameter.connectsTo ?? {}))
  }
}

test.each([
  ['100 services in 20 tiers with two dependencies each', { count: 100, width: 5 }],
  ['a chain of 2,000 services', { count: 2000, width: 1 }],
])('%s share one object for each service and place', (_, { count, width }) => {
  const seen = new Set<object>()
  let calls = 0
  const pkg = call((parameters: Record<string, Parameter>) => {
    calls += 1
    if (width > 1 || calls === count) visit(parameters, seen)
    return buildSpec({
      NAMES: Object.values(parameters)
        .map(({ name }) => name)
        .join(' '),
    })
  })
  const nameOf = (index: number) => `s${String(index).padStart(4, '0')}`
  const services = Object.fromEntries(
    Array.from({ length: count }, (_, index): [string, PlainService] => {
      const tier = Math.floor(index / width)
      const below =
        tier === 0 ? [] : [index % width, (index + 1) % width].map((place) => nameOf((tier - 1) * width + place))
      return [nameOf(index), { targets: ['t1'], dependsOn: [...new Set(below)], pkg }]
    }),
  )
  normalize({ services, infrastructure: { t1: { containers: { process: {} } } } })
  expect(calls).toBe(count)
  // An object for each service with dependants and one for each of its placements: nothing is made twice.
  expect(seen.size).toBe(2 * (count - width))
})
