import { expect, test } from 'vitest'
import { expanded } from './testing.ts'

test.each([
  [
    '{{float64 ".5"}}|{{float64 "5."}}|{{int "+5"}}|{{int "-"}}|{{int "."}}|{{int "1e"}}|{{int "NaN"}}|{{int "Infinity"}}|{{int "1_0"}}|{{int true}}|{{int false}}|{{int nil}}|{{int .map}}|{{float64 true}}',
    '0.5|5|5|0|0|0|0|0|0|1|0|0|0|1',
  ],
  [
    '{{float64 "1e-7"}}|{{float64 1.25}}|{{int64 "9007199254740991"}}|{{int 1e20}}|{{int "-0"}}|{{atoi "-12.9"}}|{{int -0.9}}',
    '0.0000001|1.25|9007199254740991|100000000000000000000|0|-12|0',
  ],
  [
    '{{add 0.9 0.9}}|{{add -1.9 0}}|{{add1 -1}}|{{add1 1.9}}|{{sub "5" 2.9}}|{{mul 2.9 2}}|{{mul 5}}|{{div 9 2.9}}|{{div -9 2}}|{{mod 9 -4}}|{{mod -9 4}}',
    '0|-1|0|2|3|4|5|4|-4|1|-1',
  ],
  ['{{max -3 -1 -2}}|{{min -3 -1 -2}}|{{max "7" 6.9}}|{{min "x" 1}}|{{biggest 1 2 3}}|{{min 3}}', '-1|-3|7|0|3|3'],
  [
    '{{trimPrefix "abc" "ab"}}|{{trimSuffix "abc" "bc"}}|{{trimPrefix "" "ab"}}|{{trimPrefix "ab" "ab"}}|{{hasPrefix "" "a"}}|{{hasSuffix "" ""}}|{{contains "" "a"}}|{{contains "a" ""}}|{{hasPrefix "ab" "a"}}',
    'ab|bc|ab||true|true|true|false|false',
  ],
  [
    '{{substr -1 -1 "abc"}}|{{substr 1 1 "abc"}}|{{substr 1 -2 "abc"}}|{{substr 2 9 "abc"}}|{{substr 3 9 "abc"}}|{{substr 0 2 "😀é✓"}}|{{trunc 1 "😀é"}}|{{trunc 3 "abc"}}',
    '||bc|c||😀é|😀|abc',
  ],
  [
    '{{title "it\'s a x_y 1a"}}|{{title "ñ ñ"}}|{{untitle "A\\tB C"}}|{{initials "  ab  c"}}|{{nospace " a\\u2003b "}}|{{swapcase "aB c"}}',
    "It'S A X_y 1a|Ñ Ñ|a\tb c|ac|ab|Ab C",
  ],
  ['{{trim "\\n a b\\t\\u3000"}}|{{trimAll "xy" "xyaxyx"}}|{{trimAll "é😀" "😀éa😀"}}|{{trimAll "a" ""}}', 'a b|a|a|'],
  [
    '{{wrap 5 "aaaaa bb"}}|{{wrap 5 "aaaa  bb"}}|{{wrap 3 "ab cd ef"}}|{{wrap 2 " ab"}}|{{wrap 4 "ab\\ncd ef"}}|{{wrap 3 "😀😀 é✓"}}|{{wrap 1 "a b c"}}',
    'aaaaa\nbb|aaaa \nbb|ab\ncd\nef|ab|ab\ncd\nef|😀😀\né✓|a\nb\nc',
  ],
  [
    '{{wrapWith 3 "|" "ab cdefg h"}}|{{wrapWith 2 "<>" "abcd"}}|{{wrapWith 5 "|" "aaaaa bb"}}|{{wrapWith 0 "|" "ab"}}',
    'ab|cde|fg|h|ab<>cd|aaaaa|bb|a|b',
  ],
  [
    '{{quote "é\\t\\\\" 1.5 .list}}|{{squote "a\'b\'\'" .map}}|{{quote ""}}|{{squote}}|{{quote nil}}',
    "\"é\\t\\\\\" \"1.5\" \"[a b c]\"|'a''b''''' 'map[__proto__:p a:1 b:2 constructor:c]'|\"\"||",
  ],
  [
    '{{split "--" "a--b"}}|{{split "," ""}}|{{split "" ""}}|{{join "" .list}}|{{join ", " .numbers}}|{{join "-" (tuple nil true)}}',
    'map[_0:a _1:b]|map[_0:]|map[]|abc|3, 1, 2|<nil>-true',
  ],
  [
    '{{until 2}}|{{untilStep 2 7 2}}|{{untilStep 7 2 -2}}|{{untilStep 1 2 5}}|{{len (untilStep 0 9 3)}}|{{tuple}}|{{tuple nil .list}}',
    '[0 1]|[2 4 6]|[7 5 3]|[1]|3|[]|[<nil> [a b c]]',
  ],
  [
    '{{kindOf .null}}|{{typeOf .n}}|{{typeOf .half}}|{{kindIs "invalid" nil}}|{{typeIs "float64" 1}}|{{typeIs "bool" .yes}}|{{kindIs "string" .text}}|{{kindIs "slice" .none}}|{{kindIs "map" .nothing}}',
    'invalid|float64|float64|true|true|true|true|true|true',
  ],
  [
    '{{default "d" nil}}|{{default "d" false}}|{{default "d" .nothing}}|{{default "d" 0.0}}|{{default "d" "0"}}|{{empty nil}}{{empty ""}}{{empty .nothing}}{{empty "x"}}{{empty 1}}{{empty true}}',
    'd|d|d|d|0|truetruetruefalsefalsefalse',
  ],
  [
    '{{has .map "b"}}{{has .nothing "b"}}{{has .null "b"}}|{{orElse .map "b" "x"}}{{orElse .null "b" "x"}}|{{orEmpty .null "x"}}{{orEmpty .map "a"}}',
    'truefalsefalse|2x|1',
  ],
  [
    '{{yaml (tuple nil true 1.5 "" "a: b" "- c" "#" "1" "true" "null" "~" "x y" .list (dict "k" (tuple)))}}',
    '- null\n- true\n- 1.5\n- ""\n- "a: b"\n- "- c"\n- "#"\n- "1"\n- "true"\n- "null"\n- "~"\n- "x y"\n- - a\n  - b\n  - c\n- k: []',
  ],
  [
    '{{sha256sum ""}}|{{b64enc "✓"}}|{{b64dec "4pyT"}}|{{b32dec ""}}|{{b64dec ""}}',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855|4pyT|✓||',
  ],
  [
    '{{plural "one" "many" 1.0}}|{{plural 1 2 3}}|{{repeat 1 "ab"}}|{{repeat 2 ""}}|{{replace "" "" "ab"}}|{{replace "b" "" "ab"}}',
    'one|2|ab||ab|a',
  ],
  ['{{cat 1 2.5 .list nil "x"}}', '1 2.5 [a b c] x'],
])('whatever their arguments are: %s', (template, output) => {
  expect(expanded(template).text).toBe(output)
})
