import { DavitError } from '@davit/diagnostics'
import { describe, expect, test } from 'vitest'
import {
  encodeDocument,
  Infrastructure,
  parseDocument,
  type Properties,
  type PropertyValue,
  type Target,
  type TargetName,
} from '../src/documents.ts'
import { Float } from '@davit/languages'

const ALPHA = 'alpha' as TargetName

describe('reading', () => {
  test.each([
    ['<property name="p" type="string">a&#10;b&amp;&lt;&#x1F600;</property>', 'a\nb&<😀'],
    ['<property name="p" type="string"><![CDATA[<&amp;>]]> and <!-- no -->more</property>', '<&amp;> and more'],
    ['<property name="p" type="string"/>', ''],
    ['<property name="p" type="string"></property>', ''],
    ['<property name="p" type="string">  \n </property>', '  \n '],
    ['<property name="p" type="string">a\r\nb\rc</property>', 'a\nb\nc'],
    ['<property name="p" type="string">1.10</property>', '1.10'],
    ['<property name="p" type="string">?><?php x?></property>', '?>'],
    ["<property type='int' name='p'> 7 </property>", 7],
    ['<property name="p" type="int">-0</property>', 0],
    ['<property name="p" type="float">7</property>', new Float(7)],
    ['<property name="p" type="float">1e3</property>', new Float(1000)],
    ['<property name="p" type="float">0.25</property>', 0.25],
    ['<property name="p" type="bool">true</property>', true],
    ['<property name="p" type="list"><anything type="int">1</anything><x type="list"/></property>', [1, []]],
    ['<property name="p" type="list"><elem>dropped</elem></property>', []],
    ['<property name="p" type="attrs"><property name="q" type="string">r</property></property>', new Map([['q', 'r']])],
    ['<property name="p">no type</property>', undefined],
    ['<unknown name="p" type="string">x</unknown>', undefined],
    ['<property name="p" type="string" xml:lang="en" a="&quot;>">x</property>', 'x'],
  ])('%s', (property, value) => {
    expect(targetWith(property).properties.get('p')).toEqual(value)
  })

  test('unknown elements, comments and instructions are ignored, wherever they stand', () => {
    const text = infrastructureWith('<!-- c --><later:extension><deep/></later:extension><?target x?>')
      .replace('<target ', '<note>n</note><!-- c --><target ')
      .replace('<system>', '<meta a="b">m</meta><system>')
      .replace('<infrastructure', '<?xml-stylesheet href="x"?>\n<!-- c -->\n<infrastructure')
    expect(parseDocument(Infrastructure, text, { file: 'i.xml' }).get(ALPHA)?.system).toBe('x86_64-linux')
  })

  test.each(['', '<numOfCores>0</numOfCores>', '<numOfCores>1</numOfCores>'])('numOfCores is one for %j', (element) => {
    const text = infrastructureWith('').replace('<numOfCores>1</numOfCores>', element)
    expect(parseDocument(Infrastructure, text, { file: 'i.xml' }).get(ALPHA)?.numOfCores).toBe(1)
  })

  test('elements nest 200 levels deep and no deeper than 220', () => {
    const nested = (depth: number) => {
      const open = '<property name="p" type="attrs">'
      return open.repeat(depth) + '</property>'.repeat(depth)
    }
    expect(depthOf(targetWith(nested(200)).properties)).toBe(200)
    expect(() => targetWith(nested(300))).toThrow(DavitError)
    expect(() => targetWith(nested(100_000))).toThrow(DavitError)
  })

  test('many references and long text are read', () => {
    const text = '&lt;'.repeat(200_000)
    expect(targetWith(`<property name="p" type="string">${text}</property>`).properties.get('p')).toHaveLength(200_000)
  })

  test('a text beyond the bound is refused before it is looked at', () => {
    expect(() => parseDocument(Infrastructure, ' '.repeat(2 ** 28 + 1), { file: 'i.xml' })).toThrow(/too large/)
  })

  test.each(['<toString/>', '<hasOwnProperty a="b"/>', '<x toString="y"/>'])('%s is ignored', (element) => {
    expect(targetWith(element).properties).toEqual(new Map([['hostname', 'a']]))
  })

  test.each(['<constructor/>', '<__proto__/>', '<x __proto__="y"/>'])('%s is refused', (element) => {
    expect(() => targetWith(element)).toThrow(DavitError)
  })
})

describe('writing', () => {
  test.each(['\u0000', '\u0007', '\u001b[31m', '\ufffe', '\ud800'])('%j is refused where it stands', (value) => {
    const properties: Properties = new Map<string, PropertyValue>([
      ['hostname', 'a'],
      ['motd', ['x', value]],
    ])
    const write = () => encodeDocument(Infrastructure, new Map([[ALPHA, { ...targetWith(''), properties }]]), 'xml')
    expect(write).toThrow(/^alpha\.properties\.motd\[1\] contains character U\+/)
  })

  test('names in attributes are escaped', () => {
    const properties: Properties = new Map<string, PropertyValue>([
      ['hostname', 'a'],
      [' "a"\n<b>\t&\r', 1],
    ])
    const written = encodeDocument(Infrastructure, new Map([[ALPHA, { ...targetWith(''), properties }]]), 'xml')
    expect(written).toContain('name=" &quot;a&quot;&#xA;&lt;b&gt;&#x9;&amp;&#xD;"')
    expect(parseDocument(Infrastructure, written, { file: 'i.xml' }).get(ALPHA)?.properties).toEqual(properties)
  })
})

function infrastructureWith(property: string): string {
  return `<?xml version="1.0"?>
<infrastructure version="2">
  <target name="alpha">
    <properties type="attrs"><property name="hostname" type="string">a</property>${property}</properties>
    <containers/>
    <system>x86_64-linux</system><numOfCores>1</numOfCores>
    <clientInterface>ssh</clientInterface><targetProperty>hostname</targetProperty>
  </target>
</infrastructure>`
}

function targetWith(property: string): Target {
  return parseDocument(Infrastructure, infrastructureWith(property), { file: 'i.xml' }).get(ALPHA)!
}

function depthOf(properties: Properties): number {
  const inner = properties.get('p')
  return inner instanceof Map ? 1 + depthOf(inner as Properties) : 0
}
