import { readFileSync } from 'node:fs'
import { type InstantiatedPackage, Manifest, parseDocument, type StoreReference } from '@davit/documents'
import { expect, test } from 'vitest'
import { architectureOf, manifestOf } from '../src/normalization.ts'
import { normalize, type PlainModel, type PlainService } from './model.ts'

/** Results of Disnix 0.10.3 for the same models. */
function recorded(name: string): Manifest {
  const file = `${name}.xml`
  return parseDocument(Manifest, readFileSync(new URL(`fixtures/${file}`, import.meta.url), 'utf8'), { file })
}

const INFRASTRUCTURE: PlainModel['infrastructure'] = {
  test2: {
    properties: { hostname: 'test2.example.org', rack: [4, 'left'], spare: false, load: 0.5 },
    containers: {
      'tomcat-webapplication': { tomcatPort: 8081 },
      'mysql-database': { mysqlPort: 3306, mysqlUsername: 'mysqluser', mysqlPassword: 'secret & <odd> "characters"' },
    },
    numOfCores: 2,
  },
  test1: {
    properties: { hostname: 'test1.example.org' },
    containers: { 'tomcat-webapplication': { tomcatPort: 8080 }, process: {} },
  },
}

const database: PlainService = { type: 'mysql-database', targets: ['test2'] }
const service: PlainService = { type: 'tomcat-webapplication', dependsOn: ['HelloMySQLDB'] }

const CASES: readonly [string, PlainModel['services']][] = [
  [
    'hello',
    {
      HelloMySQLDB: { ...database, deployState: true },
      HelloDBService: { ...service, targets: ['test1'] },
    },
  ],
  [
    'hello-redundant',
    {
      HelloMySQLDB: { ...database, deployState: true },
      HelloDBService: { ...service, targets: ['test2', 'test1 tomcat-webapplication'] },
    },
  ],
  [
    'page',
    {
      engine: {
        activatesAfter: ['HelloMySQLDB'],
        providesContainer: 'page',
        attributes: { port: 7001, root: '/srv', tls: true },
        targets: ['test1'],
      },
      HelloPage: { type: 'page', connectsTo: ['HelloDBService'], deployState: true, targets: ['test1'] },
      editor: { type: 'package', targets: ['test1', 'test2'] },
      HelloMySQLDB: database,
      HelloDBService: { ...service, targets: ['test1', 'test2'] },
    },
  ],
  ['undeploy', {}],
]

test.each(CASES)('the manifest of %s is that of the original', (name, services = {}) => {
  const expected = recorded(name)
  const store: StoreReference = { kind: 'nix', directory: '/nix/store' }
  const normalized = normalize(
    { services, infrastructure: INFRASTRUCTURE },
    { clientInterface: 'disnix-ssh-client', store },
  )
  const packages = normalized.packageRequests.map(({ wantedBy }): InstantiatedPackage => {
    const entry = [...expected.services.values()].find((one) => 'service' in wantedBy && one.name === wantedBy.service)
    if (entry === undefined) throw new Error('a package that the original did not make')
    return { outPath: entry.pkg }
  })
  const manifest = manifestOf(architectureOf(normalized, packages), expected.profiles)
  expect({ ...manifest, store: expected.store }).toEqual(expected)
  expect([...manifest.services.keys()]).toEqual([...expected.services.keys()])
})
