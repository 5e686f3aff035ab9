import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  canonical,
  compareVersions,
  completed,
  isVersion,
  parseReference,
  parseSpec,
  placesOf,
  satisfies,
  scanMetadata,
} from '../src/stack.ts'

test.each<[string, object | undefined]>([
  ['acme/db', { name: 'acme/db' }],
  ['db', { name: 'db' }],
  ['localhost/x', { name: 'localhost/x' }],
  ['n/a@1.0.0', { name: 'n/a', spec: '1.0.0' }],
  ['hub.mu.com/acme/db@^1.0.6', { base: 'hub.mu.com/', name: 'acme/db', spec: '^1.0.6' }],
  [
    'git://github.com/mu/container@1.0.0',
    { protocol: 'git://', base: 'github.com/', name: 'mu/container', spec: '1.0.0' },
  ],
  ['https://x', { protocol: 'https://', name: 'x' }],
  ['a@>=1.0.0 <2.0.0 || 3.0.0', { name: 'a', spec: '>=1.0.0 <2.0.0 || 3.0.0' }],
  ['__proto__/constructor', { name: '__proto__/constructor' }],
  ['', undefined],
  ['post.example', undefined],
  ['a.b/', undefined],
  ['post/@1.0.0', undefined],
  ['post/b0x/9', undefined],
  ['a b', undefined],
  ['a-b', undefined],
  ['[number]', undefined],
  ['a/', undefined],
  ['/a', undefined],
  ['a//b', undefined],
  ['a@', undefined],
  ['a@1.0.0@2', undefined],
  ['://a', undefined],
  ['-u', undefined],
  ['https://a.b', undefined],
  ['a.b@1.0.0', undefined],
  ['a/b.c/d', undefined],
  ['a.b/c.d', undefined],
  ['a://b://c', undefined],
  ['a@latest@1.0.0', undefined],
  ['x.y@z/b@1.0.0', undefined],
  ['a@latest://b', { protocol: 'a@latest://', name: 'b' }],
  ['1a', undefined],
  ['a/1', undefined],
  ['_/_9', { name: '_/_9' }],
])('parseReference(%j)', (text, reference) => {
  expect(parseReference(text)).toEqual(reference)
})

test('the parts of a reference, one after the other, are its text', () => {
  const part = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,4}$/)
  const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
  const protocol = fc.constantFrom('', 'https://', 'git://')
  const base = fc.constantFrom('', 'hub.mu.com/', 'x.y:80/')
  const spec = fc.constantFrom('', '@latest', '@1.2.3', '@^1.0.0 <1.5.0', '@abcdef0')
  fc.assert(
    fc.property(fc.tuple(protocol, base, name, spec), (parts) => {
      const { protocol = '', base = '', name, spec } = parseReference(parts.join('')) ?? { name: '' }
      expect(`${protocol}${base}${name}${spec === undefined ? '' : `@${spec}`}`).toBe(parts.join(''))
    }),
  )
})

test.each([
  ['1.2.3', true],
  ['1.2.3-rc.1+build.5', true],
  ['1234567', true],
  ['ABCDEF0', true],
  ['0123456789012345678901234567890123456789', true],
  ['1.0', false],
  ['01.0.0', false],
  ['1.0.0-01', false],
  ['v1.0.0', false],
  ['>1.0.0', false],
  ['8f93eef78239', false],
  ['123456', false],
  ['latest', false],
  ['99999999999999999999.0.0', false],
  ['', false],
])('isVersion(%j) is %j', (text, is) => {
  expect(isVersion(text)).toBe(is)
})

test.each([
  '',
  '1.0',
  '1.x',
  '*',
  'v1.0.0',
  'Latest',
  '123456',
  '12345678',
  '1.0.0@2',
  '>= 1.0.0',
  '1.0.0 ||',
  '=>1.0.0',
  '~> 1.0.0',
  ' ',
  'LATEST',
  'latest || 1.0.0',
  'abcdef0 || 1.0.0',
  '^1.0',
  '~1',
  '^abcdef0',
  '<>1.0.0',
])('parseSpec(%j) is an error', (text) => {
  expect(parseSpec(text)).toBeUndefined()
})

