import { type Path } from '@davit/diagnostics'
import { expect, test } from 'vitest'
import { modelOf, normalize, OPTIONS, type PlainModel, problemsOf, source } from './model.ts'
import { normalizeModel } from '../src/normalization.ts'

const services = (table: PlainModel['services']): PlainModel => ({ services: table ?? {} })
const targets = (table: PlainModel['infrastructure']): PlainModel => ({ infrastructure: table ?? {} })

const DEFECTS: readonly [string, PlainModel, readonly string[]][] = [
  [
    'an unknown service in a dependency',
    services({ database: { targets: ['t1'] }, web: { dependsOn: { db: 'databse' } } }),
    [
      "services.web.dependsOn.db: error: service 'web' depends on 'databse', which does not exist\n  hint: did you mean 'database'?",
    ],
  ],
  [
    'an unknown service in the distribution',
    { services: { web: {} }, distributedServices: ['web', 'wbe'] },
    ["distribution.wbe: error: the distribution places unknown service 'wbe'\n  hint: did you mean 'web'?"],
  ],
  [
    'an unknown target',
    services({ web: { targets: ['t1', 't9'] } }),
    ["services.web.targets[1]: error: service 'web' is placed on unknown target 't9'\n  hint: did you mean 't1'?"],
  ],
  [
    'an address that two targets share',
    {
      infrastructure: { a: { properties: { hostname: 'x' } }, b: { properties: { hostname: 'x' } } },
      services: { web: { targets: ['x'] } },
    },
    [
      "services.web.targets[0]: error: service 'web' is placed on unknown target 'x'\n  hint: it is the address of 'a' and 'b': use one of these names",
    ],
  ],
  [
    'an unknown target of a dependency',
    services({ db: { targets: ['t1'] }, web: { connectsTo: { db: { service: 'db', targets: ['nowhere'] } } } }),
    ["services.web.connectsTo.db.targets[0]: error: service 'web' depends on 'db' on unknown target 'nowhere'"],
  ],
  [
    'a dependency on a target where it is not',
    services({ db: { targets: ['t1'] }, web: { dependsOn: { db: { service: 'db', targets: ['t2'] } } } }),
    [
      "services.web.dependsOn.db.targets[0]: error: service 'web' depends on 'db' on target 't2', where it is not placed\n" +
        "  hint: 'db' is on 't1' (process)",
    ],
  ],
  [
    'a dependency in a container where it is not',
    services({ db: { targets: ['t1'] }, web: { dependsOn: { db: { service: 'db', targets: ['t1 other'] } } } }),
    [
      "services.web.dependsOn.db.targets[0]: error: service 'web' depends on 'db' on target 't1' in container 'other', where it is not placed\n" +
        "  hint: 'db' is on 't1' (process)",
    ],
  ],
  [
    'chosen targets of a dependency that is placed nowhere',
    services({ db: {}, web: { dependsOn: { db: { service: 'db', targets: ['t1'] } } } }),
    [
      "services.web.dependsOn.db.targets[0]: error: service 'web' depends on 'db' on target 't1', where it is not placed\n" +
        "  hint: 'db' is not placed on any target: add it to the distribution",
    ],
  ],
  [
    'another name than the attribute',
    services({ web: { name: 'wbe' } }),
    [
      "services.web.name: error: expected the name 'web', but got 'wbe'\n  hint: leave out 'name', or change it to 'web'",
    ],
  ],
  [
    'dependencies on a package',
    services({
      tool: { type: 'package', targets: ['t1'] },
      web: { dependsOn: ['tool'], connectsTo: ['tool'], activatesAfter: ['tool'] },
    }),
    ['dependsOn', 'connectsTo', 'activatesAfter'].map(
      (kind) =>
        `services.web.${kind}.tool: error: service 'web' depends on 'tool', which is of type 'package'\n` +
        '  hint: services of that type are installed, but never activated',
    ),
  ],
  [
    'containers from a package',
    services({ tool: { type: 'package', providesContainer: 'x' } }),
    [
      "services.tool.type: error: service 'tool' of type 'package' cannot provide containers\n  hint: it is installed, but never activated",
    ],
  ],
  [
    'a cycle of dependsOn',
    services({ a: { dependsOn: { x: 'b' } }, b: { dependsOn: ['c'] }, c: { activatesAfter: ['a'] } }),
    [
      'services.a.dependsOn.x: error: services depend on each other in a cycle: a → b → c → a\n' +
        "  hint: use 'connectsTo' where a service need not wait for the other",
    ],
  ],
  [
    'a service that depends on itself',
    services({ a: { activatesAfter: ['a'] } }),
    [
      'services.a.activatesAfter.a: error: services depend on each other in a cycle: a → a\n' +
        "  hint: use 'connectsTo' where a service need not wait for the other",
    ],
  ],
  [
    'a cycle through a provider of containers',
    services({
      engine: { providesContainer: 'page', targets: ['t1'], dependsOn: ['page'] },
      page: { type: 'page', targets: ['t1'] },
    }),
    [
      'services.engine.dependsOn.page: error: services depend on each other in a cycle: engine → page → engine\n' +
        "  hint: 'page' waits for 'engine', which provides its container 'page'",
    ],
  ],
  [
    'bad names',
    {
      infrastructure: { 'a b': { containers: { '-x': {} }, system: '$(touch x)' } },
      services: { 'we\nb': { type: '', targets: ['a b c/d'], providesContainer: '.' } },
    },
    [
      'infrastructure["a b"]: error: \'a b\' is not valid: a target name must consist of A-Z, a-z, 0-9 and _.+-, and must not begin with one of .+-',
      'infrastructure["a b"].containers["-x"]: error: \'-x\' is not valid: a container name must consist of A-Z, a-z, 0-9 and _.+-, and must not begin with one of .+-',
      'infrastructure["a b"].system: error: \'$(touch x)\' is not valid: a system must consist of A-Z, a-z, 0-9 and _.+-, and must not begin with one of .+-',
      'services["we\\nb"]: error: \'we\\nb\' is not valid: a service name must consist of A-Z, a-z, 0-9 and _.+-, and must not begin with one of .+-',
      'services["we\\nb"].type: error: \'\' is not valid: a type must consist of A-Z, a-z, 0-9 and _.+-, and must not begin with one of .+-',
      "services[\"we\\nb\"].targets[0]: error: service 'we\\nb' is placed on unknown target 'a'",
      'services["we\\nb"].providesContainer: error: \'.\' is not valid: a container name must consist of A-Z, a-z, 0-9 and _.+-, and must not begin with one of .+-',
    ],
  ],
  [
    'a bad name of a container in a placement',
    services({ web: { targets: ['t1 c/d'] } }),
    [
      "services.web.targets[0].container: error: 'c/d' is not valid: a container name must consist of A-Z, a-z, 0-9 and _.+-, and must not begin with one of .+-",
    ],
  ],
  [
    'names of container properties that are no variables',
    {
      infrastructure: {
        t1: { properties: { hostname: 'h', 'fine-here': 1 }, containers: { c: { 'a-b': 1, '2x': 1, ü: 1 } } },
      },
      services: {
        engine: { providesContainer: 'x', attributes: { 'a b': 1 } },
        other: { providesContainers: { y: { 'c.d': 1 } } },
      },
    },
    [
      ['infrastructure.t1.containers.c.a-b', 'a-b'],
      ['infrastructure.t1.containers.c["2x"]', '2x'],
      ['infrastructure.t1.containers.c["ü"]', 'ü'],
      ['services.engine["a b"]', 'a b'],
      ['services.other.providesContainers.y["c.d"]', 'c.d'],
    ].map(
      ([path, name]) =>
        `${path}: error: '${name}' is not a valid name of a container property\n` +
        '  hint: modules receive it as a variable: use letters, digits and _, and do not begin with a digit',
    ),
  ],
  [
    'reserved names of container properties',
    targets({ t1: { containers: { c: { PATH: '/', IFS: 'x', LD_PRELOAD: 'x', LD: 'fine', path: 'fine' } } } }),
    ['PATH', 'IFS', 'LD_PRELOAD'].map(
      (name) =>
        `infrastructure.t1.containers.c.${name}: error: container property '${name}' is reserved\n` +
        '  hint: PATH, IFS and LD_* would change how modules run',
    ),
  ],
  [
    'names of container properties that davit sets itself',
    targets({ t1: { containers: { c: { DAVIT_TARGET: 1, DYSNOMIA_STATEDIR: 1, davit_target: 1, DAVIT: 1 } } } }),
    ['DAVIT_TARGET', 'DYSNOMIA_STATEDIR'].map(
      (name) =>
        `infrastructure.t1.containers.c.${name}: error: container property '${name}' is reserved\n` +
        '  hint: davit sets DAVIT_* and DYSNOMIA_STATEDIR for modules itself: choose another name',
    ),
  ],
  [
    'names of container properties that shells set themselves',
    services({ engine: { providesContainer: 'x', attributes: { UID: 0, OPTIND: 1, RANDOM: 4, uid: 0 } } }),
    ['UID', 'OPTIND', 'RANDOM'].map(
      (name) =>
        `services.engine.${name}: error: container property '${name}' is reserved\n` +
        '  hint: shells set it themselves, so modules would see another value: choose another name',
    ),
  ],
  [
    'text that cannot occur in XML',
    {
      infrastructure: {
        t1: { properties: { hostname: 'h', deep: { list: ['fine\t\r\n', 'a\u0000b'] }, 'x\u0007': 1 } },
      },
      services: { web: { attributes: { half: '\ud800', outside: '\uffff', fine: '😀\u0085' } } },
    },
    [
      "infrastructure.t1.properties.deep.list[1]: error: property 'list' contains U+0000, which cannot occur in XML",
      'infrastructure.t1.properties["x\\u0007"]: error: the name of property \'x\\u0007\' contains U+0007, which cannot occur in XML',
      "services.web.half: error: property 'half' contains U+D800, which cannot occur in XML",
      "services.web.outside: error: property 'outside' contains U+FFFF, which cannot occur in XML",
    ].map((line) => `${line}\n  hint: encode it, for instance as base64`),
  ],
  [
    'numbers that are none',
    targets({ t1: { properties: { hostname: 'h', n: Number.NaN, f: [Number.POSITIVE_INFINITY] } } }),
    [
      "infrastructure.t1.properties.n: error: property 'n' is NaN, which documents cannot contain",
      "infrastructure.t1.properties.f[0]: error: property 'f' is Infinity, which documents cannot contain",
    ],
  ],
  [
    'a container property that is too long for the kernel',
    targets({
      t1: {
        containers: {
          c: {
            fits: 'x'.repeat(131_066),
            long: `${'ü'.repeat(65_533)}x`,
            list: ['x'.repeat(70_000), 'x'.repeat(70_000)],
          },
        },
      },
    }),
    ['long', 'list'].map(
      (name) =>
        `infrastructure.t1.containers.c.${name}: error: property '${name}' is too long: name=value may have at most 131071 bytes\n` +
        '  hint: put it into a file of a package and pass its path',
    ),
  ],
  [
    'a target without its address',
    targets({
      t1: { properties: {} },
      t2: { targetProperty: 'ip' },
      t3: { properties: { hostname: 7 } },
      t4: { properties: { hostname: '' } },
    }),
    [
      "infrastructure.t1.properties.hostname: error: target 't1' has no property 'hostname'\n" +
        "  hint: it contains the address of the target; name another property with 'targetProperty'",
      "infrastructure.t2.properties.ip: error: target 't2' has no property 'ip'\n" +
        "  hint: it contains the address of the target; name another property with 'targetProperty'",
      "infrastructure.t3.properties.hostname: error: property 'hostname' of target 't3' must be text: it is the target's address",
      "infrastructure.t4.properties.hostname: error: property 'hostname' of target 't4' must be text: it is the target's address",
    ],
  ],
  [
    'a number of cores that is none',
    targets({ t1: { numOfCores: 0 }, t2: { numOfCores: 1.5 }, t3: { numOfCores: Number.NaN }, t4: { numOfCores: -2 } }),
    ['t1 0', 't2 1.5', 't3 NaN', 't4 -2'].map((text) => {
      const [target, cores] = text.split(' ')
      return `infrastructure.${target}.numOfCores: error: numOfCores must be a whole number of at least 1, not ${cores}`
    }),
  ],
  [
    'packages for an unknown target',
    { targetPackages: { t22: [source('/x')] } },
    ["targetPackages.t22: error: packages for unknown target 't22'\n  hint: did you mean 't2'?"],
  ],
]

