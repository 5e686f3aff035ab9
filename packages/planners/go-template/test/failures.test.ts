import { expect, test } from 'vitest'
import { expandTemplate, parseTemplate } from '../src/go-template.ts'
import { expanded, failure } from './testing.ts'

test.each([
  ['{{.texx}}', "Mu.yaml:2: there is no field 'texx' (did you mean 'text'?)"],
  ['{{.xyz}}', "Mu.yaml:2: there is no field 'xyz' ('has', 'orElse' and 'orEmpty' ask for keys that may be missing)"],
  ['a\n{{.map.b | uper}}', "Mu.yaml:13: there is no function 'uper' (did you mean 'upper'?)"],
  [
    '"{{orElse .map \\"b\\" 1}}"',
    `Mu.yaml:15: '\\' is unexpected here: expected a blank, '|' or '}}' (actions are read before anything around them, so their quotes need no '\\')`,
  ],
  ['{{env "HOME"}}', "Mu.yaml:2: there is no function 'env'"],
  ['{{list 1 2}}', "Mu.yaml:2: there is no function 'list' (did you mean 'tuple'?)"],
  ['{{now}}', "Mu.yaml:2: there is no function 'now' (did you mean 'not'?)"],
  ['{{$item := 1}}{{$itme}}', "Mu.yaml:16: no variable '$itme' is declared here (did you mean '$item'?)"],
  ['{{1i}}', "Mu.yaml:2: '1i' is not a number"],
  ['{{1e999}}', "Mu.yaml:2: '1e999' is not a number"],
  ['{{panic "no %s for %d" "zone" 3}}', 'Mu.yaml:2: no zone for 3'],
  ['{{require (eq .n 4) "n is %v" .n}}', 'Mu.yaml:2: n is 3'],
  [
    '{{require .n "x"}}',
    "Mu.yaml:2: require: expected a truth value, not a number ('eq', 'not', 'has' and the like give one)",
  ],
  ['{{if .no}}{{else}}{{panic "%v" .list}}{{end}}', 'Mu.yaml:20: [a b c]'],
  ['{{get "x"}}', "Mu.yaml:2: get: no variable 'x' has been set"],
  ['{{set "zone" 1}}{{get "zonne"}}', "Mu.yaml:18: get: no variable 'zonne' has been set (did you mean 'zone'?)"],
  ['{{.n | upper}}', "Mu.yaml:7: upper: expected a text, not a number ('print' makes text of any value)"],
  ['{{until "3"}}', "Mu.yaml:2: until: expected a whole number, not a text ('int' reads a text as a number)"],
  ['{{join "," "x"}}', 'Mu.yaml:2: join: expected a list, not a text'],
  ['{{has .text "x"}}', 'Mu.yaml:2: has: expected a map, not a text'],
  ['{{dict "a"}}', 'Mu.yaml:2: dict: expected a value for each key: an even number of arguments'],
  ['{{div 1 0}}', 'Mu.yaml:2: div: division by zero'],
  ['{{mod 1 "x"}}', 'Mu.yaml:2: mod: division by zero'],
  ['{{mul 1e300 1e300}}', 'Mu.yaml:2: mul: the number is too large'],
  ['{{repeat -1 "x"}}', 'Mu.yaml:2: repeat: expected a number that is not negative, not -1'],
  ['{{indent 2000000 "x"}}', 'Mu.yaml:2: indent: expected a width from 0 to 1000000, not 2000000'],
  ['{{b64dec "a"}}', 'Mu.yaml:2: b64dec: the text is not base64'],
  ['{{b64dec "/w=="}}', 'Mu.yaml:2: b64dec: what is encoded is not text in UTF-8'],
  [
    '{{b32dec "a"}}',
    'Mu.yaml:2: b32dec: the text is not base32 (capitals and the digits 2 to 7, and = up to a multiple of 8)',
  ],
  ['{{"\\xff"}}', `Mu.yaml:2: '"\\xff"' has an escape that Go does not know`],
  ['{{has .map}}', 'Mu.yaml:2: has: expected 2 arguments, not 1'],
  ['{{define "x"}}{{end}}{{template "y"}}', "Mu.yaml:21: no template 'y' is defined in this file"],
  ['a\n  {{if .yes}}\nb\n', 'Mu.yaml:4: this block has no {{end}}'],
  ['{{include "no"}}', "Mu.yaml:2: include: there is no file 'no' (look for it)"],
  [
    '{{include "bad"}}',
    "bad:2: there is no field 'oops' ('has', 'orElse' and 'orEmpty' ask for keys that may be missing)",
  ],
  ['{{include "broken" | indent 2}}', "broken:5: the action has no end: expected '}}' on the same line"],
])('%s fails where it is written', (template, expected) => {
  const files = { bad: '{{.oops}}', broken: 'abc{{' }
  expect(failure(template, { files })).toBe(expected)
})

