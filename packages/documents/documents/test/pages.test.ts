import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  Architecture,
  BuildModel,
  CompiledStack,
  DeploymentModel,
  type Format,
  Infrastructure,
  MadeFrom,
  Manifest,
  parseDocument,
  PlanDocument,
  ProfileManifest,
  type TargetName,
} from '../src/documents.ts'

const PAGES: readonly (readonly [string, Format<unknown>])[] = [
  ['architecture', Architecture],
  ['build-model', BuildModel],
  ['compiled-stack', CompiledStack],
  ['deployment-model', DeploymentModel],
  ['infrastructure', Infrastructure],
  ['made-from', MadeFrom],
  ['manifest', Manifest],
  ['plan', PlanDocument],
  ['profile-manifest', ProfileManifest.on('alpha' as TargetName)],
]

const DIRECTORY = new URL('../../../../docs/formats/', import.meta.url)

test.each(PAGES)('the examples of the page %s are valid, and say the same', (page, format) => {
  const text = readFileSync(new URL(`${page}.md`, DIRECTORY), 'utf8')
  const examples = [...text.matchAll(/```(?:json|xml)\n([^]*?)```/g)].map(([, example = '']) => completed(example))
  const values = examples.map((example) => parseDocument(format, example, { file: page }))
  expect(values).toHaveLength(format.xml === undefined ? 1 : 2)
  expect(new Set(values.map((value) => JSON.stringify([value], mapsAsLists)))).toHaveProperty('size', 1)
})

test('every document has a page', () => {
  // The journal, the log and the trace have pages too, but consist of lines. Some documents are only printed, and never read.
  const pages = readdirSync(DIRECTORY).filter(
    (file) =>
      file.endsWith('.md') &&
      !/^(?:README|adoption|checkup|generations|service-log|snapshots|inventory|journal|locks|log|trace)\./.test(file),
  )
  expect(pages.toSorted()).toEqual(PAGES.map(([page]) => `${page}.md`))
})

/** Pages leave out the infrastructure where it is a section. */
function completed(example: string): string {
  const fields = { properties: { h: 'x' }, system: 'x86_64-linux', clientInterface: 'ssh', targetProperty: 'h' }
  const xml =
    '<target name="alpha"><properties type="attrs"><property name="h" type="string">x</property></properties>' +
    '<system>x86_64-linux</system><clientInterface>ssh</clientInterface><targetProperty>h</targetProperty></target>'
  return example.replace('{ "…": "…" }', JSON.stringify(fields)).replace('<!-- targets -->', xml)
}

function mapsAsLists(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value
}
