import { parseData } from '@davit/languages'
import { compileTexts, errorsOf, type Texts } from '@davit/stack/testing'
import { expect, test } from 'vitest'
import { emitCloudFormation } from '../src/stack-cloudformation.ts'

/** Compiles for aws, and returns what the back end makes of it. */
function emit(texts: Texts, cluster?: string) {
  const outcome = compileTexts(texts, { target: 'aws', ...(cluster === undefined ? {} : { cluster }) })
  expect(errorsOf(outcome)).toEqual([])
  if (outcome.kind === 'refused') throw new Error('the stack was refused')
  return emitCloudFormation(outcome.stack)
}

function textOf(texts: Texts, cluster?: string): string {
  const emission = emit(texts, cluster)
  expect(emission.findings).toEqual([])
  return emission.kind === 'emitted' ? emission.text : ''
}

/** Resources as they are read again. */
function resourcesOf(texts: Texts): Readonly<Record<string, object>> {
  const { value } = parseData(textOf(texts), { file: 'template', language: 'yaml' })
  const plain = JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? Object.fromEntries(part) : part)),
  ) as {
    readonly Resources: Readonly<Record<string, object>>
  }
  return plain.Resources
}

/** Errors of the back end: code, subjects, line and column. */
function refusalOf(texts: Texts) {
  const { kind, findings } = emit(texts)
  expect(kind).toBe('refused')
  return findings.map(({ code, subjects, place }) => [code, ...subjects, `${place?.line}:${place?.column}`])
}

const resource = (more = '') => `{ type: aws/x/cf, resource: R${more} }`

/** A stack with these properties and one resource. */
const stack = (properties: string, more: string) => ({
  'Mu.yaml': `name: a\nproperties: ${properties}\nservices: { public: { self: ${resource(`, ${more}`)} } }`,
})

const propertiesOf = (texts: Texts) => resourcesOf(texts)['SelfA']

test('the template is written line by line, in order', () => {
  const texts = {
    'Muspace.yaml': 'clusters: { west-1b: { cloud: aws } }',
    'Mu.yaml': `name: ops/net
description: "nets: all of them"
properties: { range: { type: string, default: 10.0.0.0/16 } }
services:
  private: { gate: { type: aws/x/cf, resource: "AWS::EC2::InternetGateway" } }
  public:
    self:
      type: aws/x/cf
      resource: AWS::EC2::VPC
      properties: { CidrBlock: range }
      extraProperties: { Tags: [{ Key: on, Value: "yes" }] }
      dependsOn: [gate]`,
  }
  expect(textOf(texts, 'west-1b')).toBe(`# MuStack-West1b-OpsNet:
AWSTemplateFormatVersion: "2010-09-09"
Description: "nets: all of them"
Resources:
  GateOpsNet:
    Type: "AWS::EC2::InternetGateway"
  SelfOpsNet:
    DependsOn:
      - GateOpsNet
    Properties:
      CidrBlock: "10.0.0.0/16"
      Tags:
        - Key: "on"
          Value: "yes"
    Type: "AWS::EC2::VPC"
`)
})

test('a stack without resources, description and cluster is still a template', () => {
  const texts = {
    'Mu.yaml': 'name: a\nservices: { public: { x: { type: b } } }',
    'b/Mu.yaml': 'name: b\nintrinsic: true',
  }
  expect(refusalOf(texts)).toEqual([['MU1000', 'b', '2:23']])
  const empty = { 'Mu.yaml': 'name: a\nintrinsic: true' }
  expect(textOf(empty)).toBe('# MuStack-Anonymous-A:\nAWSTemplateFormatVersion: "2010-09-09"\nResources: {}\n')
})

test('resources are named after the stack around them, and after its instance where two would be equal', () => {
  const texts = {
    'Mu.yaml': `name: top
services: { private: { one: { type: aws/pair }, two: { type: aws/pair }, only: { type: aws/lone } } }`,
    'aws/pair/Mu.yaml': `name: aws/pair\nservices: { public: { self: ${resource()} } }`,
    'aws/lone/Mu.yaml': `name: aws/lone\nservices: { public: { self: ${resource()} } }`,
  }
  expect(Object.keys(resourcesOf(texts))).toEqual(['SelfAwsLone', 'TopOneSelfAwsPair', 'TopTwoSelfAwsPair'])
})

