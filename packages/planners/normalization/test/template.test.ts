import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTemplate, type TemplatePart } from '../src/template.ts'

test.each<[string, readonly TemplatePart[]]>([
  [
    'a ${b.c[0]."d }"} $${e}',
    [text('a '), reference('${b.c[0]."d }"}', ['b', 'c', '0', 'd }']), text(' '), text('${'), text('e}')],
  ],
  ['${a b}', [{ kind: 'malformed', source: '${a b}' }]],
  ['x ${a', [text('x '), { kind: 'malformed', source: '${' }]],
  ['${"}', [{ kind: 'malformed', source: '${' }]],
  ['$ {a} $$', [text('$ {a} $$')]],
])('parseTemplate(%j)', (template, parts) => {
  expect(parseTemplate(template).filter((part) => part.kind !== 'text' || part.text !== '')).toEqual(parts)
})

function text(content: string): TemplatePart {
  return { kind: 'text', text: content }
}

function reference(source: string, steps: readonly string[]): TemplatePart {
  return { kind: 'reference', source, steps }
}

test('any text is a template, and no text before an unclosed reference is lost', patience, () => {
  let inputs = 0
  fc.assert(
    fc.property(fc.oneof(mutationsOf(['a ${b.c[0]."d }"} $${e} ${f}']), awkwardText), (template) => {
      inputs += 1
      const said = parseTemplate(template).map((part) => sourceOf(part))
      const whole = said.join('')
      const isOpen = said.at(-1) === '${'
      expect(isOpen ? template.startsWith(whole) : whole === template).toBe(true)
    }),
    runs(500),
  )
  tellFigure(`templates: ${inputs} inputs, each read as a whole`)
})

function sourceOf(part: TemplatePart): string {
  if (part.kind !== 'text') return part.source
  return part.text === '${' ? '$${' : part.text
}

// Each would take minutes if the cost were not linear.
test.each([
  ['openings', '${'.repeat(500_000)],
  ['openings with quotes', '${"'.repeat(500_000)],
  ['references', '${a}'.repeat(250_000)],
  ['steps', `\${${'a.'.repeat(500_000)}a}`],
  ['indexes', `\${a${'[0]'.repeat(300_000)}}`],
  ['blanks', `\${${' '.repeat(1_000_000)}`],
])('a template of a million %s is read in a moment', patience, (_, template) => {
  expect(parseTemplate(template).length).toBeGreaterThan(0)
})
