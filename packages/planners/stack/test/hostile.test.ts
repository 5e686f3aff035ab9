import { expect, test } from 'vitest'
import { compiledDocument, type StackFiles } from '../src/stack.ts'
import { compileTexts, errorsOf, type Texts } from './testing.ts'

function findingsOf({ findings }: { readonly findings: readonly { readonly message: string }[] }) {
  return findings.map(({ message }) => message)
}

function documentOf(texts: Texts, words: readonly string[] = []) {
  const outcome = compileTexts(texts, { words })
  expect(errorsOf(outcome)).toEqual([])
  if (outcome.kind === 'refused') throw new Error('refused')
  return compiledDocument(outcome.stack)
}

test.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])('%s is a name like any other', (name) => {
  const { services, properties } = documentOf(
    {
      'Mu.yaml': `name: a
properties: { ${name}: { type: string } }
services: { private: { ${name}: { type: ${name}/${name}, ${name}: { ${name}: ${name} }, s: x } } }`,
      [`${name}/${name}/Mu.yaml`]: `name: ${name}/${name}
properties: { ${name}: { type: "map[string]string" }, s: { type: ${name} } }
schema: { private: { ${name}: { base: string, enum: [x] } } }
stacks: { private: { ${name}: { type: mu/container, env: { ${name}: 1 } } } }
services: { private: { ${name}: { type: ${name}, links: { ${name}: b } }, b: { type: mu/container, port: 1 } } }`,
    },
    [`${name}=v`],
  )
  expect([...properties]).toEqual([[name, 'v']])
  expect(services.get(`a/${name}`)?.properties).toEqual(
    new Map<string, unknown>([
      [name, new Map([[name, name]])],
      ['s', 'x'],
    ]),
  )
  const leaf = services.get(`a/${name}/${name}`)
  expect(leaf?.properties.get('env')).toEqual(new Map([[name, 1]]))
  expect(leaf?.properties.get('links')).toEqual(new Map([[name, { service: `a/${name}/b`, port: 1 }]]))
})

function chain(length: number): Texts {
  const stacks = Array.from({ length: length - 1 }, (_, level): [string, string] => {
    const path = level === 0 ? 'Mu.yaml' : `s${level}/Mu.yaml`
    const type = level === length - 2 ? 'mu/container' : `s${level + 1}`
    return [path, `name: s${level}\nservices: { private: { x: { type: ${type} } } }`]
  })
  return Object.fromEntries(stacks)
}

test('instances nest 64 levels deep, and no deeper', () => {
  expect(documentOf(chain(64)).order).toEqual([`s0${'/x'.repeat(63)}`])
  const [[code, ...names] = []] = errorsOf(compileTexts(chain(65)))
  expect([code, names.length]).toEqual(['MU601', 65])
})

test('aliases that expand to billions of values are refused', () => {
  const levels = 'abcdefghi'.split('')
  const lines = levels.map(
    (name, index) =>
      `${name}: &${name} [${
        index === 0
          ? 'x'
          : Array(9)
              .fill(`*${levels[index - 1]}`)
              .join()
      }]`,
  )
  expect(errorsOf(compileTexts({ 'Mu.yaml': lines.join('\n') }))).toEqual([['MU151']])
})

test.each([
  ['lists', 'MU155', `string${'[]'.repeat(50_000)}`],
  ['maps', 'MU154', `${'map[string]'.repeat(50_000)}string`],
  ['lists, one more than there may be', 'MU155', `string${'[]'.repeat(101)}`],
])('a type of too many %s is one problem', (_, code, type) => {
  const text = `name: a\nproperties: { p: { type: "${type}" } }\nservices: { public: { w: { type: mu/container } } }\n`
  expect(errorsOf(compileTexts({ 'Mu.yaml': text }))).toEqual([[code, type]])
})

test('a type of a hundred lists is one like any other', () => {
  const type = `string${'[]'.repeat(100)}`
  const text = `name: a\nproperties: { p: { type: "${type}", default: [] } }\nservices: { public: { w: { type: mu/container } } }\n`
  expect(errorsOf(compileTexts({ 'Mu.yaml': text }))).toEqual([])
})

test.each<[string, Texts]>([
  ['endless range', { 'Mu.yaml': 'name: a\n{{range until 100000000}}x{{end}}' }],
  ['an endless text', { 'Mu.yaml': 'name: a\n{{repeat 1073741824 "x"}}' }],
  ['a file that includes itself', { 'Mu.yaml': '{{include "Mu.yaml"}}' }],
  ['two files that include each other', { 'Mu.yaml': '{{include "a"}}', a: '{{include "b"}}', b: '{{include "a"}}' }],
  ['a template that calls itself', { 'Mu.yaml': '{{define "t"}}{{template "t"}}{{end}}{{template "t"}}' }],
])('a template bomb: %s', (_, texts) => {
  expect(errorsOf(compileTexts(texts))).toEqual([['MU153']])
})

