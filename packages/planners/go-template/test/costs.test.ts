import { expect, test } from 'vitest'
import { fullBudget } from '../src/budget.ts'
import { walk } from '../src/evaluate-list.ts'
import { FUNCTIONS } from '../src/functions/functions.ts'
import { parseTemplate, type TemplateValue } from '../src/go-template.ts'
import { PieceList } from '../src/placed-text.ts'
import { expanded, failure } from './testing.ts'

/** What an expansion costs, in steps and in text that is made. */
function costOf(text: string, context: TemplateValue): { readonly steps: number; readonly made: number } {
  const template = parseTemplate({ name: 'Mu.yaml', text })
  const output = new PieceList()
  const run = {
    context,
    variables: new Map<string, TemplateValue>(),
    budget: fullBudget(),
    include: () => parseTemplate({ name: 'included', text: '{{.}}' }),
    expand: () => output.placed(template.file),
    includes: 0,
    depth: 0,
    current: { file: template.file, offset: 0, function: undefined },
  }
  walk({ run, template, output, variables: [{ name: '$', value: context }], dot: context }, template.root)
  const full = fullBudget()
  return { steps: full.steps - run.budget.steps, made: full.made - run.budget.made }
}

/** A call of each function with a text `.x`, or a list or map `.l` or `.m` of such texts. It reads all of them. */
const READING: Readonly<Record<string, string>> = {
  atoi: 'atoi .d',
  b32dec: 'b32dec .b32',
  b32enc: 'b32enc .x',
  b64dec: 'b64dec .b64',
  b64enc: 'b64enc .x',
  cat: 'cat .l',
  contains: 'contains .y .x',
  dict: 'dict .x 1',
  eq: 'eq .x .x',
  float64: 'float64 .d',
  ge: 'ge .x .y',
  get: 'set .x 1 | print (get .x)',
  gt: 'gt .x .y',
  has: 'has .m .x',
  hasPrefix: 'hasPrefix .x .x',
  hasSuffix: 'hasSuffix .x .x',
  html: 'html .l',
  include: 'include .x',
  indent: 'indent 2 .x',
  index: 'index .x .last',
  initials: 'initials .x',
  int: 'int .d',
  int64: 'int64 .d',
  join: 'join "," .l',
  js: 'js .l',
  json: 'json .m',
  kindIs: 'kindIs .x 1',
  le: 'le .x .y',
  len: 'len .x',
  lower: 'lower .x',
  lt: 'lt .x .y',
  ne: 'ne .x .y',
  nospace: 'nospace .x',
  orElse: 'orElse .m .x 1',
  orEmpty: 'orEmpty .m .x',
  print: 'print .l',
  printf: 'printf "%q %[1]x" .l',
  println: 'println .m',
  quote: 'quote .l',
  repeat: 'repeat 2 .x',
  replace: 'replace .y "" .x',
  require: 'require true .x',
  set: 'set .x 1',
  sha256sum: 'sha256sum .x',
  split: 'split .y .x',
  squote: 'squote .l',
  substr: 'substr 1 -1 .x',
  swapcase: 'swapcase .x',
  title: 'title .x',
  trim: 'trim .blanks',
  trimAll: 'trimAll "x" .x',
  trimPrefix: 'trimPrefix .x .x',
  trimSuffix: 'trimSuffix .x .x',
  trimall: 'trimall "x" .x',
  trunc: 'trunc .last .x',
  tuple: 'tuple .x',
  typeIs: 'typeIs .x 1',
  untitle: 'untitle .x',
  upper: 'upper .x',
  urlquery: 'urlquery .l',
  wrap: 'wrap 5 .x',
  wrapWith: 'wrapWith 5 "-" .x',
  yaml: 'yaml .m',
}

/** Functions that read no text, or only numbers in it, or give an argument as it is. */
const READS_NONE =
  'add add1 and biggest default div empty kindOf max min mod mul not or plural sub typeOf until untilStep panic'

test('the costs of every function are stated here', () => {
  expect([...Object.keys(READING), ...READS_NONE.split(' ')].toSorted()).toEqual([...FUNCTIONS.keys()].toSorted())
})

const LENGTH = 256_000

const TEXTS = {
  x: 'x'.repeat(LENGTH),
  y: `${'x'.repeat(LENGTH / 2)}y`,
  d: '1'.repeat(300) + '.' + '0'.repeat(LENGTH),
  b32: 'A'.repeat(LENGTH).slice(0, LENGTH),
  b64: 'AAAA'.repeat(LENGTH / 4),
  blanks: ' '.repeat(LENGTH),
}
const CONTEXT: TemplateValue = new Map<string, TemplateValue>([
  ...Object.entries(TEXTS),
  ['last', LENGTH - 1],
  ['l', [TEXTS.x]],
  ['m', new Map([['a', TEXTS.x]])],
])

test.each(Object.entries(READING))('%s costs what its text is long', (_, call) => {
  // 256 units that are copied, or half a million that are made, take about as long as a step.
  expect(costOf(`{{if (${call.replace(' | ', ')}}{{end}}{{if (')})}}{{end}}`, CONTEXT).steps).toBeGreaterThanOrEqual(
    LENGTH / 256,
  )
})

