import { fileURLToPath } from 'node:url'
import type { DavitError } from '@davit/diagnostics'
import { describe, expect, test } from 'vitest'
import { loadArchitecture } from '../src/models.ts'
import { complaintOf, linux, load, loadIn, modelsIn, specOf } from './models-in.ts'

const invalid = fileURLToPath(new URL('fixtures/invalid', import.meta.url))
const infrastructure = fileURLToPath(new URL('fixtures/guestbook/infrastructure.yaml', import.meta.url))

test.each([
  ['services', 'shapes.yaml'],
  ['services', 'packages.yaml'],
  ['services', 'syntax.yaml'],
  ['services', 'table.yaml'],
  ['services', 'outdented.yaml'],
  ['services', 'wrapped.yaml'],
  ['services', 'habits.yaml'],
  ['distribution', 'distribution.yaml'],
  ['packages', 'target-packages.yaml'],
])('loadArchitecture() reports all problems of %s in %s', async (role, file) => {
  const loading = loadArchitecture({ infrastructure, [role]: `${invalid}/${file}` }, { system: linux })
  await expect(await complaintOf(loading, invalid)).toMatchFileSnapshot(`fixtures/invalid/${file}.errors`)
})

test.each([
  ['infrastructure', 'infrastructure.yaml'],
  ['infrastructure', 'outdented-infrastructure.yaml'],
  ['infrastructure', 'habits-infrastructure.yaml'],
  ['architecture', 'architecture.yaml'],
])('loadArchitecture() reports all problems of an %s', async (role, file) => {
  const files = { [role]: `${invalid}/${file}` } as { readonly architecture: string }
  const complaint = await complaintOf(loadArchitecture(files, { system: linux }), invalid)
  await expect(complaint).toMatchFileSnapshot(`fixtures/invalid/${file}.errors`)
})

test.each([
  ['infrastructure.xml', '<infrastructure version="2"/>'],
  ['infrastructure.yaml', '{}'],
  ['infrastructure.json', '{}'],
  ['infrastructure.ts', 'export default {}'],
])('an empty %s is refused, and the hint is an empty model in its language', async (file, text) => {
  const directory = modelsIn({ [file]: '' })
  expect(await complaintOf(loadIn(directory, [file]), directory)).toContain(`write ${text} for an empty model`)
  expect((await loadIn(modelsIn({ [file]: text }), [file])).infrastructure.size).toBe(0)
})

const machines = "export default { a: { properties: { hostname: 'a' } } }"

async function complaint(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = modelsIn({ 'infrastructure.ts': machines, ...files })
  const names = ['infrastructure.ts', ...Object.keys(files)].filter((name) => !name.startsWith('lib'))
  return complaintOf(loadIn(directory, [...new Set(names)]), directory)
}

