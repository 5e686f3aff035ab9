import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { loadDeploymentModel } from '../src/models.ts'
import { decodeData } from '../src/languages/nix/decode.ts'
import { complaintOf, load, modelsIn } from './models-in.ts'

const machines = "export default { a: { properties: { hostname: 'a' } } }"
const service = "type: 'x', pkg: { source: '.' }"

/** Values that a program can make, but that no text can contain. */
const VALUES = {
  deep: 'let value: any = {}; for (let i = 0; i < 100_000; i += 1) value = { value }',
  shared: "const value = new Array(10_000).fill(new Array(10_000).fill('x'))",
  'deep and shared': "let value: any = ['x']; for (let i = 0; i < 1_000; i += 1) value = [value, value]",
  sparse: 'const value = new Array(4e9)',
}

test.each(Object.entries(VALUES))('a value that is %s is refused before it fills the memory', async (_, code) => {
  const files = {
    'infrastructure.ts': machines,
    'services.ts': `${code}\nexport default { web: { ${service}, value } }`,
  }
  expect(await complaintOf(load(files))).toMatch(
    /services\.ts: services\.web\.value: error: this value (?:is nested more than 200 levels deep|contains more than 2000000 values), or contains itself$/m,
  )
  const model = modelsIn({ 'deployment.ts': `${code}\nexport default { profiles: value }` })
  expect(await complaintOf(loadDeploymentModel(`${model}/deployment.ts`))).toMatch(
    /levels deep|more than 2000000 values/,
  )
})

test('packages in packages are as deep as data can be', async () => {
  const code = "const pkg: any = { build: { name: 'x', script: '', inputs: {} } }\npkg.build.inputs.again = pkg"
  const services = `${code}\nexport default { web: { type: 'x', pkg } }`
  expect(await complaintOf(load({ 'infrastructure.ts': machines, 'services.ts': services }))).toContain(
    'services.web.pkg: error: this value is nested more than 200 levels deep, or contains itself',
  )
})

test.each([
  ['an object without constructor', 'Object.create(Object.create(null))', 'an object with a prototype'],
  ['a class without name', 'new (class { static name = 3 })()', 'an object with a prototype'],
  [
    'a proxy that ends',
    '(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy })()',
    'revoked',
  ],
  ['a table that throws', "new Proxy({}, { ownKeys() { throw new Error('trap') } })", 'error: trap'],
  ['a member that throws', "{ get member() { throw new Error('trap') } }", 'error: trap'],
])('%s is not a value', async (_, value, expected) => {
  const services = `export default { web: { ${service}, value: ${value} } }`
  const complaint = await complaintOf(load({ 'infrastructure.ts': machines, 'services.ts': services }))
  expect(complaint).toContain(expected)
  expect(complaint).toMatch(/services\.ts:/)
})

test.each([
  ['a number', '1n', 'the model threw 1n'],
  [
    'what contains itself',
    '(() => { const a: any = {}; a.a = a; return a })()',
    'the model threw <ref *1> { a: [Circular *1] }',
  ],
  ['what cannot be written', '{ toJSON() { throw 1 } }', 'the model threw { toJSON: [Function: toJSON] }'],
  ['nothing', 'undefined', 'the model threw undefined'],
  ['an error whose message is none', "Object.assign(new Error('x'), { message: { a: 1 } })", 'error: { a: 1 }'],
  ['an error whose name is none', "Object.assign(new Error('x'), { name: 1 })", 'error: x'],
  ['an error whose stack is none', "Object.assign(new Error('x'), { stack: 7 })", 'error: x'],
  ['an error from a strange place', "Object.assign(new Error('x'), { stack: 'at f (/%E0%A4%A.mjs:1:1)' })", 'error: x'],
])('a program may throw %s', async (_, thrown, expected) => {
  const services = `export default () => { throw ${thrown} }`
  expect(await complaintOf(load({ 'infrastructure.ts': machines, 'services.ts': services }))).toContain(expected)
})

test.each([
  ['when it is imported', 'await new Promise(() => {})\nexport default {}'],
  ['when it is called', 'export default () => new Promise(() => {})'],
])('a program that waits for ever %s is ended, and named', async (_, services) => {
  const directory = modelsIn({ 'infrastructure.yaml': 'a: {}', 'services.ts': services })
  const program = `import { loadArchitecture } from ${JSON.stringify(new URL('../src/models.ts', import.meta.url).href)}
    const files = { infrastructure: 'infrastructure.yaml', services: 'services.ts' }
    loadArchitecture(files, { system: 'x86_64-linux' }).catch((error) => console.log(JSON.stringify(error.diagnostics)))`
  const loader = fileURLToPath(new URL('../../../../node_modules/tsx/dist/loader.mjs', import.meta.url))
  const { stdout } = await promisify(execFile)('node', ['--import', loader, '--input-type=module', '-e', program], {
    cwd: directory,
    env: { ...process.env, TSX_TSCONFIG_PATH: fileURLToPath(new URL('../../../../tsconfig.json', import.meta.url)) },
  })
  expect(JSON.parse(stdout)).toMatchObject([
    { message: 'it waits for something that never happens', place: { file: 'services.ts' } },
  ])
})

test('a result of Nix that is nested too deeply is refused', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`)
  expect(decodeData(nested(300))).toBeInstanceOf(Map)
  expect(() => decodeData(nested(50_000))).toThrow('is nested too deeply')
})
