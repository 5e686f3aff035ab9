import { createHash } from 'node:crypto'
import { CompiledStack, encodeDocument } from '@davit/documents'
import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
import { compileTexts, errorsOf, server } from './testing.ts'

const EVERYTHING = `name: a
version: {{"1.2.0"}}
description: d
author: e
website: f
license: g
keywords: [h]
api: { i: 1 }
apis: [j]
security: k
base: b
abstract: false
intrinsic: false
properties: { p: { type: any, description: l, optional: true, readonly: true, perturbs: true } }
schema: { private: { s: { base: string, description: m, pattern: n, minLength: 1, maxLength: 2, enum: [n] } } }
types: { public: { t: { base: number, minimum: 1, maximum: 2 }, u: { properties: {} } } }
stacks: { private: { x: { type: mu/container } } }
services: { private: { c: x, acme/page/web: } }
`.replace('c: x', 'c: { type: x }')

test('all keys are known, and metadata is carried as it is', () => {
  const outcome = compileTexts({
    'Mu.yaml': EVERYTHING,
    'b/Mu.yaml': 'name: b\nabstract: true',
    'acme/page/web/Mu.yaml': server('acme/page/web'),
  })
  expect(outcome.findings).toEqual([])
  const { metadata, services, order } = outcome.kind === 'compiled' ? compiledDocument(outcome.stack) : { metadata: [] }
  expect([...metadata]).toEqual([
    ['name', 'a'],
    ['version', '1.2.0'],
    ['description', 'd'],
    ['author', 'e'],
    ['website', 'f'],
    ['license', 'g'],
    ['keywords', ['h']],
    ['api', new Map([['i', 1]])],
    ['apis', ['j']],
    ['security', 'k'],
  ])
  // A key without type is a reference, and its simple name the name. Only leaves are in the order.
  expect([...(services?.keys() ?? [])]).toEqual(['a/web', 'a/web/main', 'a/c'])
  expect(order).toEqual(['a/c', 'a/web/main'])
})

const SEEN = `name: a
version: 1.2.3
license: {{"x"}}
{{set "v" 1 -}}
base: b
abstract: true
description: >-
  {{json .meta}} {{json .Arch}} {{json .Cluster}} {{json .Options}} {{json .Properties}} {{json .args}} {{json .Vars}}
`
const CLUSTER =
  'clusters: { lab: { description: d, cloud: gcp, scheduler: gke, default: true, settings: { zone: [1] } } }'

test.each([
  [
    {},
    '{"name":"a","version":"1.2.3"} {"Cloud":"","Scheduler":""} {"Cloud":"","Default":false,"Description":"","Name":"anonymous","Scheduler":"","Settings":{}} {"Args":{},"Cluster":"","SkipCodegen":true} {} {} {"v":1}',
  ],
  [
    { words: ['n=1'], cluster: 'lab' },
    '{"name":"a","version":"1.2.3"} {"Cloud":"gcp","Scheduler":"gke"} {"Cloud":"gcp","Default":true,"Description":"d","Name":"lab","Scheduler":"gke","Settings":{"zone":[1]}} {"Args":{"n":"1"},"Cluster":"lab","SkipCodegen":true} {"n":"1"} {"n":"1"} {"v":1}',
  ],
])('what templates see, with %j', (setup, expected) => {
  const texts = {
    'b/Mu.yaml': 'name: b\nabstract: true',
    'Mu.yaml': `${SEEN}properties: { n: { type: string, optional: true } }\n`,
  }
  const space = 'words' in setup ? { 'Muspace.yaml': CLUSTER } : {}
  const outcome = compileTexts({ ...texts, ...space }, setup)
  expect(errorsOf(outcome)).toEqual([])
  expect(outcome.kind === 'compiled' && outcome.stack.root.body.metadata.get('description')).toBe(expected)
})

