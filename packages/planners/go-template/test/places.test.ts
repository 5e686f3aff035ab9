import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { expandTemplate, parseTemplate } from '../src/go-template.ts'
import { expanded, type Files } from './testing.ts'

/** Each character of the expansion, with the file and text from where it was written. */
function origins(text: string, files: Files = {}): readonly string[] {
  const { text: result, place } = bound(expanded(text, { files }))
  let offset = 0
  return Array.from(result, (character) => {
    const { file, offset: at } = place(offset)
    offset += character.length
    return `${character}=${file.name === 'Mu.yaml' ? '' : `${file.name}:`}${at}`
  })
}

function bound<Type extends { place(offset: number): unknown; text: string }>(expansion: Type) {
  return { text: expansion.text, place: (offset: number) => expansion.place(offset) as ReturnType<Type['place']> }
}

test.each([
  ['text', 'ab', ['a=0', 'b=1']],
  ['what an action prints', 'a{{.text}}b', ['a=0', 'h=1', 'i=1', 'b=10']],
  ['text around trimmed blanks', 'a {{- 1 -}} b', ['a=0', '1=2', 'b=12']],
  ['text in a range', '{{range .list}}x{{end}}y', ['x=15', 'x=15', 'x=15', 'y=23']],
  ['text of a definition', '{{define "T"}}t{{.}}{{end}}{{template "T" 1}}', ['t=14', '1=15']],
  ['an included file', 'a{{include "f"}}b', ['a=0', 'x=f:0', 'y=f:1', 'h=f:2', 'i=f:2', 'b=16']],
  [
    'an included file that is indented',
    '{{include "lines" | indent 1}}',
    [' =lines:0', 'a=lines:0', '\n=lines:1', ' =lines:2', 'b=lines:2'],
  ],
  ['an included file that is trimmed', '{{include "blanks" | trim}}', ['a=blanks:2', 'b=blanks:3']],
  [
    'a file that includes another one',
    '{{include "outer" | indent 1}}',
    [' =lines:0', 'a=lines:0', '\n=lines:1', ' =lines:2', 'b=lines:2', '.=outer:19'],
  ],
  ['an included file in another function', 'a{{include "f" | upper}}', ['a=0', 'X=1', 'Y=1', 'H=1', 'I=1']],
  ['an included file in a variable', '{{$x := include "f"}}{{$x}}', ['x=f:0', 'y=f:1', 'h=f:2', 'i=f:2']],
  ['an included file that is a default', '{{include "f" | default "d"}}', ['x=f:0', 'y=f:1', 'h=f:2', 'i=f:2']],
  ['an included file that is chosen', '{{or "" (include "f")}}', ['x=f:0', 'y=f:1', 'h=f:2', 'i=f:2']],
  ['an included file that is the last value', '{{include "f" | and 1}}', ['x=f:0', 'y=f:1', 'h=f:2', 'i=f:2']],
  ['an included file for a missing key', '{{orElse .map "?" (include "f")}}', ['x=f:0', 'y=f:1', 'h=f:2', 'i=f:2']],
  ['an included file that is dot', '{{with include "f"}}{{.}}{{end}}', ['x=f:0', 'y=f:1', 'h=f:2', 'i=f:2']],
  [
    'an included file that a definition prints',
    '{{define "T"}}{{.}}{{end}}{{template "T" (include "f")}}',
    ['x=f:0', 'y=f:1', 'h=f:2', 'i=f:2'],
  ],
  [
    'an included file of which an action is trimmed',
    '{{include "shown" | trim}}',
    ['a=shown:0', 'a=shown:8', 'b=shown:9'],
  ],
  [
    'lines that an action of an included file prints',
    '{{include "action" | indent 1}}',
    [' =action:0', 'o=action:0', 'n=action:0', 'e=action:0', '\n=action:0', ' =action:0'].concat([
      't=action:0',
      'w=action:0',
      'o=action:0',
      '\n=action:0',
      ' =action:0',
      'x=action:10',
    ]),
  ],
  ['text behind an empty action', 'a{{.empty}}b{{set "x" 1}}c', ['a=0', 'b=11', 'c=25']],
  ['text of two units', '😀{{.n}}b', ['😀=0', '3=2', 'b=8']],
])('place() knows where %s was written', (_, text, expected) => {
  const files = {
    f: 'xy{{.text}}',
    lines: 'a\nb',
    blanks: '\n ab \n',
    outer: '{{include "lines"}}.',
    shown: '{{" a"}}ab{{"\\t"}}',
    action: '{{.lines}}x',
  }
  expect(origins(text, files)).toStrictEqual(expected)
})