test('a subclass names resources that it inherits, and a nested stack its own', () => {
  const texts = {
    'Mu.yaml': `name: top
stacks: { private: { part: { services: { public: { self: ${resource()} } } } } }
services: { private: { x: { type: sub }, y: { type: part } } }`,
    'sub/Mu.yaml': 'name: sub\nbase: base',
    'base/Mu.yaml': `name: base\nabstract: true\nservices: { public: { self: ${resource()} } }`,
  }
  expect(Object.keys(resourcesOf(texts))).toEqual(['SelfPart', 'SelfSub'])
})

test.each([
  ['a', ['aB', 'a-b'], "'a/a-b', 'a/aB' have the same logical id, 'AABA'"],
  ['ö', ['ß'], "no logical id can be made of 'ö/ß'"],
])('resources of %s that cannot be named apart are refused: %j', (name, services, message) => {
  const lines = services.map((service) => `    ${service}: ${resource()}`)
  const texts = { 'Mu.yaml': `name: ${name}\nservices:\n  public:\n${lines.join('\n')}` }
  expect(refusalOf(texts)).toEqual([['MU10000', services.length === 1 ? '4:5' : '5:5']])
  expect(emit(texts).findings).toMatchObject([{ message, hint: RENAME }])
})

const RENAME = 'Rename a service: only letters and digits of its name count.'

test('several clashes are told in the order of their ids', () => {
  const services = ['z-a', 'zA', 'b-a', 'bA'].map((service) => `    ${service}: ${resource()}`)
  const texts = { 'Mu.yaml': `name: a\nservices:\n  public:\n${services.join('\n')}` }
  expect(emit(texts).findings.map(({ message }) => message)).toEqual([
    "'a/b-a', 'a/bA' have the same logical id, 'ABAA'",
    "'a/z-a', 'a/zA' have the same logical id, 'AZAA'",
  ])
})

test('an empty description is none', () => {
  const texts = { 'Mu.yaml': 'name: a\ndescription: ""\nintrinsic: true' }
  expect(textOf(texts)).not.toContain('Description')
})

test.each([
  ['a value is copied', '{ p: { type: number, default: 3 } }', 'properties: { X: p }', { X: 3 }],
  ['an absent one is left out', '{ p: { type: string, optional: true } }', 'properties: { X: p }', undefined],
  [
    'false, zero and nothing are values',
    '{ p: { type: any, default: [false, 0, "", {}] } }',
    'properties: { X: p }',
    { X: [false, 0, '', {}] },
  ],
  [
    'extra properties stand for themselves',
    '{ p: { type: number, default: 3 } }',
    'extraProperties: { X: p }',
    { X: 'p' },
  ],
  [
    'where a value is absent, the extra one stands',
    '{ p: { type: string, optional: true } }',
    'properties: { X: p }, extraProperties: { X: 1 }',
    { X: 1 },
  ],
  [
    'a list gets more items',
    '{ p: { type: "number[]", default: [2, 1] } }',
    'properties: { X: p }, extraProperties: { X: [1, { a: b }] }',
    { X: [2, 1, 1, { a: 'b' }] },
  ],
  [
    'a table gets more keys',
    '{ p: { type: any, default: { a: 1 } } }',
    'properties: { X: p }, extraProperties: { X: { b: 2 } }',
    { X: { a: 1, b: 2 } },
  ],
  [
    'names of JavaScript are names',
    '{ constructor: { type: any, default: { __proto__: 1 } } }',
    'properties: { hasOwnProperty: constructor }',
    { hasOwnProperty: JSON.parse('{ "__proto__": 1 }') as object },
  ],
  [
    'texts stay texts',
    '{ p: { type: "string[]", default: ["yes", "010", "${AWS::Region}", "a\\nb", "!Ref x", "1e3"] } }',
    'properties: { X: p }',
    { X: ['yes', '010', '${AWS::Region}', 'a\nb', '!Ref x', '1e3'] },
  ],
])('properties: %s', (_, declared, given, expected) => {
  expect(propertiesOf(stack(declared, given))).toEqual({
    Type: 'R',
    ...(expected === undefined ? {} : { Properties: expected }),
  })
})