test.each<[string, Texts, string]>([
  ['a file outside of the workspace', { 'Mu.yaml': '{{include "../x"}}' }, "'../x' is outside of"],
  ['an absolute path', { 'Mu.yaml': '{{include "/etc/passwd"}}' }, "'/etc/passwd' is outside of"],
  ['a missing file', { 'Mu.yaml': '{{include "x"}}' }, "there is no file 'x'"],
  [
    'a file outside of the place of a fetched stack',
    {
      'Mu.yaml': 'name: a\nservices: { private: { b: } }',
      '.Mudeps/b/Mu.yaml': '{{include "../../secret"}}',
      secret: 'x',
    },
    "'../../secret' is outside of",
  ],
])('an include of %s is refused', (_, texts, message) => {
  expect(compileTexts(texts).findings).toMatchObject([{ code: 'MU153', message: expect.stringContaining(message) }])
})

test('an include that leads out through a link is refused', () => {
  const texts = { '/w/Mu.yaml': '{{include "x"}}', '/w/x': 'name: a' }
  const files = {
    read: (path: string) => {
      const text = new Map(Object.entries(texts)).get(path)
      return text === undefined ? ({ kind: 'absent' } as const) : ({ kind: 'text', text } as const)
    },
    realPath: (path: string) => (path === '/w/x' ? '/etc/x' : path),
    linkWithin: () => undefined,
    shown: (path: string) => path,
  }
  const { findings } = compileTexts({}, { options: { files } })
  expect(findings).toMatchObject([{ code: 'MU153', message: expect.stringContaining('outside') }])
})

test.each([
  ['.Mudeps', '/w/.Mudeps/b', '/w/.Mudeps'],
  ['.mu', '/w/.mu/stacks/b', '/w/.mu'],
])('a fetched stack behind a link in %s is not read, and the command that mends it is there', (_, place, root) => {
  const texts = new Map([
    ['/w/Mu.yaml', 'name: a\nbase: b'],
    [`${place}/Mu.yaml`, 'name: b\nabstract: true'],
  ])
  const asked: string[] = []
  const files: StackFiles = {
    read(path) {
      const text = texts.get(path)
      return text === undefined ? { kind: 'absent' } : { kind: 'text', text }
    },
    realPath: (path) => path,
    linkWithin(from, path) {
      asked.push(from)
      return path.startsWith(place) ? '/w/li nk' : undefined
    },
    shown: (path) => path,
  }
  const { findings } = compileTexts({}, { options: { files } })
  expect(asked).toStrictEqual([root])
  expect(findings).toMatchObject([
    {
      code: 'MU150',
      hint: "'/w/li nk' is a link, and links among fetched stacks are not followed: remove it with rm '/w/li nk'",
    },
  ])
})

/** Compiles a stack that includes a file; what is not there has no real path. */
function including(path: string, links: Readonly<Record<string, string>>, workspace = '/w') {
  const texts = new Map([
    ['/w/Mu.yaml', `{{include "${path}"}}`],
    ['/w/x', 'name: a\nabstract: true'],
  ])
  const files = {
    read(file: string) {
      const text = texts.get(file)
      if (file === '/w/shut') return { kind: 'unreadable', reason: 'permission denied' } as const
      return text === undefined ? ({ kind: 'absent' } as const) : ({ kind: 'text', text } as const)
    },
    realPath: (file: string) => links[file] ?? (texts.has(file) || file === '/w/shut' ? file : undefined),
    linkWithin: () => undefined,
    shown: (file: string) => file,
  }
  const { findings } = compileTexts({}, { options: { files, roots: { workspace, library: '/lib' } } })
  return findings.map(({ message }) => message)
}

test('an include is within the boundary, wherever that really is', () => {
  expect(including('x', { '/w': '/real', '/w/x': '/real/x' })).toEqual([])
  expect(including('x', { '/w': '/real', '/w/x': '/elsewhere/x' })).toEqual(["include: 'x' is outside of '/w'"])
  expect(including('x', {}, '/')).toEqual([])
  expect(including('x', {})).toEqual([])
})