test.each(['upper', 'title', 'b32enc', 'sha256sum', 'wrap 5', 'js', 'quote', 'json', 'yaml', 'printf "%q"'])(
  '%s looks at each character, and costs more for it',
  (name) => {
    expect(costOf(`{{if (${name} .x)}}{{end}}`, CONTEXT).steps).toBeGreaterThan(LENGTH / 80)
  },
)

test('keys that are long and alike cost their length in each comparison', () => {
  const keys = Array.from({ length: 8 }, (_, index) => [TEXTS.x + index, index] as const)
  const map = new Map<string, TemplateValue>([['m', new Map(keys)]])
  for (const template of ['{{range .m}}{{end}}', '{{if (print .m)}}{{end}}', '{{if (json .m)}}{{end}}']) {
    expect(costOf(template, map).steps).toBeGreaterThan((8 * LENGTH * 3) / 64)
  }
})

test('what is printed again and again costs its length each time', () => {
  const once = costOf('{{.x}}', CONTEXT).steps
  expect(once).toBeGreaterThan(LENGTH / 256)
  expect(costOf('{{.x}}{{.x}}{{.x}}', CONTEXT).steps).toBeGreaterThanOrEqual(2.9 * once)
})

test('each directive of printf costs steps, however often it reads the same argument', () => {
  const format = (directive: string) => `{{if (printf (repeat 1000 ${JSON.stringify(directive)}) .x 0.1)}}{{end}}`
  expect(costOf(format('%.0[1]s'), CONTEXT).steps).toBeGreaterThan(8_000)
  expect(costOf(format('%.0[2]e'), CONTEXT).steps).toBeGreaterThan(32_000)
})

test('a variable costs more the more others are declared behind it', () => {
  const declared = '{{$a := 1}}'.repeat(800)
  const cost = costOf(`${declared}{{if $}}{{end}}`, CONTEXT).steps - costOf(declared, CONTEXT).steps
  expect(cost).toBeGreaterThan(100)
})

test('what cannot be found is looked for once in each character', () => {
  // V8 itself would compare both halves of the first text at each place of the second.
  const call = (name: string, rest = '') =>
    `{{${name} (print (repeat 500000 "a") "b" (repeat 500000 "a")) ${rest} (repeat 8000000 "a")}}`
  expect(expanded(call('contains')).text).toBe('false')
  expect(expanded(`{{len ${call('replace', '"x"').slice(2, -2).replace(/^/, '(')})}}`).text).toBe('8000000')
  expect(expanded(`{{len (${call('split').slice(2, -2)})}}`).text).toBe('1')
})

test('searching finds what V8 finds', () => {
  for (const part of ['ab', 'abababab', 'abababababab', 'aaaaaaaaaa', 'abcabcabcabd', 'x']) {
    for (const text of ['abcabcabcabcabd', 'ab'.repeat(20), 'a'.repeat(31), `${'abcabcabcabd'.repeat(2)}ab`]) {
      const context = new Map([
        ['p', part],
        ['t', text],
      ])
      expect(expanded('{{contains .p .t}}', { context }).text).toBe(String(text.includes(part)))
      expect(expanded('{{replace .p "-" .t}}', { context }).text).toBe(text.replaceAll(part, '-'))
      expect(expanded('{{len (split .p .t)}}', { context }).text).toBe(String(text.split(part).length))
    }
  }
})

test('text that is kept of included files counts as made', () => {
  const files = { f: '{{.x}}' }
  const kept = '{{range $i, $_ := until 1000}}{{set (print $i) (include "f")}}{{end}}'
  const context = new Map([['x', 'x'.repeat(1_000_000)]])
  expect(failure(kept, { context, files })).toContain('more than 128 MiB of text')
  const trimmed = '{{$x := include "f"}}{{range $i, $_ := until 1000}}{{set (print $i) (indent 0 $x)}}{{end}}'
  expect(failure(trimmed, { context, files })).toContain('more than 128 MiB of text')
})

test('a million characters in quotes are no character, and no crash', () => {
  expect(failure(`{{'${'\\x41'.repeat(300_000)}'}}`)).toContain('is not one character')
})

test('definitions of one name and variables are found at once, however many there are', () => {
  const empty = '{{define "a"}}{{end}}'.repeat(20_000)
  expect(expanded(`{{define "a"}}${'{{/**/}} '.repeat(200_000)}x{{end}}${empty}{{template "a"}}`).text).toMatch(/ x$/)
  const declared = Array.from({ length: 100_000 }, (_, index) => `{{$v${index} := 1}}`).join('')
  expect(expanded(declared + '{{if $v0}}{{end}}'.repeat(20)).text).toBe('')
})

test('text of wide characters is indexed without reading all of it', () => {
  const call = '{{$big := repeat 8000000 "é"}}{{range until 400000}}{{$y := index $big 0}}{{end}}'
  expect(failure(call)).toContain('index: the template takes more than 10 million steps')
  expect(expanded('{{index "aé😀" 1}} {{index "aé😀" 2}} {{index "aé😀" 6}} {{index "aé😀" 3}}').text).toBe(
    '195 169 128 240',
  )
  expect(failure('{{index "aé😀" 7}}')).toContain('there is no element 7: it has 7')
})