describe('a program', () => {
  test('with mistakes in its syntax is shown where', async () => {
    expect(await complaint({ 'services.ts': 'export default {\n\té: 1 2,\n}', 'distribution.js': 'export default [' }))
      .toMatchInlineSnapshot(`
      "distribution.js:1:17: error: unexpected end of file
        export default [
                        ^
      services.ts:2:7: error: expected "}" but found "2"
         é: 1 2,
              ^
      the models have 2 errors"
    `)
  })

  test('that imports a missing file is reported with its place', async () => {
    const services = "import { x } from './lib.ts'\nimport 'nowhere'\nexport default { x }"
    expect(await complaint({ 'services.ts': services })).toMatchInlineSnapshot(`
      "services.ts:1:19: error: could not resolve "./lib.ts"
        import { x } from './lib.ts'
                          ^
      services.ts:2:8: error: could not resolve "nowhere"
        import 'nowhere'
               ^
      the models have 2 errors"
    `)
  })

  test("that imports a missing name of 'davit' is reported with its place", async () => {
    const services = "import { nothing } from 'davit'\nexport default { nothing }"
    expect(await complaint({ 'services.ts': services })).toMatchInlineSnapshot(`
      "services.ts:1:10: error: no matching export in "davit" for import "nothing"
        import { nothing } from 'davit'
                 ^
      the models have an error"
    `)
  })

  test('that throws is shown at the innermost place of its own files', async () => {
    const services = "import { deep } from './lib/deep.ts'\nexport default ({ system }) => deep(system)"
    const deep =
      '// comment\nexport function deep(system: string): never {\n  const nothing: any = undefined\n  return nothing.length\n}'
    expect(await complaint({ 'services.ts': services, 'lib/deep.ts': deep })).toMatchInlineSnapshot(`
      "lib/deep.ts:4:18: error: TypeError: Cannot read properties of undefined (reading 'length')
          return nothing.length
                         ^
      cannot evaluate 'services.ts'"
    `)
  })

  test('that throws while it is imported is shown there', async () => {
    expect(await complaint({ 'services.ts': "// one\nthrow new Error(`in ${import.meta.dirname && 'import'}`)" }))
      .toMatchInlineSnapshot(`
      "services.ts:2:7: error: in import
        throw new Error(\`in \${import.meta.dirname && 'import'}\`)
              ^
      cannot evaluate 'services.ts'"
    `)
  })

  test('that throws no error is named', async () => {
    expect(await complaint({ 'services.ts': "export default async () => { throw 'text' }" })).toMatchInlineSnapshot(`
      "services.ts: error: the model threw "text"
      cannot evaluate 'services.ts'"
    `)
  })

  test('without a default export is refused', async () => {
    expect(await complaint({ 'services.ts': 'export const services = {}' })).toMatchInlineSnapshot(`
      "'services.ts' has no default export
      hint: export the model with 'export default'"
    `)
  })

  test('reads no service of invDistribution before there is one', async () => {
    const services = 'export default ({ invDistribution }) => ({\n  x: invDistribution.a.services.web.type,\n})'
    expect(await complaint({ 'services.ts': services, 'distribution.yaml': 'web: [a]' })).toMatchInlineSnapshot(`
      "services.ts:2:37: error: service 'web' of invDistribution cannot be read while the services model is being evaluated
          x: invDistribution.a.services.web.type,
                                            ^
      cannot evaluate 'services.ts'"
    `)
  })
})

describe('values of a program', () => {
  test('that documents cannot contain are refused, several together', async () => {
    const services = `
      class Port {}
      const self = { type: 'x', pkg: { source: '.' }, inner: { list: [] as unknown[] } }
      self.inner.list.push(self.inner)
      export default () => ({
        self,
        web: {
          type: 'x',
          pkg: Promise.resolve(),
          port: () => 1,
          nested: { a: [null, undefined, NaN, -Infinity, 2 ** 60, 1n], b: Symbol('s'), c: new Port(), d: new Date(0) },
          dependsOn: [undefined, { type: 'x' }],
          targets: [undefined, {}],
        },
      })`
    expect(await complaint({ 'services.ts': services })).toMatchInlineSnapshot(`
      "services.ts: services.web.pkg: error: expected a package, but got a promise
        hint: write { source: PATH } or { build: { script: ... } }
      services.ts: services.self.inner.list[0]: error: a table or list cannot contain itself
      services.ts: services.web.dependsOn[0]: error: expected a service, but got nothing (undefined)
        hint: write the name of a service
      services.ts: services.web.dependsOn[1]: error: expected a service, but got one that is not in this model
        hint: write the service's name, or { service: NAME, targets: [...] }
      services.ts: services.web.targets[0]: error: expected a target, but got nothing (undefined)
        hint: use an object of the infrastructure or the name of one of its targets
      services.ts: services.web.targets[1]: error: expected a target, but got a table
        hint: use an object of the infrastructure or the name of one of its targets
      services.ts: services.web.port: error: expected text, a number, true or false, a list or a table, but got a function
      services.ts: services.web.nested.a[0]: error: expected text, a number, true or false, a list or a table, but got nothing (null)
      services.ts: services.web.nested.a[1]: error: expected text, a number, true or false, a list or a table, but got nothing (undefined)
      services.ts: services.web.nested.a[2]: error: documents cannot contain the number NaN
      services.ts: services.web.nested.a[3]: error: documents cannot contain the number -Infinity
      services.ts: services.web.nested.a[4]: error: the integer 1152921504606847000 is too large to be exact
        hint: write it as text, or as a float
      services.ts: services.web.nested.a[5]: error: the integer 1 is too large to be exact
        hint: write it as text, or as a float
      services.ts: services.web.nested.b: error: expected text, a number, true or false, a list or a table, but got a symbol
      services.ts: services.web.nested.c: error: expected text, a number, true or false, a list or a table, but got an instance of Port
      services.ts: services.web.nested.d: error: expected text, a number, true or false, a list or a table, but got an instance of Date
      the models have 16 errors"
    `)
  })

  test('are refused in every model at once', async () => {
    const files = {
      'infrastructure.ts': 'export default { a: { properties: { f() {} } } }',
      'services.ts': "export default { web: { type: 'x' } }",
      'distribution.ts': 'export default () => ({ web: [undefined] })',
      'packages.ts': 'export default { a: [() => 1] }',
    }
    expect(await complaint(files)).toMatchInlineSnapshot(`
      "infrastructure.ts: infrastructure.a.properties.f: error: expected text, a number, true or false, a list or a table, but got a function
      distribution.ts: distribution.web[0]: error: expected a target, but got nothing (undefined)
        hint: use an object of the infrastructure or the name of one of its targets
      services.ts: services.web: error: service 'web' has no 'pkg'
        hint: add its package: { source: PATH } or { build: ... }
      packages.ts: targetPackages.a[0]: error: expected a package, but got a function
        hint: packages of targets have no inter-dependencies
      the models have 4 errors"
    `)
  })
})

