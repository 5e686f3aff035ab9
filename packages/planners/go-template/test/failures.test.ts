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
  ['{{map.b}}', "Mu.yaml:2: there is no function 'map' (did you mean '.map'?)"],
  [
    '{{range until 2}}{{.text}}{{end}}',
    "Mu.yaml:19: a number has no field 'text' (did you mean '$.text'? '.' is another value here)",
  ],
  [
    '{{with .map}}{{.text}}{{end}}',
    "Mu.yaml:15: there is no field 'text' (did you mean '$.text'? '.' is another value here)",
  ],
  [
    '{{with .text}}{{.map.x}}{{end}}',
    "Mu.yaml:16: a text has no field 'map' (did you mean '$.map'? '.' is another value here)",
  ],
  [
    '{{.map.text}}',
    "Mu.yaml:6: there is no field 'text' ('has', 'orElse' and 'orEmpty' ask for keys that may be missing)",
  ],
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
  ['{{include "fine"}}{{index .list 9}}', 'Mu.yaml:20: index: there is no element 9: it has 3, counted from 0'],
  [
    '{{include "far"}}',
    "bad:2: there is no field 'oops' ('has', 'orElse' and 'orEmpty' ask for keys that may be missing)",
  ],
  ['{{print 1 (print (len 3))}}', 'Mu.yaml:18: len: a number has no length'],
  ['{{if .no}}{{else if lt "a" .list}}{{end}}', 'Mu.yaml:20: lt: a list has no order'],
  ['{{with len 3}}{{end}}', 'Mu.yaml:7: len: a number has no length'],
  ['{{range $x := (len 3)}}{{end}}', 'Mu.yaml:15: len: a number has no length'],
  ['{{define "T"}}{{len .}}{{end}}ab{{template "T" 3}}', 'Mu.yaml:16: len: a number has no length'],
  ['{{template "T" (len 3)}}{{define "T"}}{{end}}', 'Mu.yaml:16: len: a number has no length'],
  ['{{.list | len | len}}', 'Mu.yaml:16: len: a number has no length'],
  ['{{range .list}}{{len 3}}{{end}}', 'Mu.yaml:17: len: a number has no length'],
  ['{{$x := 1}}{{$x.y}}', "Mu.yaml:15: a number has no field 'y'"],
  [
    '{{.deep.a.c.d}}',
    "Mu.yaml:9: there is no field 'c' ('has', 'orElse' and 'orEmpty' ask for keys that may be missing)",
  ],
  ['{{(include "fine").x}}', "Mu.yaml:18: a text has no field 'x'"],
  ['{{block "B" 1}}{{.x}}{{end}}', "Mu.yaml:17: a number has no field 'x'"],
  ['😀{{len 3}}', 'Mu.yaml:4: len: a number has no length'],
])('%s fails where it is written', (template, expected) => {
  const files = { bad: '{{.oops}}', broken: 'abc{{', fine: 'x{{.text}}', far: '{{include "bad"}}' }
  expect(failure(template, { files })).toBe(expected)
})