test('an include of a file that is missing or cannot be read is told, but not what is outside', () => {
  expect(including('y', {})).toEqual(["include: there is no file 'y'"])
  expect(including('../y', {})).toEqual(["include: '../y' is outside of '/w'"])
  expect(including('shut', {})).toEqual(["include: cannot read 'shut': permission denied"])
})

test('includes are relative to the file that includes, and errors in them have their place there', () => {
  const texts = {
    'Mu.yaml': 'name: a\nservices:\n  private:\n{{include "parts/c.inc" | indent 4}}\n',
    'parts/c.inc': '{{include "d.inc"}}',
    'parts/d.inc': 'c: { type: mu/container,\n  prot: 1 }',
  }
  expect(compileTexts(texts).findings).toMatchObject([{ code: 'MU507', place: { file: 'parts/d.inc', line: 2 } }])
  const broken = { ...texts, 'parts/d.inc': 'c:\n  {{nope}}' }
  expect(compileTexts(broken).findings).toMatchObject([{ code: 'MU153', place: { file: 'parts/d.inc', line: 2 } }])
})

test('a template that fails for one instance of two names its service', () => {
  const { findings } = compileTexts({
    'Mu.yaml': 'name: a\nservices:\n  private:\n    x: { type: b, n: 1 }\n    y: { type: b }',
    'b/Mu.yaml':
      'name: b\nproperties: { n: { type: number } }\nservices: { private: { c: { type: mu/container, port: {{.args.n}} } } }',
  })
  expect(findings).toMatchObject([
    {
      code: 'MU153',
      place: { file: 'b/Mu.yaml', line: 3 },
      hint: expect.stringContaining("this is the stack of service 'y', Mu.yaml:5"),
    },
  ])
})

test('values of any content arrive as they are', () => {
  const value = `\${HOME} "quoted" 'single' {{braces}}\n\ttab ${'x'.repeat(100_000)}`
  const { services } = documentOf(
    {
      'Mu.yaml':
        'name: a\nproperties: { v: { type: string } }\nservices: { private: { c: { type: mu/container, env: { V: {{json .args.v}} } } } }',
    },
    [`v=${value}`],
  )
  expect(services.get('a/c')?.properties.get('env')).toEqual(new Map([['V', value]]))
})

test('stacks that contain each other twice make no more than 100,000 services', () => {
  const levels = Array.from({ length: 40 }, (_, level): [string, string] => {
    const type = level === 39 ? 'mu/container' : `s${level + 1}`
    const path = level === 0 ? 'Mu.yaml' : `s${level}/Mu.yaml`
    return [path, `name: s${level}\nservices: { private: { x: { type: ${type} }, y: { type: ${type} } } }`]
  })
  const messages = findingsOf(compileTexts(Object.fromEntries(levels)))
  expect(messages).toEqual([expect.stringContaining('there are more than 100000 services')])
})

test('templates of all instances share their steps', () => {
  const slow = '# {{$x := repeat 16000000 "x"}}{{range until 150}}{{if empty $x}}{{end}}{{end}}'
  const services = Array.from({ length: 20 }, (_, index) => `s${index}: { type: slow, n: "${index}" }`)
  const messages = findingsOf(
    compileTexts({
      'Mu.yaml': `name: a\nservices: { private: { ${services.join(', ')} } }`,
      'slow/Mu.yaml': `${slow}\nname: slow\nproperties: { n: { type: string } }\nservices: { private: { x: { type: mu/container } } }`,
    }),
  )
  expect(messages).toContainEqual(expect.stringContaining('all templates together take more than 100 million steps'))
})

function findingsFor(pattern: string, value: string) {
  const schema = `schema: { private: { t: { base: string, pattern: ${JSON.stringify(pattern)} } } }`
  const texts = `name: a\nproperties: { p: { type: t, default: ${JSON.stringify(value)} } }\n${schema}\nservices: { private: { x: { type: mu/container } } }`
  return findingsOf(compileTexts({ 'Mu.yaml': texts }))
}

test('patterns and the texts that they are compared with are bounded', () => {
  const alternatives = Array.from({ length: 40 }, (_, index) => `[ab]*a[ab]{${800 + index}}c`)
  expect(findingsFor(alternatives.join('|'), 'ab'.repeat(4_000))).toEqual([
    expect.stringContaining('no regular expression'),
  ])
  expect(findingsFor('a'.repeat(1_001), 'a')).toEqual([expect.stringContaining('no regular expression')])
  expect(findingsFor('a*', 'a'.repeat(10_000))).toEqual([])
  expect(findingsFor('a*', 'a'.repeat(10_001))).toHaveLength(1)
})