test('place() of the end is the end, also of nothing', () => {
  const at = (text: string, files: Files = {}) => {
    const expansion = expanded(text, { files })
    return expansion.place(expansion.text.length).offset
  }
  expect([
    at('ab'),
    at(''),
    at('ab{{.text}}'),
    at('{{if .no}}x{{end}}'),
    at('a{{include "empty" | trim}}', { empty: ' ' }),
  ]).toStrictEqual([2, 0, 2, 0, 1])
})

test('include sees the whole context and the variables, and is told which file asks', () => {
  const files: Files = { a: '{{.text}}{{get "x"}}{{set "y" 2}}' }
  expect(expanded('{{set "x" 1}}{{with .deep}}{{include "a"}}{{end}}{{get "y"}}', { files }).text).toBe('hi12')
  const asked: string[] = []
  const include = (from: { readonly name: string }, path: string) => {
    asked.push(`${from.name} ${path}`)
    return parseTemplate({ name: `in ${path}`, text: path === 'b' ? '{{include "c"}}' : '' })
  }
  expandTemplate(parseTemplate({ name: 'top', text: '{{include "b"}}' }), null, { include })
  expect(asked).toStrictEqual(['top b', 'in b c'])
})

test('a map of variables that the caller passes is what templates read and write', () => {
  const variables = new Map()
  const context = new Map([['Vars', variables]])
  const template = parseTemplate({ name: 'x', text: '{{set "a" 1}}{{.Vars.a}}{{len .Vars}}' })
  const include = () => template
  expect(expandTemplate(template, context, { include, variables }).text).toBe('11')
  expect(variables).toStrictEqual(new Map([['a', 1]]))
})

const withoutActions = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((text) => !text.includes('{{'))

test('text without actions is itself, and each place its own', () => {
  fc.assert(
    fc.property(withoutActions, fc.nat(60), (text, offset) => {
      const expansion = expanded(text)
      expect(expansion.text).toBe(text)
      const at = Math.min(offset, text.length)
      expect(expansion.place(at)).toStrictEqual({ file: { name: 'Mu.yaml', text }, offset: at })
    }),
  )
})

test('a text in quotes prints itself, whatever it holds', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
      (text) => {
        const context = new Map([['x', text]])
        expect(expanded('{{.x}}', { context }).text).toBe(text)
        const written = expanded('{{"{{"}}{{quote .x}}{{"}}"}}', { context }).text
        expect(expanded(written).text).toBe(text)
        expect(expanded('{{b64enc .x | b64dec}}{{b32enc .x | b32dec}}', { context }).text).toBe(text + text)
        expect(JSON.parse(expanded('{{json .x}}', { context }).text)).toBe(text)
      },
    ),
  )
})

const piece = fc.oneof(
  fc.constantFrom('a', 'b\n', '  c ', 'é✓😀'),
  fc.constantFrom(
    '{{.text}}',
    '{{- .n}}',
    '{{.n -}}',
    '{{range .list}}<{{.}}{{end}}',
    '{{include "f"}}',
    '{{include "f" | indent 2}}',
    '{{/* c */}}',
  ),
)

test('text between actions has its own place, in whatever file', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const expansion = expanded(pieces.join(''), { files: { f: 'line\n{{.text}} x\n' } })
      for (let offset = 0; offset < expansion.text.length; offset += 1) {
        const { file, offset: at } = expansion.place(offset)
        expect(
          file.text[at] === '{' || file.text[at] === expansion.text[offset] || expansion.text[offset] === ' ',
        ).toBe(true)
      }
    }),
  )
})