describe('what a program says of something that is not there', () => {
  test('has its place, for targets', async () => {
    const infrastructure = "export default { db1: { properties: { hostname: 'a' } } }"
    const distribution = 'export default ({ infrastructure }) => ({\n  web: [infrastructure.bd1],\n})'
    const services = 'export default ({ invDistribution }) => ({\n  x: invDistribution.nowhere.services,\n})'
    expect(await complaint({ 'infrastructure.ts': infrastructure, 'distribution.ts': distribution }))
      .toMatchInlineSnapshot(`
      "distribution.ts:2:24: error: the infrastructure has no target 'bd1'
          web: [infrastructure.bd1],
                               ^
        hint: did you mean 'db1'?
      cannot evaluate 'distribution.ts'"
    `)
    expect(await complaint({ 'infrastructure.ts': infrastructure, 'services.ts': services })).toMatchInlineSnapshot(`
      "services.ts:2:22: error: the infrastructure has no target 'nowhere'
          x: invDistribution.nowhere.services,
                             ^
        hint: its targets are db1
      cannot evaluate 'services.ts'"
    `)
  })

  test('is reported with its name, for values of builds and properties', async () => {
    const infrastructure = `export default {
      a: { properties: { hostname: 'a', zone: undefined }, containers: { process: { directory: undefined } } },
    }`
    const services = `export default {
      web: { type: 'x', pkg: { build: { script: '', env: { HOST: undefined }, sources: { app: undefined } } } },
    }`
    expect(await complaint({ 'infrastructure.ts': infrastructure, 'services.ts': services })).toMatchInlineSnapshot(`
      "infrastructure.ts: infrastructure.a.properties.zone: error: property 'zone' is undefined
        hint: give it a value, or leave it out
      infrastructure.ts: infrastructure.a.containers.process.directory: error: property 'directory' is undefined
        hint: give it a value, or leave it out
      services.ts: services.web.pkg.build.sources.app: error: the variable 'app' is undefined
        hint: give it a value, or leave it out
      services.ts: services.web.pkg.build.env.HOST: error: the variable 'HOST' is undefined
        hint: give it a value, or leave it out
      the models have 4 errors"
    `)
  })
})