test.each([
  [
    'not declared by the enclosing stack',
    '{ pack: { type: any, default: 1 } }',
    'properties: { X: pakc }',
    ['MU10001', 'pakc', '3:77'],
  ],
  ["the resource's own", '{}', 'properties: { X: resource }', ['MU10001', 'resource', '3:77']],
  [
    'a key that is there already',
    '{ p: { type: any, default: { a: 1 } } }',
    'properties: { X: p }, extraProperties: { X: { a: 1 } }',
    ['MU10002', 'X', '3:104'],
  ],
  [
    'a key of several that is there already',
    '{ p: { type: any, default: { a: 1 } } }',
    'properties: { X: p }, extraProperties: { X: { b: 1, a: 1 } }',
    ['MU10002', 'X', '3:104'],
  ],
  [
    'a table for a list',
    '{ p: { type: any, default: [1] } }',
    'properties: { X: p }, extraProperties: { X: { a: 1 } }',
    ['MU10002', 'X', '3:104'],
  ],
  [
    'a list for a table',
    '{ p: { type: any, default: { a: 1 } } }',
    'properties: { X: p }, extraProperties: { X: [1] }',
    ['MU10002', 'X', '3:104'],
  ],
  [
    'something for a text',
    '{ p: { type: any, default: a } }',
    'properties: { X: p }, extraProperties: { X: a }',
    ['MU10002', 'X', '3:104'],
  ],
  ['null', '{}', 'extraProperties: { X: [null] }', ['MU10000', '3:82']],
])('properties are refused: %s', (_, declared, given, error) => {
  expect(refusalOf(stack(declared, given))).toEqual([error])
})

test('a hint says what to do about null', () => {
  const { findings } = emit(stack('{}', 'extraProperties: { X: null }'))
  expect(findings).toMatchObject([{ message: 'a template cannot hold null', hint: 'Leave the property out.' }])
})

test('a dependency that is not one resource is told where it is written', () => {
  const texts = {
    'Mu.yaml': `name: a\nservices: { private: { b: { type: b }, c: ${resource(', dependsOn: [b]')} } }`,
    'b/Mu.yaml': `name: b\nservices: { private: { x: ${resource()} } }`,
  }
  const column = (texts['Mu.yaml'].split('\n')[1]?.indexOf('[b]') ?? 0) + 2
  expect(refusalOf(texts)).toEqual([['MU10000', `2:${column}`]])
})

test('a hint suggests a property of the enclosing stack', () => {
  const { findings } = emit(stack('{ pack: { type: any, default: 1 } }', 'properties: { X: pakc }'))
  const message = "the enclosing stack has no property 'pakc'"
  expect(findings).toMatchObject([{ message, hint: "did you mean 'pack'?" }])
})

const WRAPPED = {
  'outer/Mu.yaml': `name: outer\nservices: { private: { hidden: ${resource()} }, public: { inner: { type: inner } } }`,
  'inner/Mu.yaml': `name: inner\nservices: { public: { core: ${resource()} } }`,
}

test('capabilities become references to what is found behind public services, in lists and tables too', () => {
  const texts = {
    ...WRAPPED,
    'Mu.yaml': `name: a
services: { private: { o: { type: outer }, u: { type: user, one: o, list: [o, "o:inner"], table: { k: o }, any: o } } }`,
    'user/Mu.yaml': `name: user
properties: { one: { type: outer }, list: { type: "service[]" }, table: { type: "map[string]inner" }, any: { type: any } }
services: { public: { self: ${resource(', properties: { One: one, List: list, Table: table, Any: any }, dependsOn: [one, one]')} } }`,
  }
  const ref = { Ref: 'CoreInner' }
  expect(resourcesOf(texts)['SelfUser']).toEqual({
    Type: 'R',
    Properties: { One: ref, List: [ref, ref], Table: { k: ref }, Any: 'o' },
    DependsOn: ['CoreInner'],
  })
})

test('an absent service is no dependency', () => {
  const texts = stack('{ p: { type: service, optional: true } }', 'dependsOn: [p]')
  expect(propertiesOf(texts)).toEqual({ Type: 'R' })
})

test.each([
  ['no public service', '{ private: { x: R } }'],
  ['several public services', '{ public: { x: R, y: R } }'],
])('a service that is not one resource is refused: %s', (problem, services) => {
  const texts = {
    'Mu.yaml': 'name: a\nservices: { private: { b: { type: b }, c: { type: c, p: b } } }',
    'b/Mu.yaml': `name: b\nservices: ${services.replaceAll('R', resource())}`,
    'c/Mu.yaml': `name: c\nproperties: { p: { type: b } }\nservices:\n  public: { self: ${resource(', properties: { P: p }')} }`,
  }
  expect(refusalOf(texts)).toEqual([['MU10000', '4:67']])
  expect(emit(texts).findings).toMatchObject([{ message: `'a/b' is not one resource: 'a/b' has ${problem}` }])
})