test('the compiled stack has the cluster, each instance, and the files that were found', async () => {
  const outcome = compileTexts(
    {
      'Muspace.yaml': CLUSTER,
      'Mu.yaml': `name: a
properties: { n: { type: number } }
stacks: { private: { s: { type: mu/container, env: { K: ~, L: [1, { m: true }] } } } }
services: { private: { z: { type: u, one: two, far: "h:h", w: x }, two: { type: s, ports: [1] }, one: , h: { type: n/h } } }`,
      'u/Mu.yaml': `name: u
properties:
  one: { type: service, readonly: true }
  far: { type: service, perturbs: true }
  none: { type: any, optional: true }
  w: { type: v/Out, readonly: true, perturbs: true }
services: { public: { c: { type: mu/container } } }`,
      'v/Mu.yaml': 'name: v\nabstract: true\nschema: { public: { Out: { base: string } } }',
      'one/Mu.yaml': 'name: one\nintrinsic: true',
      'n/h/Mu.yaml': 'name: n/h\nversion: 1.0.0\nservices: { public: { h: { type: mu/container } } }',
    },
    { cluster: 'lab', words: ['n=1.5'] },
  )
  expect(errorsOf(outcome)).toEqual([])
  const document = outcome.kind === 'compiled' ? compiledDocument(outcome.stack) : undefined
  const text = document === undefined ? '' : encodeDocument(CompiledStack, document, 'json')
  await expect(text.replaceAll(/[0-9a-f]{64}/g, 'HASH')).toMatchFileSnapshot('fixtures/compiled-stack.json')
})

test('the compiled stack has no cluster if there is neither one nor a target', () => {
  const clusterOf = (target?: string) => {
    const outcome = compileTexts({ 'Mu.yaml': 'name: a\nabstract: true' }, target === undefined ? {} : { target })
    return outcome.kind === 'compiled' && compiledDocument(outcome.stack).cluster
  }
  expect([clusterOf(), clusterOf('aws'), clusterOf('gcp:gke')]).toEqual([
    undefined,
    { name: 'anonymous', cloud: 'aws' },
    { name: 'anonymous', cloud: 'gcp', scheduler: 'gke' },
  ])
})

test('references have the text of their files, where they are, and what they are pinned to', () => {
  const page = server('acme/page', '[80]', 'version: 1.4.0')
  const texts: Readonly<Record<string, string>> = {
    'Mu.yaml': 'name: a\nservices: { public: { p: { type: "acme/page@^1.0.0" }, q: { type: acme/tool } } }',
    '.Mudeps/hub.mu.com/acme/page/Mu.yaml': page,
    '.Mudeps/hub.mu.com/acme/tool/Mu.yaml': server('acme/tool'),
    '.Mudeps/hub.mu.com/acme/tool/.origin.json': JSON.stringify({
      repository: 'r',
      commit: '8f93eef78239bd3bdb4c7fd8f5b1de1a7f2b0c4d',
      tag: null,
    }),
  }
  const outcome = compileTexts(texts)
  expect(errorsOf(outcome)).toEqual([])
  const { references, services } = outcome.kind === 'compiled' ? compiledDocument(outcome.stack) : { references: [] }
  const found = new Map(references)
  expect(found.get('https://hub.mu.com/acme/page@^1.0.0')).toEqual({
    pinned: 'https://hub.mu.com/acme/page@1.4.0',
    file: '.Mudeps/hub.mu.com/acme/page/Mu.yaml',
    sha256: createHash('sha256').update(page).digest('hex'),
  })
  expect(found.get('https://hub.mu.com/acme/tool@latest')?.pinned).toBe(
    'https://hub.mu.com/acme/tool@8f93eef78239bd3bdb4c7fd8f5b1de1a7f2b0c4d',
  )
  expect(services?.get('a/p')?.ref).toBe('https://hub.mu.com/acme/page@1.4.0')
})

test('a service names others in order, each once, and not its own', () => {
  const outcome = compileTexts({
    'Mu.yaml': `name: a
services: { private: { z: { type: mu/container, port: 1 }, b: { type: mu/container, port: 2 }, u: { type: u, list: [z, b, z], one: "z:1" } } }`,
    'u/Mu.yaml': `name: u
properties: { list: { type: "service[]" }, one: { type: service } }
services: { private: { e: { type: mu/container } }, public: { c: { type: mu/gateway, targets: [one, d] }, d: { type: mu/container, port: 3 } } }`,
  })
  const services = outcome.kind === 'compiled' ? compiledDocument(outcome.stack).services : undefined
  expect(services?.get('a/u')).toMatchObject({ dependsOn: ['a/b', 'a/z'], endpoints: ['a/u/c', 'a/u/d'] })
  expect(services?.get('a/u/c')).toMatchObject({ dependsOn: ['a/u/d', 'a/z'], public: true })
  expect(services?.get('a/u/c')?.properties.get('targets')).toEqual([
    { service: 'a/z', port: 1 },
    { service: 'a/u/d', port: 3 },
  ])
})
