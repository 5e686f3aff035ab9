import { expect, test } from 'vitest'
import { compiledDocument, compileStack, NO_WORKSPACE, type StackRoots } from '../src/stack.ts'
import { compileTexts, errorsOf, filesIn, server, type Texts } from './testing.ts'

/** Compiles a root that has one service of this reference; files are named by their absolute paths. */
function placeOf(reference: string, files: Texts, roots: Partial<StackRoots> = {}, namespace?: string) {
  const texts = { '/w/Mu.yaml': `name: a\nservices: { private: { x: { type: "${reference}" } } }`, ...files }
  const outcome = compileStack('/w/Mu.yaml', {
    files: filesIn(texts),
    roots: { workspace: '/w', library: '/lib', ...roots },
    workspace: { ...NO_WORKSPACE, namespace },
    cluster: undefined,
    target: { cloud: undefined, scheduler: undefined },
    arguments: new Map(),
    skipsCode: true,
  })
  if (outcome.kind === 'refused') return errorsOf(outcome)
  return [...compiledDocument(outcome.stack).references.values()].map(({ file, pinned }) => [file, pinned])
}

const LEAF = 'name: s\nintrinsic: true\n'
const PLACES = [
  '/w/hub.mu.com/n/s',
  '/w/n/s',
  '/w/.Mudeps/hub.mu.com/n/s',
  '/w/.mu/stacks/hub.mu.com/n/s',
  '/w/.Mudeps/n/s',
  '/w/.mu/stacks/n/s',
  '/h/.Mudeps/n/s',
  '/m/lib/n/s',
  '/m/bin/stacks/n/s',
  '/lib/n/s',
]

test.each(PLACES.map((place, index) => [place, PLACES.slice(index)] as const))(
  '%s wins over all later places',
  (place, later) => {
    const files = Object.fromEntries(later.map((directory) => [`${directory}/Mu.yaml`, LEAF]))
    const [[file] = []] = placeOf('n/s', files, { home: '/h', muRoot: '/m' })
    const shown = place.startsWith('/lib/')
      ? 'davit:n/s/Mu.yaml'
      : `${place.startsWith('/w/') ? place.slice(3) : `..${place}`}/Mu.yaml`
    expect(file).toBe(shown)
  },
)

function filesOf(...given: Parameters<typeof placeOf>): readonly unknown[] {
  return placeOf(...given).map(([file]) => file)
}

test('in each place the extensions are tried in order, before the next place', () => {
  expect(filesOf('s', { '/w/s/Mu.yml': LEAF, '/w/.Mudeps/s/Mu.json': '{}' })).toEqual(['s/Mu.yml'])
  expect(filesOf('s', { '/w/s/Mu.yml': LEAF, '/w/s/Mu.json': '{"name": "s", "intrinsic": true}' })).toEqual([
    's/Mu.json',
  ])
})

test('a name in the namespace of the workspace loses it in the workspace itself', () => {
  expect(filesOf('aws/s3/x', { '/w/x/Mu.yaml': LEAF }, {}, 'aws/s3')).toEqual(['x/Mu.yaml'])
  expect(placeOf('aws/s3/x', { '/w/x/Mu.yaml': LEAF }, {}, 'aws')).toEqual([
    ['MU503', 'https://hub.mu.com/aws/s3/x@latest'],
  ])
})

test('a hash is the version of a file, or the commit from which it was fetched', () => {
  const commit = 'abcdef0123456789abcdef0123456789abcdef01'
  const fetched = {
    '/w/.Mudeps/s/Mu.yaml': `${LEAF}version: 1.0.0\n`,
    '/w/.Mudeps/s/.origin.json': `{ "commit": "${commit}", "tag": null }`,
  }
  expect(placeOf('s@abcdef0', fetched)).toEqual([['.Mudeps/s/Mu.yaml', 'https://hub.mu.com/s@1.0.0']])
  expect(placeOf('s@abcdef1', fetched)).toEqual([['MU605', 's', 'abcdef1', '1.0.0']])
  const local = { '/w/s/Mu.yaml': `${LEAF}version: 1.0.0\n`, '/w/s/.origin.json': `{ "commit": "${commit}" }` }
  expect(placeOf('s@abcdef0', local)).toEqual([['MU605', 's', 'abcdef0', '1.0.0']])
})

test('a reference is pinned by the commit if the file states no version', () => {
  const commit = 'abcdef0123456789abcdef0123456789abcdef01'
  const fetched = { '/w/.Mudeps/s/Mu.yaml': LEAF, '/w/.Mudeps/s/.origin.json': `{ "commit": "${commit}" }` }
  expect(placeOf('s@^1.0.0', fetched)).toEqual([['.Mudeps/s/Mu.yaml', `https://hub.mu.com/s@${commit}`]])
})

test('what is no commit in the record of a fetched stack counts as none', () => {
  const fetched = { '/w/.Mudeps/s/Mu.yaml': LEAF, '/w/.Mudeps/s/.origin.json': '{ "commit": "main" }' }
  expect(placeOf('s@^1.0.0', fetched)).toEqual([['.Mudeps/s/Mu.yaml', 'https://hub.mu.com/s@^1.0.0']])
  const empty = { ...fetched, '/w/.Mudeps/s/.origin.json': '{}' }
  expect(placeOf('s@^1.0.0', empty)).toEqual([['.Mudeps/s/Mu.yaml', 'https://hub.mu.com/s@^1.0.0']])
})