describe('a function pkg', () => {
  const packageOf = async (body: string) => {
    const directory = modelsIn({
      'infrastructure.ts': machines,
      'services.ts': `import { build, source } from 'davit'\nexport default { web: { type: 'x', pkg: (parameters) =>\n  ${body} } }`,
    })
    const model = await loadIn(directory, ['infrastructure.ts', 'services.ts'])
    return complaintOf(() => specOf(model, 'web'), directory)
  }

  test.each([
    ['undefined', 'services.ts: services.web.pkg: error: expected a package, but got nothing (undefined)'],
    ['Promise.resolve()', 'services.ts: services.web.pkg: error: expected a package, but got a promise'],
    [
      'build({ script: "", env: { HOST: undefined } } as never)',
      "services.web.pkg.build.env.HOST: error: the variable 'HOST' is undefined",
    ],
    ["source('./gone')", "services.ts: services.web.pkg.source: error: 'gone' does not exist"],
    [
      'build({ script: 1, env: { A: {} } } as never)',
      'services.ts: services.web.pkg.build.env.A: error: expected text, a number, true or false, but got a table',
    ],
    [
      'parameters.db.target',
      "services.ts:3:17: error: TypeError: Cannot read properties of undefined (reading 'target')\n    parameters.db.target } }\n                  ^",
    ],
  ])('that returns %s is refused', async (body, expected) => {
    expect(await packageOf(body)).toContain(expected)
  })
})

test.each([
  ['services.toml', "cannot tell the language of 'services.toml' from its name"],
  ['services.yaml', "cannot read 'services.yaml': no such file or directory"],
  ['services.ts', "cannot read 'services.ts': no such file or directory"],
])('loadArchitecture() cannot read %s', async (file, expected) => {
  const loading = loadArchitecture({ infrastructure, services: file }, { system: linux })
  expect(await complaintOf(loading)).toContain(expected)
})

test('a problem of an infrastructure in XML that normalization finds has its line', async () => {
  const target = (name: string, property: string) =>
    `<target name="${name}">\n<properties type="attrs"><property name="hostname" type="string">${name}</property></properties>\n<targetProperty>${property}</targetProperty>\n</target>\n`
  const infrastructure = `<infrastructure version="2">\n${target('a', 'hostname')}${target('b', 'hostnme')}</infrastructure>`
  const directory = modelsIn({ 'infrastructure.xml': infrastructure })
  const model = await loadIn(directory, ['infrastructure.xml'])
  expect(model.placeOf(['infrastructure', 'b', 'properties', 'hostname'])).toMatchObject({ line: 7, column: 26 })
  expect(model.placeOf(['infrastructure', 'b', 'targetProperty'])).toMatchObject({ line: 8, column: 1 })
})

test('all unreadable models are reported together', async () => {
  const files = {
    'infrastructure.yaml': 'a: {',
    'services.ts': 'export default {',
    'distribution.json': '{',
  }
  const complaint = await complaintOf(load(files))
  expect(complaint.match(/\w+\.(?:yaml|ts|json):\d+:\d+: error/g)).toHaveLength(3)
})

test('a problem that occurs for every system is reported once', async () => {
  const machines = "export default { a: { properties: {} }, b: { properties: {}, system: 'aarch64-linux' } }"
  const services = "export default () => ({ web: { type: 'x', pkg: { source: './gone' } } })"
  expect(await complaint({ 'infrastructure.ts': machines, 'services.ts': services })).toContain(
    'the models have an error',
  )
})

test('each of several unreadable files is reported once', async () => {
  const loading = loadArchitecture({ services: 'services.toml', infrastructure: 'targets.toml' }, { system: linux })
  const error = (await loading.catch((thrown: unknown) => thrown)) as DavitError
  expect(error.message).toBe('the models have 2 errors')
  expect(error.diagnostics.map(({ message }) => message)).toEqual(
    ['services.toml', 'targets.toml'].map((file) => `cannot tell the language of '${file}' from its name`),
  )
  expect(error.cause).toBeUndefined()
})