test.each(DEFECTS)('normalizeModel() reports %s', (_, plain, expected) => {
  expect(problemsOf(plain)).toEqual(expected)
})

test('normalizeModel() reports all problems together', () => {
  const merged = {
    services: { database: {}, web: { dependsOn: ['databse'], targets: ['t9'] } },
    distributedServices: ['wbe'],
  }
  expect(problemsOf(merged)).toHaveLength(3)
  expect(() => normalize(merged)).toThrow(
    expect.objectContaining({ code: 'invalid-model', exitStatus: 65, message: 'the models have 3 errors' }),
  )
})

test('mutual connectsTo is not a cycle', () => {
  expect(problemsOf(services({ a: { connectsTo: ['b'] }, b: { connectsTo: ['a'] } }))).toEqual([])
})

test('an error has the place of its value, or of the innermost value around it', () => {
  const places = new Map([
    ['services', { file: 'services.yaml', line: 1, column: 1 }],
    ['services.web.dependsOn', { file: 'services.yaml', line: 12, column: 5, text: '    dependsOn: [databse]' }],
  ])
  const placeOf = (path: Path) => places.get(path.join('.'))
  const plain = services({ database: {}, web: { dependsOn: ['databse'], type: '' } })
  expect(problemsOf({ ...plain, placeOf })).toEqual([
    "services.yaml:1:1: error: '' is not valid: a type must consist of A-Z, a-z, 0-9 and _.+-, and must not begin with one of .+-",
    "services.yaml:12:5: error: service 'web' depends on 'databse', which does not exist\n" +
      '      dependsOn: [databse]\n' +
      '      ^\n' +
      "  hint: did you mean 'database'?",
  ])
})

test('huge names are shortened', () => {
  const name = 'x'.repeat(100_000)
  const model = modelOf(services({ [name]: {} }))
  expect(() => normalizeModel(model, OPTIONS)).toThrow(
    expect.objectContaining({
      diagnostics: [
        expect.objectContaining({
          message: `'${'x'.repeat(60)}…' is not valid: a service name must be at most 200 bytes long`,
        }),
      ],
    }),
  )
})