test('what the target does not know is refused once, not again where it is referred to', () => {
  const texts = {
    'Mu.yaml': `name: a
services: { private: { c: { type: mu/container }, v: { type: my/volume }, x: ${resource(', dependsOn: [c]')}, y: ${resource(', properties: { A: b }')} } }`,
    'my/volume/Mu.yaml':
      'name: my/volume\nbase: aws/x/cf\nintrinsic: true\nproperties: { resource: { type: string, default: R } }',
  }
  expect(refusalOf(texts).map(([code, subject]) => [code, subject])).toEqual([
    ['MU1000', 'mu/container'],
    ['MU1000', 'my/volume'],
    ['MU10001', 'b'],
  ])
})

test('a resource is whoever has the name of the stack, wherever it is', () => {
  const texts = {
    'Mu.yaml': 'name: a\nservices: { public: { x: { type: house/thing } } }',
    'house/thing/Mu.yaml': 'name: aws/x/cf\nintrinsic: true\nproperties: { resource: { type: string, default: R } }',
  }
  expect(resourcesOf(texts)).toEqual({ XA: { Type: 'R' } })
})

test('extra properties cannot be merged into a reference', () => {
  const texts = {
    'Mu.yaml': 'name: a\nservices: { private: { b: { type: b }, c: { type: c, p: b } } }',
    'b/Mu.yaml': `name: b\nservices: { public: { self: ${resource()} } }`,
    'c/Mu.yaml': `name: c\nproperties: { p: { type: b } }\nservices:\n  public: { self: ${resource(', properties: { P: p }, extraProperties: { P: { a: 1 } }')} }`,
  }
  expect(refusalOf(texts)).toEqual([['MU10002', 'P', '4:94']])
  expect(emit(texts).findings).toMatchObject([{ message: "extra properties cannot be merged into 'P'" }])
})

test('the description is that of the root, not of what it is made of', () => {
  const texts = {
    'Mu.yaml': 'name: a\nservices: { public: { b: { type: b } } }',
    'b/Mu.yaml': `name: b\ndescription: inner\nservices: { public: { self: ${resource()} } }`,
  }
  expect(textOf(texts)).not.toContain('Description')
})

test('dependencies are in the order in which they are written', () => {
  const texts = {
    'Mu.yaml': `name: a
services: { private: { y: ${resource()}, x: ${resource()}, z: ${resource(', dependsOn: [y, x, y]')} } }`,
  }
  expect(resourcesOf(texts)['ZA']).toEqual({ Type: 'R', DependsOn: ['YA', 'XA'] })
})

test('a resource that is inherited has the properties of the subclass around it', () => {
  const texts = {
    'Mu.yaml': 'name: top\nservices: { public: { q: { type: msg/queue, retention: 7 } } }',
    'msg/queue/Mu.yaml': 'name: msg/queue\nbase: msg/base\nproperties: { retention: { type: number } }',
    'msg/base/Mu.yaml': `name: msg/base
abstract: true
properties: { retention: { type: any, optional: true } }
services: { public: { self: ${resource(', properties: { Retention: retention }')} } }`,
  }
  expect(resourcesOf(texts)).toEqual({ SelfMsgQueue: { Type: 'R', Properties: { Retention: 7 } } })
})

test('capabilities become references in schemas, too', () => {
  const texts = {
    ...WRAPPED,
    'Mu.yaml': `name: a
services: { private: { o: { type: outer }, u: { type: user, deep: { list: [{ k: o }] } } } }`,
    'user/Mu.yaml': `name: user
schema: { private: { In: { properties: { k: { type: outer } } }, Deep: { properties: { list: { type: "In[]" } } } } }
properties: { deep: { type: Deep } }
services: { public: { self: ${resource(', properties: { Deep: deep }')} } }`,
  }
  expect(resourcesOf(texts)['SelfUser']).toEqual({
    Type: 'R',
    Properties: { Deep: { list: [{ k: { Ref: 'CoreInner' } }] } },
  })
})