test.each<[string, string | undefined, boolean]>([
  ['latest', '0.0.1', true],
  ['latest', 'nonsense', true],
  ['1.2.3', '1.2.3', true],
  ['1.2.3', '1.2.3+build', true],
  ['=1.2.3', '1.2.4', false],
  ['=1.2.3', '1.2.3', true],
  ['==1.2.3', '1.2.3', true],
  ['!1.2.3', '1.2.3', false],
  ['!=1.2.3', '1.2.4', true],
  ['>1.0.0', '2.0.0-rc.1', true],
  ['>1.0.0', '1.0.0', false],
  ['<1.0.0', '1.0.0-rc.1', true],
  ['>=1.0.0', '1.0.0-rc.1', false],
  ['>=1.0.0', '1.0.0', true],
  ['<=1.0.0', '0.9.0', true],
  ['>=1.0.0 <2.0.0', '1.9.9', true],
  ['>=1.0.0 <2.0.0', '2.0.0', false],
  ['<=1.0.0 || >2.0.0', '1.0.0', true],
  ['<=1.0.0 || >2.0.0', '1.5.0', false],
  ['^1.2.3', '1.9.0', true],
  ['^1.2.3', '2.0.0', false],
  ['^1.2.3', '2.0.0-rc.1', false],
  ['^1.2.3', '1.2.2', false],
  ['^0.2.3', '0.3.0', false],
  ['^0.2.3', '0.2.9', true],
  ['^0.1.2', '0.1.9', true],
  ['^0.0.3', '0.0.3', true],
  ['^0.0.3', '0.0.4', false],
  ['~1.2.3', '1.2.9', true],
  ['~1.2.3', '1.3.0', false],
  ['^1.2.3', undefined, true],
  ['^1.2.3', 'nonsense', false],
  ['^1.2.3', 'abcdef0', false],
  ['abcdef0', 'ABCDEF0', true],
  ['abcdef0', 'abcdef0123456789abcdef0123456789abcdef01', true],
  ['ABCDEF0123456789abcdef0123456789abcdef01', 'abcdef0', true],
  ['abcdef0', 'abcdef01', false],
  ['abcdef0', 'abcdef1', false],
  ['abcdef0', '1.0.0', false],
  ['abcdef0', 'nonsense', false],
  ['abcdef0', undefined, true],
  ['1.2.3+a', '1.2.3+b', true],
  ['>=1.0.0+x', '1.0.0', true],
  ['<1.0.0+x', '1.0.0', false],
  ['<2.0.0-rc.10', '2.0.0-rc.9', true],
  ['^1.2.3', '1.3.0-rc.1', true],
  ['^1.2.3-rc.1', '1.2.3-rc.2', true],
  ['~1.2.3', '1.2.4-rc.1', true],
  ['!=1.0.0', '1.0.0-rc.1', true],
  ['>1.0.0  <=3.0.0 !2.0.0', '2.0.0', false],
  ['>1.0.0  <=3.0.0 !2.0.0', '3.0.0', true],
])('spec %j and version %j: %j', (spec, version, is) => {
  expect(satisfies(parseSpec(spec)!, { version })).toBe(is)
})

test('a hash is also the commit from which a stack was fetched', () => {
  const commit = 'abcdef0123456789abcdef0123456789abcdef01'
  expect(satisfies(parseSpec('abcdef0')!, { version: '1.0.0', commit })).toBe(true)
  expect(satisfies(parseSpec('abcdef1')!, { version: '1.0.0', commit })).toBe(false)
})

test('versions are ordered by precedence', () => {
  const versions = ['1.10.0', '1.9.0', '1.10.0-rc.1', '2.0.0', '1.9.0+b']
  expect(versions.toSorted(compareVersions)).toEqual(['1.9.0', '1.9.0+b', '1.10.0-rc.1', '1.10.0', '2.0.0'])
})

test.each([
  ['aws/s3', 'https://hub.mu.com/aws/s3@2.0.0'],
  ['aws/ec2', 'https://hub.mu.com/aws/ec2@^1.0.0'],
  ['aws/ec2/vpc', 'https://hub.mu.com/aws/ec2/vpc@~1.1.0'],
  ['aws/ec2/vpc@latest', 'https://hub.mu.com/aws/ec2/vpc@latest'],
  ['git://x.y/aws/s3', 'git://x.y/aws/s3@latest'],
  ['awsome', 'https://hub.mu.com/awsome@latest'],
])('the spec of %j is pinned: %j', (text, expected) => {
  const stacks = new Map([['hub.mu.com/aws/s3', '2.0.0']])
  const namespaces = new Map([
    ['hub.mu.com/aws/', '^1.0.0'],
    ['hub.mu.com/aws/ec2/', '~1.1.0'],
  ])
  expect(canonical(completed(parseReference(text)!, { stacks, namespaces }))).toBe(expected)
})

