import { Manifest, parseDocument } from '@davit/documents'
import { expect, test } from 'vitest'
import { type Call, convert, type Outcome } from './converter.ts'

const path = (name: string) => `/nix/store/00000000000000000000000000000000-${name}`

const STORE = mapping({ name: 'store', target: 'b.example:22', container: 'postgresql-database', key: 'K1' })
const SHOP = mapping({
  name: 'shop',
  target: 'a.example',
  container: 'webapp',
  key: 'K3',
  dependsOn:
    '<dependency><target>b.example:22</target><container>postgresql-database</container><key>K1</key></dependency>',
})
const SNAPSHOT = `<mapping><component>store</component><container>postgresql-database</container><target>b.example:22</target>
    <service>${path('store')}</service><type>postgresql-database</type></mapping>`
const PROFILES = `<mapping><profile>${path('alpha')}</profile><target>a.example</target></mapping>`

/** A manifest as the original toolset wrote it, which put its elements in this order. */
const FIRST = manifest({ distribution: PROFILES, activation: SHOP + STORE, snapshots: SNAPSHOT })

const INFRASTRUCTURE = `
alpha: { properties: { hostname: a.example }, containers: { webapp: { port: 8080 } }, system: x86_64-linux }
beta: { properties: { hostname: b, sshTarget: "b.example:22" }, targetProperty: sshTarget, system: x86_64-linux, numOfCores: 2 }
`

const WARNINGS = [
  'warning: version 1 has no properties of targets and containers: those of the infrastructure model are used',
  'warning: version 1 does not tell which services provide containers: none does in the result, so no service waits for its provider',
  'warning: the profiles are those of version 1, without profile manifests and modules',
  '  hint: deploy from models once, so that the targets have profiles of davit',
  "warning: 'targets' of version 1 is not read",
]

test('a manifest of version 1 becomes one of version 2, with the same keys', async () => {
  const { printed, said } = await first(FIRST)
  expect(said.split('\n')).toEqual(WARNINGS)
  const converted = parseDocument(Manifest, printed, { file: 'printed' })
  const dependency = { service: 'K1', target: 'beta', container: 'postgresql-database' }
  const rest = { connectsTo: [], providesContainers: new Map() }
  expect(converted).toEqual({
    profiles: new Map([['alpha', path('alpha')]]),
    services: new Map([
      ['K1', { name: 'store', pkg: path('store'), type: 'postgresql-database', dependsOn: [], ...rest }],
      ['K3', { name: 'shop', pkg: path('shop'), type: 'webapp', dependsOn: [dependency], ...rest }],
    ]),
    infrastructure: expect.anything() as unknown,
    serviceMappings: [{ service: 'K3', target: 'alpha', container: 'webapp' }, dependency],
    snapshotMappings: [{ ...dependency, component: 'store' }],
    store: { kind: 'nix', directory: '/nix/store' },
  })
  expect([...converted.infrastructure.values()]).toMatchObject([
    {
      numOfCores: 1,
      clientInterface: 'ssh',
      targetProperty: 'hostname',
      containers: new Map([['webapp', new Map([['port', 8080]])]]),
    },
    { numOfCores: 2, clientInterface: 'ssh', targetProperty: 'sshTarget' },
  ])
})

test.each(['json', 'yaml', 'typescript'] as const)('it can be written as %s, like any manifest', async (to) => {
  const { printed } = await first(FIRST)
  const file = `m.${to === 'typescript' ? 'ts' : to}`
  const other = (await first(FIRST, { to })).printed
  expect((await convert({ to: 'xml', document: file, files: { [file]: other } })).printed).toBe(printed)
})

test('an infrastructure in another language, and in XML, is accepted too', async () => {
  const { printed: xml } = await convert({ to: 'xml', input: INFRASTRUCTURE })
  const { printed } = await first(FIRST, { infrastructure: 'i.xml', files: { 'i.xml': xml } })
  expect(printed).toBe((await first(FIRST)).printed)
})

test('a service in several places is one service', async () => {
  const again = STORE.replace('b.example:22', 'a.example')
  const { printed } = await first(manifest({ activation: STORE + again }))
  const { services, serviceMappings, profiles } = parseDocument(Manifest, printed, { file: 'printed' })
  expect([services.size, serviceMappings.map(({ target }) => target), profiles.size]).toEqual([1, ['beta', 'alpha'], 0])
})

