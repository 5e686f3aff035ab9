import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { buildSpec, call, normalize, type PlainModel, type PlainService, problemsOf } from './model.ts'

/** A service that depends on a database. */
function system(web: PlainService): PlainModel {
  const properties = { hostname: 'db.example.org', rack: { row: 4 } }
  return {
    infrastructure: { t1: {}, t2: { properties, containers: { mysql: { port: 3306 } } } },
    services: {
      db: { type: 'mysql', attributes: { schema: 'main', sizes: [1, 2, 3] }, targets: ['t2'] },
      web: { targets: ['t1'], ...web },
    },
  }
}

interface Database {
  readonly [name: string]: unknown
  readonly target: { readonly [name: string]: unknown; readonly properties: { readonly [name: string]: unknown } }
  readonly targets: readonly Database['target'][]
  readonly connectsTo: { readonly [name: string]: unknown }
}

test.each<readonly [string, (database: Database) => unknown, string, string]>([
  ['.shcema', (db) => db['shcema'], "'shcema', but service 'db' has no member 'shcema'", "did you mean 'schema'?"],
  [
    '.prt',
    (db) => db['prt'],
    "'prt', but service 'db' has no member 'prt'",
    "its members are schema, sizes, name, type, deployState, targets, target; test for optional members with the operator 'in'",
  ],
  ['.prt ?? 1', (db) => db['prt'] ?? 1, "'prt', but service 'db' has no member 'prt'", 'its members are schema, '],
  ['{ prt = 1 }', ({ prt = 1 }) => prt, "'prt', but service 'db' has no member 'prt'", 'its members are schema, '],
  ['.target.nme', ({ target }) => target['nme'], "'nme', but target 't2' has no member 'nme'", "did you mean 'name'?"],
  [
    '.target.properties.hostnme',
    ({ target }) => target.properties['hostnme'],
    "'hostnme', but 'properties' of target 't2' has no member 'hostnme'",
    "did you mean 'hostname'?",
  ],
  [
    '.target.properties.rack.rw',
    ({ target }) => (target.properties['rack'] as Database)['rw'],
    "'rw', but 'rack' of 'properties' of target 't2' has no member 'rw'",
    "did you mean 'row'?",
  ],
  [
    '.target.container.prt',
    ({ target }) => (target['container'] as Database)['prt'],
    "'prt', but 'container' of target 't2' has no member 'prt'",
    "did you mean 'port'?",
  ],
  [
    '.targets.properties',
    ({ targets }) => (targets as unknown as Database)['properties'],
    "'properties', but 'targets' of service 'db' is a list and has no member 'properties'",
    'use [0].properties for its first element',
  ],
  [
    '.connectsTo.other',
    ({ connectsTo }) => connectsTo['other'],
    "'other', but 'connectsTo' of service 'db' has no member 'other'",
    'it has no members',
  ],
  [
    '.target as text',
    ({ target }) => ''.concat(target as unknown as string),
    "target 't2' as text, but target 't2' is a table",
    'name one of its members: name, ',
  ],
])('a function that reads database%s is reported', (_, read, message, hint) => {
  const pkg = call(({ database }: { database: Database }) => buildSpec({ VALUE: String(read(database)) }))
  const [problem, ...others] = problemsOf(system({ dependsOn: { database: 'db' }, pkg }))
  expect(others).toEqual([])
  expect(problem).toContain(`services.web.pkg: error: package of service 'web' uses ${message}\n`)
  expect(problem).toContain(`  hint: ${hint}`)
})

test('tables and lists of parameters are ordinary objects in all other respects', async () => {
  let seen: Promise<unknown> | undefined
  const pkg = call(({ db }: { db: Database }) => {
    const { targets, target } = db
    seen = (async () => [
      ['prt' in db, Object.hasOwn(db, 'prt'), 'toString' in db, 'name' in db],
      [(await Promise.resolve(db)) === db, db[Symbol.iterator as never], Object.keys(target.properties)],
      [{ ...target.properties }['prt' as never], structuredClone(db)['prt'], JSON.parse(JSON.stringify(db))['prt']],
      [Array.isArray(targets), targets[7], targets.map(({ name }) => name), targets.length],
      [[...targets].length, structuredClone(targets).length, targets.at(-1)?.['name'], String(db['sizes'])],
      [inspect(db).includes("schema: 'main'"), inspect(targets).includes("name: 't2'")],
    ])()
    return buildSpec({})
  })
  normalize(system({ dependsOn: ['db'], pkg }))
  expect(await seen).toEqual([
    [false, false, false, true],
    [true, undefined, ['hostname', 'rack']],
    [undefined, undefined, undefined],
    [true, undefined, ['t2'], 1],
    [1, 1, 't2', '1,2,3'],
    [true, true],
  ])
})
