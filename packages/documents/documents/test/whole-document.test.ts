import { type Finding, renderPath } from '@davit/diagnostics'
import { expect, test } from 'vitest'
import {
  DeploymentModel,
  encodeDocument,
  FirstManifest,
  type Format,
  InfrastructureModel,
  Manifest,
  parseDocument,
  parseWholeDocument,
  PartialInfrastructure,
  validateWholeDocument,
} from '../src/documents.ts'
import { fixturesIn, formatOf, readFixture } from './documents.ts'

const XML = `<manifest version="2" xmlns="urn:x">
  <profiles type="attrs"/>
  <services>
    <service name="k">
      <name>a</name><pkg>/nix/store/00000000000000000000000000000000-a</pkg><type>process</type>
      <color>red</color>
      <providesContainers><container name="c" type="attrs">
        <property name="p">text</property><property name="q" type="list"><elem>1</elem></property>
      </container></providesContainers>
    </service>
    <other/>
  </services>
  <infrastructure/><serviceMappings/><snapshotMappings/>
</manifest>
`

test('parseWholeDocument() finds what readers ignore in XML', () => {
  expect(ignoredIn(Manifest, XML).toSorted()).toEqual(
    [
      '1:1 xmlns',
      '11:5 services.other',
      '6:7 services.k.color',
      '8:9 services.k.providesContainers.c.property',
      '8:74 services.k.providesContainers.c.q.elem',
    ].toSorted(),
  )
})

test('parseWholeDocument() finds what readers ignore in JSON', () => {
  const text = `{ "document": "manifest", "version": 2,
  "infrastructure": { "t": { "system": "x", "clientInterface": "ssh", "targetProperty": "h",
    "properties": { "h": "x", "version": 3 }, "meta": {} } },
  "profiles": {}, "services": {}, "snapshotMappings": [], "extra": 1,
  "serviceMappings": [] }`
  expect(ignoredIn(Manifest, text)).toEqual(['3:47 infrastructure.t.meta', '4:59 extra'])
  expect(
    ignoredIn(PartialInfrastructure, '{ "infrastructure": { "document": {} },\n "version": 2, "more": 1 }'),
  ).toEqual(['2:16 more'])
})

test.each(fixturesIn('valid'))('parseWholeDocument() ignores nothing of %s', (file) => {
  const format = formatOf(file)!
  const { value, ignored } = parseWholeDocument(format, readFixture(`valid/${file}`), { file })
  expect(ignored).toEqual([])
  expect(value).toEqual(parseDocument(format, readFixture(`valid/${file}`), { file }))
})

test('validateWholeDocument() finds what is ignored in data', () => {
  const data = new Map([['infrastructure', new Map([['t', new Map([['meta', 1]])]])]])
  const lenient: Format<unknown> = { ...DeploymentModel, knowsAllKeys: undefined as never }
  const { ignored } = validateWholeDocument(lenient, data, { file: 'm', placeOfKey: () => ({ file: 'm', line: 1 }) })
  expect(ignored).toEqual([
    {
      path: ['infrastructure', 't', 'meta'],
      message: "davit does not read 'meta' in a deployment model",
      place: { file: 'm', line: 1 },
    },
  ])
})

test('InfrastructureModel keeps attributes that davit does not read', () => {
  const data = { t: { properties: { h: 'x' }, meta: { tags: ['a'] } } }
  const { value, ignored } = validateWholeDocument(InfrastructureModel, data, { file: 'm' })
  expect(ignored).toEqual([])
  expect(JSON.parse(encodeDocument(InfrastructureModel, value, 'json'))).toMatchObject({ infrastructure: data })
})

test('FirstManifest reads version 1, and checks references', () => {
  const mapping = (more: string) =>
    `<mapping><name>a</name><service>/nix/store/00000000000000000000000000000000-a</service><target>h</target>` +
    `<container>c</container><type>c</type><key>k</key>${more}</mapping>`
  const manifest = (more: string) =>
    `<manifest version="1">\n<distribution/><activation>${mapping(more)}</activation><snapshots/><targets/></manifest>`
  const { value, ignored } = parseWholeDocument(FirstManifest, manifest(''), { file: 'm' })
  expect(value.activation).toMatchObject([{ key: 'k', dependsOn: [], connectsTo: [] }])
  expect(ignored.map(({ path = [] }) => renderPath(path))).toEqual(['targets'])
  const dangling =
    '<dependsOn><dependency><target>h</target><container>c</container><key>x</key></dependency></dependsOn>'
  expect(() => parseDocument(FirstManifest, manifest(dangling), { file: 'm' })).toThrow(
    expect.objectContaining({
      diagnostics: [expect.objectContaining({ message: "there is no service with key 'x'", place: expect.anything() })],
    }) as Error,
  )
})

function ignoredIn(format: Format<unknown>, text: string): readonly string[] {
  return parseWholeDocument(format, text, { file: 'm' }).ignored.map(rendered)
}

function rendered({ place, path = [] }: Finding): string {
  return `${place?.line}:${place?.column} ${renderPath(path)}`
}
