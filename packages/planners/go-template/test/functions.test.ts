import { expect, test } from 'vitest'
import { expanded, valueOf } from './testing.ts'

test.each([
  [
    'has',
    '{{has .map "a"}} {{has .map "x"}} {{has .map "__proto__"}} {{has .nothing "toString"}} {{has .null "a"}}',
    'true false true false false',
  ],
  [
    'orElse',
    '{{orElse .map "a" 7}} {{orElse .map "x" 7}} {{orElse .nothing "constructor" "none"}} {{orElse .null "a" 1}}',
    '1 7 none 1',
  ],
  ['orElse with a key that is there', '{{orElse .flags "off" "x"}} {{json (orElse .flags "nil" "x")}}', 'false null'],
  ['orEmpty', '[{{orEmpty .map "a"}}] [{{orEmpty .map "x"}}]', '[1] []'],
  ['require', '{{require true "never"}}{{require (eq 1 1) "never %d" 1}}ok', 'ok'],
  [
    'set and get',
    '{{set "x" 3}}{{set "__proto__" "p"}}[{{get "x"}}{{get "__proto__"}}]{{set "x" "new"}}{{get "x"}}',
    '[3p]new',
  ],
  ['set in a range', '{{range .list}}{{set "last" .}}{{end}}{{get "last"}}', 'c'],
  [
    'json',
    '{{json .mixed}} {{json .nothing}} {{json "a\\"<&>\\n"}} {{json 1.50}} {{json nil}} {{json .map}}',
    '[1,"a",true,2.5,["x"],{"k":"v"}] {} "a\\"<&>\\n" 1.5 null {"__proto__":"p","a":1,"b":2,"constructor":"c"}',
  ],
  ['yaml of a map', '{{yaml .deep}}', 'a:\n  b:\n    c: d'],
  ['yaml of a list', '{{yaml .mixed | indent 2}}', '  - 1\n  - a\n  - true\n  - 2.5\n  - - x\n  - k: v'],
  [
    'yaml of others',
    '{{yaml 1}} {{yaml "yes"}} {{yaml "1"}} {{yaml true}} {{yaml nil}} {{yaml .none}} {{yaml .nothing}} {{yaml "plain"}}',
    '1 "yes" "1" true null [] {} plain',
  ],
  ['yaml of lines', '{{yaml "a\\nb\\n"}}', '|\n  a\n  b'],
  ['upper and lower', '{{upper "aé ß1"}} {{lower "AÉ İX"}} {{upper "ŉ"}}', 'AÉ ß1 aé İx ŉ'],
  [
    'title and untitle',
    '{{title "hello big_world a-b élan"}} {{untitle "Hello Big World"}}',
    'Hello Big_world A-B Élan hello big world',
  ],
  ['swapcase', '{{swapcase "Hello wORLD é1"}}', 'hELLO World É1'],
  ['trim', '[{{trim " \\t\\n a b \\u00a0\\n"}}] [{{trim ""}}] [{{trim "  "}}]', '[a b] [] []'],
  [
    'nospace and initials',
    '{{nospace " a b\\tc\\n"}} {{initials "First  second Try"}} [{{initials ""}}]',
    'abc FsT []',
  ],
  ['trimAll', '{{trimAll "$-" "-$5.00$-"}} {{trimall "✓" "✓a✓"}} {{trimAll "" " a "}}', '5.00 a  a '],
  [
    'trimPrefix and trimSuffix',
    '{{trimPrefix "a" "aab"}} {{trimSuffix "b" "abb"}} {{trimPrefix "x" "ab"}} {{trimSuffix "" "ab"}}',
    'ab ab ab ab',
  ],
  ['trunc', '{{trunc 2 "hello"}} {{trunc 9 "hello"}} {{trunc 2 "😀é✓"}} [{{trunc 0 "a"}}]', 'he hello 😀é []'],
  [
    'substr',
    '{{substr 1 3 "hello"}} {{substr -1 2 "hello"}} {{substr 2 -1 "hello"}} {{substr 1 2 "a😀b"}} [{{substr 3 2 "hello"}}] {{substr 3 99 "hello"}}',
    'el he llo 😀 [] lo',
  ],
  ['repeat', '{{repeat 3 "ab"}} [{{repeat 0 "ab"}}]', 'ababab []'],
  [
    'replace',
    '{{replace "a" "bb" "aca"}} {{replace "-" "$&" "a-b"}} {{replace "" "." "a😀"}} {{"a-b" | replace "-" "_"}} {{replace "x" "y" "a"}}',
    'bbcbb a$&b .a.😀. a_b a',
  ],
  [
    'contains, hasPrefix, hasSuffix',
    '{{contains "ell" "hello"}} {{contains "x" "hello"}} {{hasPrefix "he" "hello"}} {{hasPrefix "lo" "hello"}} {{hasSuffix "lo" "hello"}} {{hasSuffix "he" "hello"}}',
    'true false true false true false',
  ],
  [
    'wrap',
    '{{wrap 5 "a bb ccc dddd eeeee"}}|{{wrap 3 "longword a b"}}|{{wrap 0 "a b"}}|{{wrap 9 ""}}|{{wrap 3 "abc"}}',
    'a bb\nccc\ndddd\neeeee|longword\na b|a\nb||abc',
  ],
  [
    'wrap of words that are too long',
    '{{wrap 3 "abcdef"}} {{wrapWith 3 "/" "abcdefg"}} {{wrapWith 2 "" "a bcd"}}',
    'abcdef abc/def/g a\nbc\nd',
  ],
  ['indent', '{{indent 2 "a\\nb"}}|{{indent 1 ""}}|{{indent 2 "a\\n"}}|{{indent 0 "a"}}', '  a\n  b| |  a\n  |a'],
  [
    'plural',
    '{{plural "one" "many" 1}} {{plural "one" "many" 0}} {{len .list | plural "one" "many"}}',
    'one many many',
  ],
  [
    'quote and squote',
    '{{quote "a\\"b" 1 true nil}} {{squote "it\'s" 1}} {{quote}}|{{quote "é\\n\\x01"}}',
    '"a\\"b" "1" "true" \'it\'\'s\' \'1\' |"é\\n\\x01"',
  ],
  ['cat', '{{cat "a" 1 true}} {{cat}}|{{"c" | cat "a" "b"}}', 'a 1 true |a b c'],
  [
    'default and empty',
    '{{default "d" .empty}} {{default "d" .text}} {{default 1 0}} {{.null | default "n"}} {{empty .none}} {{empty .list}} {{empty 0}}',
    'd hi 1 n true false true',
  ],
  [
    'split',
    '{{$p := split ":" "a:b::c"}}{{$p._0}}{{$p._1}}[{{$p._2}}]{{$p._3}} {{len (split "" "a😀")}} {{(split "x" "a")._0}}',
    'ab[]c 2 a',
  ],
  [
    'join',
    '{{join "-" .list}} {{join "," .mixed}} [{{join "," .none}}] {{until 3 | join "+"}}',
    'a-b-c 1,a,true,2.5,[x],map[k:v] [] 0+1+2',
  ],
  [
    'tuple and dict',
    '{{tuple 1 "a" .n}} {{$d := dict "a" 1 "__proto__" 2 "a" 3}}{{$d.a}}{{$d.__proto__}}{{len $d}} {{len (tuple)}}{{len (dict)}}',
    '[1 a 3] 322 00',
  ],
  [
    'until and untilStep',
    '{{until 3}} {{until 0}} {{until -2}} {{untilStep 1 8 3}} {{untilStep 5 0 -2}} {{untilStep 0 5 0}} {{untilStep 0 5 -1}}',
    '[0 1 2] [] [0 -1] [1 4 7] [5 3 1] [] []',
  ],
  [
    'add, add1, sub, mul',
    '{{add}} {{add 1 2 3}} {{add "4" "x" 1.9 true nil}} {{add1 "9"}} {{sub 1 3}} {{mul 2 3 "4"}} {{mul -1 0}}',
    '0 6 6 10 -2 24 0',
  ],
  ['div and mod', '{{div 7 2}} {{div -7 2}} {{mod 7 3}} {{mod -7 3}} {{div 1 "2"}}', '3 -3 1 -1 0'],
  ['max, biggest, min', '{{max 1 3 2}} {{biggest "5" 4}} {{min 3 -1 2}} {{max 1.9}}', '3 5 -1 1'],
  [
    'int, int64, float64, atoi',
    '{{int 3.9}} {{int "-3.9"}} {{int64 "12"}} {{float64 "2.5"}} {{float64 "x"}} {{atoi "7"}} {{atoi ""}} {{int "1e3"}} {{int "0x10"}} {{int " 1"}} {{int .list}}',
    '3 -3 12 2.5 0 7 0 1000 0 0 0',
  ],
  [
    'kindOf and typeOf',
    '{{range .mixed}}{{kindOf .}} {{typeOf .}} {{end}}{{kindOf nil}}',
    'float64 float64 string string bool bool float64 float64 slice slice map map invalid',
  ],
  [
    'kindIs and typeIs',
    '{{kindIs "map" .map}} {{typeIs "string" 1}} {{typeIs "slice" .list}} {{kindIs "float64" .n}} {{kindIs "map" .n}}',
    'true false true true false',
  ],
  ['base64', '{{b64enc "héllo"}} {{b64dec "aMOpbGxv"}} {{b64enc ""}}{{b64dec "YQ==" }}', 'aMOpbGxv héllo a'],
  [
    'base32',
    '{{b32enc "foobar"}} {{b32enc "fooba"}} {{b32enc "f"}} {{b32dec "MZXW6YTBOI======"}} {{b32dec "MZXQ===="}} {{b32enc "é" | b32dec}}',
    'MZXW6YTBOI====== MZXW6YTB MY====== foobar fo é',
  ],
  ['sha256sum', '{{sha256sum "abc"}}', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['and, or, which stop early', '{{and 0 (panic "no")}} {{or 1 (panic "no")}} {{.n | or .null}}', '0 1 3'],
  [
    'numbers of one type',
    '{{.big}} {{.huge}} {{.tiny}} {{3.0}} {{1e20}} {{1e21}} {{-1.5e-9}} {{print .big}} {{eq 1 1.0}} {{index .list 1.0}}',
    '1500000 123456789012345680000 0.0000001 3 100000000000000000000 1e+21 -0.0000000015 1500000 true b',
  ],
  [
    'numbers in printf',
    '{{printf "%d %.1f %v %s %x" 3.0 3 2.5 3 255}} {{printf "%d" 2.5}} {{printf "%v" 1e6}}',
    '3 3.0 2.5 %!s(float64=3) ff %!d(float64=2.5) 1000000',
  ],
])('%s', (_, template, output) => {
  const context = valueOf({
    text: 'hi',
    empty: '',
    n: 3,
    null: null,
    none: [],
    nothing: {},
    list: ['a', 'b', 'c'],
    big: 1_500_000,
    huge: 123456789012345680000,
    tiny: 1e-7,
    mixed: [1, 'a', true, 2.5, ['x'], { k: 'v' }],
    deep: { a: { b: { c: 'd' } } },
    flags: { off: false, nil: null },
    map: JSON.parse('{"b":2,"a":1,"__proto__":"p","constructor":"c"}'),
  })
  expect(expanded(template, { context }).text).toBe(output)
})

test.each([
  ['{{b64dec "YW\\nI="}}|{{b64dec "YW\\r\\nI="}}', 'ab|ab'],
  ['{{cat " a " "b "}}|{{cat "" "" ""}}|{{cat nil "a"}}|', ' a  b |  |a|'],
  ['{{html .null 1}}|{{js 1 .null}}|{{urlquery nil "a"}}', '&lt;no value&gt;1|1\\x3Cno value\\x3E|%3Cno+value%3Ea'],
  [
    '{{range $t := split "," ",f,fo,foo,foob,fooba,foobar,~~~~~~~~~~~"}}{{b32enc $t}}|{{b32enc $t | b32dec}}|{{b64enc $t}}|{{end}}',
    '|||MY======|f|Zg==|MZXQ====|fo|Zm8=|MZXW6===|foo|Zm9v|MZXW6YQ=|foob|Zm9vYg==|MZXW6YTB|fooba|Zm9vYmE=|MZXW6YTBOI======|foobar|Zm9vYmFy|PZ7H47T6PZ7H47T6PY======|~~~~~~~~~~~|fn5+fn5+fn5+fn4=|',
  ],
  ['{{split "ab" "xabyab"}}', 'map[_0:x _1:y _2:]'],
  ['{{until -1}}{{untilStep 3 3 1}}{{untilStep 0 0 -1}}{{until 1}}', '[0][][][0]'],
  ['{{replace "aa" "b" "aaaa"}}|{{replace "a" "" "aba"}}|{{replace "" "-" ""}}', 'bb|b|-'],
  [
    '{{substr 0 0 "hello"}}|{{substr 0 5 "hello"}}|{{substr 5 9 "hello"}}|{{substr 2 2 "hello"}}|{{substr 0 -1 "😀"}}',
    '|hello|||😀',
  ],
  ['{{trim "\\u2003a\\u2003"}}|{{trim "\\ta\\r"}}', 'a|a'],
  ['{{initials " a bc\\td"}}|{{initials "😀x y"}}', 'abd|😀y'],
  ['{{title "éa_b a1b"}}|{{untitle "ÉA B"}}', 'Éa_b A1b|éA b'],
  ['{{swapcase "ßÉ"}}', 'ßé'],
  ['{{mod -0 3}}|{{div -1 2}}|{{mul 0 -1}}|{{int -0.5}}|{{float64 "-0"}}|{{sub 0 0}}', '0|0|0|0|0|0'],
  ['{{indent 1 "a\\n\\nb"}}|{{indent 2 "\\n"}}', ' a\n \n b|  \n  '],
  ['{{dict "a" 1 "b" nil}}|{{len (dict "a" nil)}}', 'map[a:1 b:<nil>]|1'],
  ['{{and 1 "a"}}|{{or "" 0}}|{{and "" 1}}', 'a|0|'],
  ['{{plural "a" "b" 1}}{{plural "a" "b" -1}}{{plural "a" "b" 2}}', 'abb'],
  ['{{trimSuffix "b" "ab"}}{{trimSuffix "c" "ab"}}{{trimAll "ab" "abcba"}}', 'aabc'],
  [
    '{{yaml "a: b"}}|{{yaml "\\n"}}|{{yaml "a\\n\\nb"}}|{{yaml .deep}}',
    '"a: b"|"\\n"||-\n  a\n\n  b|a:\n  b:\n    c: d',
  ],
  ['{{017}}{{0x1f}}{{1e2}}{{.5}}{{-.5}}{{+1}}', '15311000.5-0.51'],
  ['{{trunc 5 "hello"}}|{{trunc 4 "hello"}}', 'hello|hell'],
])('at the borders of their arguments: %s', (template, output) => {
  expect(expanded(template).text).toBe(output)
})