test('a byte order mark is no part of a stack, nor of what it includes', () => {
  const outcome = compileTexts({
    'Mu.yaml': '\uFEFFname: a\n{{include "x"}}',
    x: '\uFEFFservices: { private: { c: { type: c } } }',
    'c/Mu.yaml': '\uFEFFname: d\nintrinsic: {{true}}',
  })
  expect(outcome.findings).toMatchObject([{ code: 'MU105', subjects: ['d', 'c'] }])
})

test('a version that is a template counts as none, and one that is no version fits latest only', () => {
  expect(filesOf('s@^1.0.0', { '/w/s/Mu.yaml': `${LEAF}version: '{{"1.0.0"}}'\n` })).toEqual(['s/Mu.yaml'])
  expect(placeOf('s@^1.0.0', { '/w/s/Mu.yaml': `${LEAF}version: one\n` })).toEqual([['MU605', 's', '^1.0.0', 'one']])
})

test('whoever is found by name alone serves every base and protocol', () => {
  expect(placeOf('git://github.com/n/s@1.0.0', { '/lib/n/s/Mu.yaml': LEAF })).toEqual([
    ['davit:n/s/Mu.yaml', 'git://github.com/n/s@1.0.0'],
  ])
})

test('the first hit that fits wins; if none does, the version of the first is told', () => {
  const files = {
    '/w/s/Mu.json': '{ "name": "s", "intrinsic": true, "version": "1.0.0" }',
    '/w/s/Mu.yaml': `${LEAF}version: 2.0.0\n`,
    '/w/.Mudeps/s/Mu.yaml': `${LEAF}version: 2.1.0\n`,
  }
  expect(filesOf('s@^1.0.0', files)).toEqual(['s/Mu.json'])
  expect(filesOf('s@^2.0.0', files)).toEqual(['s/Mu.yaml'])
  expect(filesOf('s@>2.0.0', files)).toEqual(['.Mudeps/s/Mu.yaml'])
  expect(placeOf('s@^3.0.0', files)).toEqual([['MU605', 's', '^3.0.0', '1.0.0']])
})

test.each([
  ['x', 'aws', 'aws/x', []],
  ['aws/x', undefined, 'aws/x', []],
  ['x', undefined, 'aws/x', [['MU105', 'x', 'aws/x']]],
  ['{{"x"}}', undefined, 'aws/x', []],
])('a found file called %s, with the namespace %j, for %s', (name, namespace, reference, expected) => {
  const directory = namespace === undefined ? 'aws/x' : 'x'
  const { findings } = compileTexts({
    ...(namespace === undefined ? {} : { 'Muspace.yaml': `namespace: ${namespace}` }),
    'Mu.yaml': `name: a\nservices: { private: { ${reference}: } }`,
    [`${directory}/Mu.yaml`]: server(namespace === undefined ? name : reference),
  })
  expect(findings.map(({ code, subjects }) => [code, ...subjects])).toEqual(expected)
})

test('specs of references are their own, else those of the workspace', () => {
  const told = (reference: string) =>
    errorsOf(
      compileTexts({
        'Muspace.yaml': 'dependencies: { n/s: ^2.0.0, n/...: ^3.0.0 }',
        'Mu.yaml': `name: a\nservices: { private: { x: { type: ${reference} } } }`,
        'n/s/Mu.yaml': `name: n/s\nintrinsic: true\nversion: 1.0.0\n`,
        'n/t/Mu.yaml': `name: n/t\nintrinsic: true\nversion: 1.0.0\n`,
        'm/s/Mu.yaml': `name: m/s\nintrinsic: true\nversion: 1.0.0\n`,
      }),
    )
  expect(told('n/s')).toEqual([['MU605', 'n/s', '^2.0.0', '1.0.0']])
  expect(told('n/t')).toEqual([['MU605', 'n/t', '^3.0.0', '1.0.0']])
  expect([told('n/s@1.0.0'), told('n/t@latest'), told('m/s'), told('x.y/n/s')]).toEqual([[], [], [], []])
})

test('the same reference spelt in two ways is one', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: a\nservices: { private: { x: { type: b }, y: { type: "https://hub.mu.com/b@latest" } } }',
    'b/Mu.yaml': server('b'),
  })
  expect(errorsOf(outcome)).toEqual([])
  const references = outcome.kind === 'compiled' ? [...outcome.stack.references.keys()] : []
  expect(references.filter((one) => one.includes('/b@'))).toEqual(['https://hub.mu.com/b@latest'])
})

test('what was not found can be fetched', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: a\nbase: c@^2.0.0\nservices: { private: { x: { type: x.y/b } } }',
    'c/Mu.yaml': 'name: c\nversion: 1.0.0',
  })
  expect(outcome).toMatchObject({
    missing: [{ reference: { name: 'c', spec: '^2.0.0' } }, { reference: { base: 'x.y/', name: 'b', spec: 'latest' } }],
  })
})