test('of services with the same package, a snapshot belongs to the one in its place', async () => {
  const other = mapping({ name: 'store', target: 'a.example', container: 'postgresql-database', key: 'K9' })
  const { printed } = await first(manifest({ activation: other + STORE, snapshots: SNAPSHOT }))
  expect(parseDocument(Manifest, printed, { file: 'printed' }).snapshotMappings).toMatchObject([{ service: 'K1' }])
})

test('what version 1 has nothing to say about needs no warning', async () => {
  const { said } = await first(manifest({}).replace('<targets/>', ''))
  expect(said).toBe('')
})

test('elements that version 1 does not have are lost', async () => {
  const { said, printed } = await first(FIRST.replace('<targets/>', '<more/>'))
  expect(printed).toBe('')
  expect(said).toContain("error: davit does not read 'more' in a manifest of version 1")
  expect((await first(FIRST.replace('<targets/>', '<more/>'), { lossy: true })).printed).not.toBe('')
})

const refused: readonly (readonly [string, string, Partial<Call>])[] = [
  ['without an infrastructure', FIRST, { infrastructure: undefined }],
  ['with an unknown address', FIRST.replaceAll('>a.example<', '>a.exmple<'), {}],
  ['with an address unlike any other', FIRST.replaceAll('>a.example<', '>10.1.2.3<'), {}],
  ['with an ambiguous address', FIRST, { files: { 'i.yaml': INFRASTRUCTURE.replaceAll('b.example:22', 'a.example') } }],
  ['with a dangling dependency', FIRST.replace('<key>K1</key></dependency>', '<key>K2</key></dependency>'), {}],
  ['with two services of one key', manifest({ activation: STORE + STORE.replaceAll('store', 'other') }), {}],
  ['with two profiles of one target', manifest({ distribution: PROFILES + PROFILES.replace('-alpha', '-beta') }), {}],
  [
    'with a snapshot of no service',
    manifest({ activation: SHOP.replace(/<dependsOn>.*<\/dependsOn>/, ''), snapshots: SNAPSHOT }),
    {},
  ],
  [
    'with a snapshot of several services',
    manifest({ activation: STORE + STORE.replace('K1', 'K2'), snapshots: SNAPSHOT }),
    {},
  ],
  ['with an invalid package', manifest({ activation: STORE.replace(path('store'), '/store') }), {}],
  ['that is cut off', FIRST.slice(0, 300), {}],
  ['with another kind', FIRST, { kind: 'architecture' }],
]

test.each(refused)('a manifest of version 1 is refused %s', async (name, text, more) => {
  const { printed, said, status } = await first(text, more)
  expect(printed).toBe('')
  await expect(`${said}\nexit status ${status}\n`).toMatchFileSnapshot(
    `mistakes/version-1-${name.replaceAll(/\W+/g, '-')}.txt`,
  )
})

function first(text: string, { files, ...more }: Partial<Call> = {}): Promise<Outcome> {
  const all = { 'first.xml': text, 'i.yaml': INFRASTRUCTURE, ...files }
  return convert({ to: 'xml', document: 'first.xml', infrastructure: 'i.yaml', files: all, ...more })
}

interface Sections {
  readonly distribution?: string
  readonly activation?: string
  readonly snapshots?: string
}

function manifest({ distribution = '', activation = '', snapshots = '' }: Sections): string {
  return `<?xml version="1.0"?>
<manifest version="1">
  <distribution>${distribution}</distribution>
  <activation>${activation}</activation>
  <snapshots>${snapshots}</snapshots>
  <targets/>
</manifest>
`
}

function mapping(of: {
  readonly name: string
  readonly target: string
  readonly container: string
  readonly key: string
  readonly dependsOn?: string
}): string {
  return `
    <mapping>
      <dependsOn>${of.dependsOn ?? ''}</dependsOn>
      <connectsTo/><name>${of.name}</name><service>${path(of.name)}</service><target>${of.target}</target>
      <container>${of.container}</container><type>${of.container}</type><key>${of.key}</key>
    </mapping>`
}
