import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openSource } from '../src/text/invalid-document.ts'
import { marginWithin } from '../src/text/margin.ts'
import { enterChild, isAtEnd, openPlainXml, type PlainXml, plainTextIn } from '../src/xml/plain-xml.ts'
import { readXmlWithPlaces } from '../src/xml/read-xml.ts'
import { findXmlProblem } from '../src/xml/find-xml-problem.ts'
import { writeAttribute, writeBranch, writeLeaf, writeXml } from '../src/xml/write-xml.ts'
import type { XmlElement } from '../src/xml/xml-element.ts'

const name = fc.constantFrom('a', 'b-c', 'd.e', '_f1')
const text = fc.string({ unit: fc.constantFrom('x', ' ', '\n', '\t', '&', '<', '>', '"', "'", ']', '🚢', 'é') })

const { element } = fc.letrec<{ element: XmlElement }>((tie) => ({
  element: fc
    .tuple(
      name,
      fc.dictionary(name, text, { maxKeys: 2 }),
      fc.oneof({ depthSize: 'small' }, fc.constant([]), fc.array(tie('element'), { maxLength: 3 })),
      text,
    )
    .map(([own, attributes, children, content]) => ({
      name: own,
      attributes: new Map(Object.entries(attributes)),
      children,
      text: children.length === 0 ? content : '',
    })),
}))

test('what writeXml() writes is read the quick way, and like any XML', () => {
  fc.assert(
    fc.property(element, (root) => {
      const written = writeXml(textOf(root, '\n'))
      expect(readPlain(written)).toEqual(withoutPlaces(readXmlWithPlaces(source(written))))
    }),
    { numRuns: 500 },
  )
})

const PIECES = [
  '<a>',
  '</a>',
  '<b c="d">',
  '</b>',
  '<a/>',
  '<a />',
  '<a b="1" b="2"/>',
  '<!-- x -->',
  '<![CDATA[x]]>',
  '<?x?>',
  '&amp;',
  '&#65;',
  '&x;',
  '&',
  ']]>',
  ' ',
  '\n',
  '\r',
  'x',
  '<constructor/>',
  '<a b="x\ny"/>',
  "<a b='x'/>",
  '<a b = "x"/>',
  '<?xml version="1.0"?>',
  '\u0000',
  '<1/>',
  '<a:b/>',
  '<a b="&lt;>"/>',
  '<a>x</a>',
  '<',
  '>',
  '="',
  '<é/>',
]

test('whatever is read the quick way is XML, and is read like any XML', () => {
  const pieces = fc.constantFrom(...PIECES)
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), fc.boolean(), (parts, isWrapped) => {
      const given = isWrapped ? `<r>${parts.join('')}</r>` : parts.join('')
      const quick = readPlain(given)
      if (quick === undefined) return
      expect(findXmlProblem(source(given))).toBeUndefined()
      expect(quick).toEqual(withoutPlaces(readXmlWithPlaces(source(given))))
    }),
    { numRuns: 20_000 },
  )
})

describe('the quick way leaves to the other', () => {
  test.each([
    '',
    'x',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a/>x',
    '<a>&x;</a>',
    '<a><!-- x --></a>',
    '<a b="1" b="1"/>',
    '<a b="1"c="2"/>',
    '<a b/>',
    '<a>\r</a>',
    '<a>]]></a>',
    '<a b="\n"/>',
    '<constructor/>',
    '<!DOCTYPE a><a/>',
    '<a>'.repeat(300) + '</a>'.repeat(300),
  ])('%j', (given) => {
    expect(readPlain(given)).toBeUndefined()
  })
})

/** Reads all elements; undefined if the text is not plain. */
function readPlain(given: string): XmlElement | undefined {
  const xml = openPlainXml(given)
  const own = xml.isPlain ? enterChild(xml, '') : undefined
  const root = own === undefined ? undefined : elementIn(xml, own)
  return isAtEnd(xml) ? root : undefined
}

function elementIn(xml: PlainXml, own: string): XmlElement {
  const { attributes } = xml
  const isLeaf = xml.isEmpty || xml.text.startsWith('</', xml.text.indexOf('<', xml.at))
  if (isLeaf) return { name: own, attributes, children: [], text: plainTextIn(xml, own) }
  const children: XmlElement[] = []
  for (let child = enterChild(xml, own); child !== undefined && xml.isPlain; child = enterChild(xml, own))
    children.push(elementIn(xml, child))
  return { name: own, attributes, children, text: '' }
}

function source(given: string) {
  return openSource(given, { file: 'x' })
}

function textOf({ name: own, attributes, children, text: content }: XmlElement, margin: string): string {
  const written = [...attributes].map(([key, value]) => writeAttribute(key, value)).join('')
  const start = { margin, name: own, attributes: written }
  if (children.length === 0) return writeLeaf(content, start)
  return writeBranch(
    children.map((child) => textOf(child, marginWithin(margin))),
    start,
  )
}

function withoutPlaces({ name: own, attributes, children, text: content }: XmlElement): XmlElement {
  return { name: own, attributes, children: children.map(withoutPlaces), text: content }
}