test.each([
  ['a long text', '{{repeat 1000000000 "x"}}', 'repeat: the text would be longer than 16 MiB'],
  ['a long list', '{{until 1000000000}}', 'until: more than 500000 elements'],
  ['steps without end', `{{range until 400000}}${'{{if 1}}{{end}}'.repeat(14)}{{end}}`, '10 million steps'],
  [
    'much output',
    '{{$x := repeat 1000000 "x"}}{{range until 17}}{{$x}}{{end}}',
    'the template prints more than 16 MiB',
  ],
  ['output of several bytes for each character', '{{repeat 6000000 "✓"}}', 'the template prints more than 16 MiB'],
  [
    'texts that variables keep',
    '{{range until 1000}}{{set (print .) (repeat 10000000 "x")}}{{end}}',
    'repeat: the template makes more than 128 MiB of text on its way',
  ],
  [
    'replacements',
    '{{replace "" (repeat 1000000 "x") (repeat 1000 "y")}}',
    'replace: the text would be longer than 16 MiB',
  ],
  [
    'joined texts',
    '{{$x := repeat 16000000 "x"}}{{join "" (tuple $x $x)}}',
    'join: the text would be longer than 16 MiB',
  ],
  ['indented lines', '{{repeat 1000 "\\n" | indent 1000000}}', 'indent: the text would be longer than 16 MiB'],
  [
    'formatted widths',
    '{{printf "%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d%999999d" 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1}}',
    'printf: the text would be longer than 16 MiB',
  ],
  ['quoted texts', '{{$x := repeat 9000000 "x"}}{{quote $x $x}}', 'quote: the text would be longer than 16 MiB'],
  ['split texts', '{{split "" (repeat 1000000 "x")}}', 'split: more than 500000 elements'],
  [
    'lists that contain themselves twice',
    '{{set "x" "a"}}{{range until 60}}{{set "x" (tuple (get "x") (get "x"))}}{{end}}{{get "x"}}',
    'more than 10 million steps',
  ],
  [
    'the same as YAML',
    '{{set "x" "a"}}{{range until 60}}{{set "x" (tuple (get "x") (get "x"))}}{{end}}{{yaml (get "x")}}',
    'yaml: the text would be longer than 16 MiB',
  ],
  [
    'lists in lists',
    '{{set "x" "a"}}{{range until 100000}}{{set "x" (tuple (get "x"))}}{{end}}{{json (get "x")}}',
    'json: more than 500 lists and maps within each other',
  ],
  [
    'a template that calls itself',
    '{{define "T"}}{{template "T" .}}{{end}}{{template "T" .}}',
    'more than 1000 blocks and templates within each other',
  ],
  [
    'searches in long text',
    '{{$x := repeat 16000000 "x"}}{{range until 100000}}{{if contains "y" $x}}{{end}}{{end}}',
    'contains: the template takes more than 10 million steps',
  ],
])('expandTemplate() fails at once for %s', (_, template, expected) => {
  expect(failure(template)).toContain(expected)
})

test('expandTemplate() refuses more than 32 files within each other, and allows 32', () => {
  const files = {
    self: '{{include "self"}}',
    ...Object.fromEntries(
      Array.from({ length: 32 }, (_, index) => [`f${index}`, index === 31 ? 'end' : `{{include "f${index + 1}"}}`]),
    ),
  }
  expect(failure('{{include "self"}}', { files })).toBe(
    'self:2: include: more than 32 files include each other (does a file include itself?)',
  )
  expect(expanded('{{include "f0"}}', { files }).text).toBe('end')
  expect(failure('{{include "f"}}', { files: { ...files, f: '{{include "f0"}}' } })).toContain('more than 32')
})

test.each([['parentheses', '('.repeat(199) + '1' + ')'.repeat(199), '('.repeat(201) + '1' + ')'.repeat(201)]])(
  'parseTemplate() bounds %s',
  (_, fine, excessive) => {
    expect(expanded(`{{${fine}}}`).text).toBe('1')
    expect(failure(`{{${excessive}}}`)).toContain('more than 200 blocks and parentheses within each other')
  },
)

test('parseTemplate() bounds blocks', () => {
  const blocks = (depth: number) => '{{if 1}}'.repeat(depth) + 'x' + '{{end}}'.repeat(depth)
  expect(expanded(blocks(200)).text).toBe('x')
  expect(failure(blocks(100_000))).toContain('more than 200 blocks')
})

test('expandTemplate() has room for its deepest template wherever it is called', () => {
  const open = '{{if ('.concat('('.repeat(90), 'include "f"', ')'.repeat(90), ')}}{{end}}')
  const text = '{{define "T"}}{{if 1}}{{template "T" .}}{{end}}{{end}}{{template "T"}}'
  const deep = (depth: number): string =>
    depth === 0 ? failure(text) + failure(open, { files: { f: open } }) : deep(depth - 1)
  expect(deep(1500)).toContain('more than 1000 blocks and templates within each other')
})

test('a program error is none of the template', () => {
  const include = () => {
    throw new RangeError('a bug')
  }
  expect(() => expandTemplate(parseTemplate({ name: 'a', text: '{{include "x"}}' }), null, { include })).toThrow(
    RangeError,
  )
})