test('placesOf() lists every place in order', () => {
  const roots = { workspace: '/w', home: '/h', muRoot: '/m', library: '/lib' }
  const places = placesOf(parseReference('aws/s3/x')!, roots, 'aws/s3')
  expect(places.map(({ directory }) => directory)).toEqual([
    '/w/hub.mu.com/aws/s3/x',
    '/w/x',
    '/w/.Mudeps/hub.mu.com/aws/s3/x',
    '/w/.mu/stacks/hub.mu.com/aws/s3/x',
    '/w/.Mudeps/aws/s3/x',
    '/w/.mu/stacks/aws/s3/x',
    '/h/.Mudeps/hub.mu.com/aws/s3/x',
    '/h/.mu/stacks/hub.mu.com/aws/s3/x',
    '/h/.Mudeps/aws/s3/x',
    '/h/.mu/stacks/aws/s3/x',
    '/m/lib/hub.mu.com/aws/s3/x',
    '/m/bin/stacks/hub.mu.com/aws/s3/x',
    '/m/lib/aws/s3/x',
    '/m/bin/stacks/aws/s3/x',
    '/lib/aws/s3/x',
  ])
  expect(places.filter(({ fetchedIn }) => fetchedIn !== undefined).length).toBe(8)
  expect(new Set(places.slice(0, 2).map(({ boundary }) => boundary))).toEqual(new Set(['/w']))
  expect(places[2]?.boundary).toBe(places[2]?.directory)
})

test('placesOf() leads out of no place', () => {
  const roots = { workspace: '/w', home: '/h', muRoot: '/m', library: '/lib' }
  const directories = placesOf(parseReference('../b')!, roots).map(({ directory }) => directory)
  expect(directories).toEqual([
    '/w/b',
    '/w/.Mudeps/b',
    '/w/.mu/stacks/b',
    '/h/.Mudeps/b',
    '/h/.mu/stacks/b',
    '/m/lib/b',
    '/m/bin/stacks/b',
    '/lib/b',
  ])
})

test('without home and MUROOT, there are places in the workspace and in the library only', () => {
  const places = placesOf(parseReference('s')!, { workspace: '/w', library: '/lib' })
  expect(places.map(({ directory }) => directory)).toEqual([
    '/w/hub.mu.com/s',
    '/w/s',
    '/w/.Mudeps/hub.mu.com/s',
    '/w/.mu/stacks/hub.mu.com/s',
    '/w/.Mudeps/s',
    '/w/.mu/stacks/s',
    '/lib/s',
  ])
})

test.each([
  ['aws/s3x/y', '/w/aws/s3x/y'],
  ['s3', '/w/s3'],
])('placesOf(%j), which is not in the namespace of the workspace', (name, directory) => {
  const places = placesOf(parseReference(name)!, { workspace: '/w', library: '/lib' }, 'aws/s3')
  expect(places[1]?.directory).toBe(directory)
})

test.each<[string, string, 'json' | 'yaml', object]>([
  ['block', 'name: a\nversion: 1.10\nother: x\nservices: {}\n', 'yaml', { name: 'a', version: '1.10' }],
  [
    'all that it knows',
    'name: a\nversion: b\ndescription: c\nauthor: d\nwebsite: e\nlicense: f\nbase: g\n',
    'yaml',
    { name: 'a', version: 'b', description: 'c', author: 'd', website: 'e', license: 'f' },
  ],
  ['a table that is indented', '  name: a\n  services: {}\n', 'yaml', { name: 'a' }],
  ['what is null', 'name: a\nversion:\nauthor: ~\n', 'yaml', { name: 'a' }],
  ['lines that contain templates', 'description: >-\n  a\n  {{1}}\nname: a\n', 'yaml', { name: 'a' }],
  ['several lines at the end', 'name: {{1}}\ndescription: >-\n  a\n  b', 'yaml', { description: 'a b' }],
  ['JSON behind a template', '{{if 1}}{"name": "a"}{{end}}', 'json', { name: 'a' }],
  [
    'tables in JSON with templates',
    '{"version": "1.0.0", "x": {"version": "2.0.0", "y": ["z", {"name": "b"}]}, "z": {{1}}, "author": "{{2}}"}',
    'json',
    { version: '1.0.0' },
  ],
  ['JSON', '{"name": "a", "version": "1.0.0"}', 'json', { name: 'a', version: '1.0.0' }],
  ['a version that is a template', 'name: a\nversion: "{{.x}}"\n', 'yaml', { name: 'a' }],
  [
    'templates elsewhere',
    '{{if 1}}\nname: a # b\nversion: "1.0.0"\n{{end}}\n  license: no\n',
    'yaml',
    { name: 'a', version: '1.0.0' },
  ],
  ['several lines', 'description: >-\n  a\n  b\nname: {{1}}', 'yaml', { description: 'a b' }],
  [
    'JSON with templates',
    '{"name": "a", "x": {"version": "2.0.0"}, "y": "{{ "}" }}", "version": "1.0.0"}',
    'json',
    { name: 'a', version: '1.0.0' },
  ],
  ['flow with templates', '# c\n{name: a, services: [{{1}}], author: me}', 'yaml', { name: 'a', author: 'me' }],
  ['lists and tables', 'name: [a]\nversion: {}\n', 'yaml', {}],
  ['what cannot be read', 'name: [', 'yaml', {}],
])('scanMetadata() of %s', (_, text, language, expected) => {
  expect(Object.fromEntries(scanMetadata(text, language))).toStrictEqual(expected)
})
