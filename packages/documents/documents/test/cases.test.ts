import { openSource, readXml, type XmlElement } from '@davit/languages'
import { expect, test } from 'vitest'
import {
  encodeDocument,
  type Format,
  Manifest,
  parseDocument,
  ProfileManifest,
  type TargetName,
} from '../src/documents.ts'
import { fixturesIn, readFixture } from './documents.ts'

/** Documents made by the original toolset (0.10.3). */
const CASES = fixturesIn('cases')

test.each(CASES)('%s is written back equal after parsing, element order included', (file) => {
  const format = formatOfCase(file)
  const original = readFixture(`cases/${file}`)
  const written = encodeDocument(format, parseDocument(format, original, { file }), 'xml')
  expect(treeOf(written)).toEqual(treeOf(original))
})

test.each(CASES)('%s comes back from JSON as it was', (file) => {
  const format = formatOfCase(file)
  const value = parseDocument(format, readFixture(`cases/${file}`), { file })
  expect(parseDocument(format, encodeDocument(format, value, 'json'), { file })).toEqual(value)
})

test('a manifest of the original is in the Nix store, and its targets have their numbers', () => {
  const { store, infrastructure } = parseDocument(Manifest, readFixture('cases/page.xml'), { file: 'page.xml' })
  expect(store).toEqual({ kind: 'nix', directory: '/nix/store' })
  expect(infrastructure.get('test2' as TargetName)?.properties.get('load')).toBe(0.5)
  expect(infrastructure.get('test2' as TargetName)?.numOfCores).toBe(2)
})

test('a mapping without a target in a profile manifest is on the target that is read', () => {
  const format = ProfileManifest.on('test1' as TargetName)
  const { serviceMappings, services } = parseDocument(format, readFixture('cases/page.profile-test1.xml'), {
    file: 'x',
  })
  expect(new Set(serviceMappings.map(({ target }) => target))).toEqual(new Set(['test1']))
  const page = [...services.values()].find(({ name }) => name === 'HelloPage')
  expect(page?.connectsTo.map(({ target }) => target)).toEqual(['test1', 'test2'])
})

function formatOfCase(file: string): Format<unknown> {
  const target = /profile-(\w+)/.exec(file)?.[1]
  return target === undefined ? Manifest : ProfileManifest.on(target as TargetName)
}

/** Returns the elements of a document with their attributes and text, without the white space between them. */
function treeOf(xml: string): unknown {
  const read = readXml(openSource(xml, { file: 'case.xml' }))
  if ('problem' in read) throw new Error(read.problem.message)
  return withoutBlanks(read.root)
}

function withoutBlanks({ name, attributes, children, text }: XmlElement): unknown {
  const own = children.length === 0 ? text : text.trim()
  return [name, Object.fromEntries(attributes), own, children.map(withoutBlanks)]
}