test.each([
  ['{{1 | 2}}', "Mu.yaml:6: what comes after '|' must be a function (the value before it is its last argument)"],
  ['{{if}}x{{end}}', "Mu.yaml:4: expected a value in 'if'"],
  ['{{range $a, $b, $c := .list}}{{end}}', 'Mu.yaml:14: more variables than there are values'],
  ['{{$x, $y := 1}}', 'Mu.yaml:4: more variables than there are values'],
  ['{{range $a, $b .list}}{{end}}', "Mu.yaml:12: '$b' is unexpected here: expected a variable and ':='"],
  ['{{range $a, 1 := .list}}{{end}}', "Mu.yaml:12: '1' is unexpected here: expected a variable and ':='"],
  ['{{(1).x}}', "Mu.yaml:5: a number has no field 'x'"],
  ['{{"a".x}}', 'Mu.yaml:5: this value has no fields'],
  ['{{end}}', 'Mu.yaml:2: {{end}} without a block that it belongs to'],
  ['{{else}}', 'Mu.yaml:2: {{else}} without a block that it belongs to'],
  [
    '{{if 1}}{{define "x"}}{{end}}{{end}}',
    'Mu.yaml:10: {{define}} within a block (definitions stand outside of all blocks)',
  ],
  ['{{if 1}}a{{else}}b{{else}}c{{end}}', 'Mu.yaml:20: {{else}} is unexpected here: expected {{end}}'],
  ['{{define "a"}}x{{else}}{{end}}', 'Mu.yaml:17: {{else}} is unexpected here: expected {{end}}'],
  ['{{if 1}}{{end x}}', "Mu.yaml:14: 'x' is unexpected here: expected '}}'"],
  ['{{if 1}}{{else x}}{{end}}', "Mu.yaml:15: 'x' is unexpected here: expected '}}'"],
  ['{{define "a"}}1{{end}}{{define "a"}}2{{end}}', "Mu.yaml:22: template 'a' is defined twice"],
  ['{{with 1}}{{else if 2}}{{end}}', "Mu.yaml:17: 'if' is unexpected here: expected '}}'"],
  ['{{(1}}', "Mu.yaml:4: expected ')' before the end of the action"],
  ['{{1)}}', "Mu.yaml:3: this ')' closes nothing"],
  ['{{define "a" 1}}{{end}}', "Mu.yaml:13: '1' is unexpected here: expected '}}'"],
  ['{{a{{', "Mu.yaml:3: '{' cannot be part of a name"],
  ['x{{/* a', "Mu.yaml:3: the comment has no end: expected '*/}}'"],
  ['{{"a', 'Mu.yaml:2: the text has no end: expected " on the same line'],
  ['{{`a', 'Mu.yaml:2: the text has no end: expected `'],
  ["{{'a", "Mu.yaml:2: the text has no end: expected ' on the same line"],
  ['{{1é}}', "Mu.yaml:2: '1é' is not a number"],
  ['{{€}}', "Mu.yaml:2: the character '€' means nothing in an action"],
  ['{{"\\400"}}', 'Mu.yaml:2: \'"\\400"\' has an escape that Go does not know'],
  ['{{"\\ud800"}}', 'Mu.yaml:2: \'"\\ud800"\' has an escape that Go does not know'],
  ["{{'ab'}}", "Mu.yaml:2: ''ab'' is not one character"],
  ['{{if 1}}{{$x := 1}}{{end}}{{$x}}', "Mu.yaml:28: no variable '$x' is declared here (did you mean '$'?)"],
  ['{{define "a"}}{{$x}}{{end}}', "Mu.yaml:16: no variable '$x' is declared here (did you mean '$'?)"],
  ['{{$x := 1}}{{define "a"}}{{$x}}{{end}}', "Mu.yaml:27: no variable '$x' is declared here (did you mean '$'?)"],
  ['{{lt .list .list}}', 'Mu.yaml:2: lt: a list has no order'],
  ['{{lt true false}}', 'Mu.yaml:2: lt: a truth value has no order'],
  ['{{eq .list .list}}', 'Mu.yaml:2: eq: a list cannot be compared'],
  [
    '{{lt 1 "a"}}',
    "Mu.yaml:2: lt: a number and a text cannot be compared ('int' reads a text as a number, 'print' makes text of any value)",
  ],
  ['{{index .list 9}}', 'Mu.yaml:2: index: there is no element 9: it has 3, counted from 0'],
  ['{{index .map 1}}', "Mu.yaml:2: index: expected a text, not a number ('print' makes text of any value)"],
  ['{{len 3}}', 'Mu.yaml:2: len: a number has no length'],
  ['{{and}}', 'Mu.yaml:2: and: expected at least 1 argument, not 0'],
  ['{{not 1 2}}', 'Mu.yaml:2: not: expected 1 argument, not 2'],
  ['{{substr 1 "x"}}', 'Mu.yaml:2: substr: expected 3 arguments, not 2'],
  ['{{dict 1 2}}', "Mu.yaml:2: dict: expected a text, not a number ('print' makes text of any value)"],
  ['{{include 1}}', "Mu.yaml:2: include: expected a text, not a number ('print' makes text of any value)"],
  ['{{until 1.5}}', 'Mu.yaml:2: until: expected a whole number, not 1.5'],
  ['{{template "a"}}', "Mu.yaml:0: no template 'a' is defined in this file"],
  ['{{.text.x}}', "Mu.yaml:7: a text has no field 'x'"],
  ['{{.null.x}}', "Mu.yaml:7: nil has no field 'x'"],
  ['{{range 3}}{{end}}', 'Mu.yaml:8: range goes over lists and maps, not over a number'],
  ['{{split 1 2}}', "Mu.yaml:2: split: expected a text, not a number ('print' makes text of any value)"],
  ['{{08}}', "Mu.yaml:2: '08' is not a number"],
  ['{{0b1}}', "Mu.yaml:2: '0b1' is not a number"],
  ['{{wrap -1 "a"}}', 'Mu.yaml:2: wrap: expected a width from 0 to 1000000, not -1'],
  ['{{indent -1 "a"}}', 'Mu.yaml:2: indent: expected a width from 0 to 1000000, not -1'],
  ['{{1_0}}', "Mu.yaml:2: '1_0' is not a number"],
  ['{{trim 3}}', "Mu.yaml:2: trim: expected a text, not a number ('print' makes text of any value)"],
  ['{{.list | indent 2}}', "Mu.yaml:10: indent: expected a text, not a list ('print' makes text of any value)"],
  ['{{trim}}', 'Mu.yaml:2: trim: expected 1 argument, not 0'],
  ['{{trim "a" "b"}}', 'Mu.yaml:2: trim: expected 1 argument, not 2'],
  ['{{indent 2}}', 'Mu.yaml:2: indent: expected 2 arguments, not 1'],
  ['{{indent 1 "a" "b"}}', 'Mu.yaml:2: indent: expected 2 arguments, not 3'],
  ['{{default 1}}', 'Mu.yaml:2: default: expected 2 arguments, not 1'],
  ['{{default 1 2 3}}', 'Mu.yaml:2: default: expected 2 arguments, not 3'],
  ['{{orElse .map "a"}}', 'Mu.yaml:2: orElse: expected 3 arguments, not 2'],
  ['{{include}}', 'Mu.yaml:2: include: expected 1 argument, not 0'],
  ['{{include "a" "b"}}', 'Mu.yaml:2: include: expected 1 argument, not 2'],
  ['{{require true}}', 'Mu.yaml:2: require: expected at least 2 arguments, not 1'],
  ['{{panic}}', 'Mu.yaml:2: panic: expected at least 1 argument, not 0'],
  ['{{panic 1}}', "Mu.yaml:2: panic: expected a text, not a number ('print' makes text of any value)"],
  ['{{set 1 2}}', "Mu.yaml:2: set: expected a text, not a number ('print' makes text of any value)"],
  ['{{set "a"}}', 'Mu.yaml:2: set: expected 2 arguments, not 1'],
  ['{{eq 1}}', 'Mu.yaml:2: eq: expected at least 2 arguments, not 1'],
  ['{{max}}', 'Mu.yaml:2: max: expected at least 1 argument, not 0'],
  ['{{min}}', 'Mu.yaml:2: min: expected at least 1 argument, not 0'],
  ['{{mul}}', 'Mu.yaml:2: mul: expected at least 1 argument, not 0'],
  ['{{sub 1}}', 'Mu.yaml:2: sub: expected 2 arguments, not 1'],
  ['{{index}}', 'Mu.yaml:2: index: expected at least 1 argument, not 0'],
  ['{{printf 1}}', "Mu.yaml:2: printf: expected a text, not a number ('print' makes text of any value)"],
  ['{{eq .map 1}}', 'Mu.yaml:2: eq: a map cannot be compared'],
  [
    '{{eq 1 2 "a"}}',
    "Mu.yaml:2: eq: a number and a text cannot be compared ('int' reads a text as a number, 'print' makes text of any value)",
  ],
  ['{{ne .list 1}}', 'Mu.yaml:2: ne: a list cannot be compared'],
  ['{{index .n 0}}', 'Mu.yaml:2: index: a number has no elements'],
  ['{{index .null 0}}', 'Mu.yaml:2: index: nil has no elements'],
  ['{{index .list "0"}}', "Mu.yaml:2: index: expected a whole number, not a text ('int' reads a text as a number)"],
  ['{{index .list -1}}', 'Mu.yaml:2: index: there is no element -1: it has 3, counted from 0'],
  ['{{index .text 2}}', 'Mu.yaml:2: index: there is no element 2: it has 2, counted from 0'],
  ['{{join .list "-"}}', "Mu.yaml:2: join: expected a text, not a list ('print' makes text of any value)"],
  ['{{join "-" .map}}', 'Mu.yaml:2: join: expected a list, not a map'],
  ['{{orEmpty .list "a"}}', 'Mu.yaml:2: orEmpty: expected a map, not a list'],
  ['{{orElse .map 1 2}}', "Mu.yaml:2: orElse: expected a text, not a number ('print' makes text of any value)"],
  [
    '{{untilStep 0 1 "1"}}',
    "Mu.yaml:2: untilStep: expected a whole number, not a text ('int' reads a text as a number)",
  ],
  ['{{trunc -1 "a"}}', 'Mu.yaml:2: trunc: expected a number that is not negative, not -1'],
  ['{{trunc "1" "a"}}', "Mu.yaml:2: trunc: expected a whole number, not a text ('int' reads a text as a number)"],
  ['{{until true}}', 'Mu.yaml:2: until: expected a whole number, not a truth value'],
  ['{{add 1e308 1e308}}', 'Mu.yaml:2: add: the number is too large'],
  ['{{sub -1e308 1e308}}', 'Mu.yaml:2: sub: the number is too large'],
  ['{{int "1e999"}}', 'Mu.yaml:2: int: the number is too large'],
  ['{{float64 "-1e999"}}', 'Mu.yaml:2: float64: the number is too large'],
  ['{{div 1 "x"}}', 'Mu.yaml:2: div: division by zero'],
  ['{{mod 1 0.5}}', 'Mu.yaml:2: mod: division by zero'],
  ['{{b64dec "YQ"}}', 'Mu.yaml:2: b64dec: the text is not base64'],
  ['{{b64dec "YQ==YQ=="}}', 'Mu.yaml:2: b64dec: the text is not base64'],
  ['{{$x := 1}}{{$x = 2}}', "Mu.yaml:16: '=' is unexpected here: expected a blank, '|' or '}}'"],
  ['{{break}}', "Mu.yaml:2: there is no function 'break'"],
  ['{{.text\n}}', "Mu.yaml:7: the action has no end: expected '}}' on the same line"],
  ['{{slice .list 1}}', "Mu.yaml:2: there is no function 'slice'"],
  ['{{nil}}', 'Mu.yaml:2: nil alone prints nothing'],
  ['{{print (nil)}}', 'Mu.yaml:9: nil alone prints nothing'],
])('%s fails, and says why', (template, expected) => {
  expect(failure(template)).toBe(expected)
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
