import { readdirSync } from 'node:fs'
import { compareText } from '@davit/languages'
import { LIBRARY_DIRECTORY, LIBRARY_STACKS } from '@davit/stack-library'
import { expect, test } from 'vitest'
import {
  acceptFindings,
  compiledDocument,
  finding,
  propertyNames,
  stackRefusal,
  unknownIntrinsics,
} from '../src/stack.ts'
import { compileTexts, errorsOf, warningsOf } from './testing.ts'

test('every stack of the library is one of its names', () => {
  const files = readdirSync(LIBRARY_DIRECTORY, { recursive: true, encoding: 'utf8' })
  const stacks = files.filter((file) => file.endsWith('/Mu.yaml')).map((file) => file.slice(0, -'/Mu.yaml'.length))
  expect(stacks.toSorted()).toEqual(LIBRARY_STACKS)
})

const REQUIRED: Readonly<Record<string, string>> = { 'aws/x/cf': ', resource: R', 'davit/x/service': ', module: m' }

test.each(LIBRARY_STACKS)('%s is intrinsic, has no version, and asks for nothing more than it must', (name) => {
  const texts = { 'Mu.yaml': `name: a\nservices: { public: { x: { type: ${name}${REQUIRED[name] ?? ''} } } }` }
  const outcome = compileTexts(texts, { target: 'aws' })
  expect([errorsOf(outcome), warningsOf(outcome)]).toEqual([[], []])
  const service = outcome.kind === 'compiled' ? compiledDocument(outcome.stack).services.get('a/x') : undefined
  expect(service).toMatchObject({ type: name, intrinsic: true, ref: `https://hub.mu.com/${name}@latest` })
  const bare = compileTexts({ 'Mu.yaml': `name: a\nservices: { public: { x: { type: ${name} } } }` }, { target: 'aws' })
  expect(errorsOf(bare)).toHaveLength(name in REQUIRED ? 1 : 0)
})

const FUNCTION =
  'code string, handler string index.handler, runtime string node, env map[string]any, port number, links map[string]service'

/** Properties of each stack with their types, and what they are without an argument; an exclamation mark is for those that must be given. */
const PROPERTIES: Readonly<Record<string, string>> = {
  'aws/x/cf': 'resource string !, properties map[string]string, extraProperties map[string]any, dependsOn service[]',
  'davit/x/service':
    'module string !, source string, build any, attributes map[string]any, port number, ports number[], links map[string]service, after service[]',
  'mu/autoscaler': 'target service, replicas number, min number, max number, policy any',
  'mu/container':
    'build string, script string, image string, args map[string]any, command string[], env map[string]any, port number, ports number[], protocol string http, volumes map[string]mu/volume, links map[string]service',
  'mu/event': 'schedule string, port number, target service, targets service[], payload any',
  'mu/func': FUNCTION,
  'mu/gateway': 'targets service[], routes map[string]service, port number 80',
  'mu/lambda': FUNCTION,
  'mu/volume': 'size number, filesystem string, mode string',
}

const DECLARED = Object.entries(PROPERTIES).flatMap(([stack, properties]) =>
  properties.split(', ').map((property) => {
    const [name = '', type = '', without = 'undefined'] = property.split(' ')
    return [stack, name, type, without === '!' ? `MU506,${name}` : without] as const
  }),
)

/** What a property is in a stack with one service, or what is wrong. */
function propertyOf(stack: string, property: string, argument = '') {
  const others = REQUIRED[stack]?.includes(` ${property}:`) ? '' : (REQUIRED[stack] ?? '')
  const text = `name: a\nservices: { public: { x: { type: ${stack}${others}${argument} } } }`
  const outcome = compileTexts({ 'Mu.yaml': text }, { target: 'aws' })
  if (outcome.kind === 'refused') return errorsOf(outcome)
  return compiledDocument(outcome.stack).services.get('a/x')?.properties.get(property)
}

test.each(DECLARED)('%s has %s, which is %s', (stack, property, type, without) => {
  const given = propertyOf(stack, property, `, ${property}: true`)
  expect(given).toEqual(type === 'any' ? true : [['MU508', type, 'bool']])
  expect(String(propertyOf(stack, property))).toBe(without)
})

test.each(Object.entries(PROPERTIES))('%s has no other properties', (stack, properties) => {
  const outcome = compileTexts({ 'Mu.yaml': 'name: a\nintrinsic: true' }, { target: 'aws' })
  if (outcome.kind === 'refused') throw new Error('the stack was refused')
  const declared = properties.split(', ').map((property) => property.replace(/ .*/, ''))
  expect(propertyNames(`${LIBRARY_DIRECTORY}/${stack}/Mu.yaml`, outcome.stack.options).toSorted(compareText)).toEqual(
    declared.toSorted(compareText),
  )
})

test('aws/x/cf is refused for other clouds', () => {
  const texts = { 'Mu.yaml': 'name: a\nservices: { public: { x: { type: aws/x/cf, resource: R } } }' }
  expect(errorsOf(compileTexts(texts, { target: 'machines' }))).toEqual([['MU153']])
})

test('a back end tells which leaves it does not know, in the order of the tree', () => {
  const outcome = compileTexts({
    'Mu.yaml': `name: a
services: { public: { u: { type: b }, w: { type: mu/gateway, targets: [x] }, x: { type: mu/container, port: 1 }, y: { type: mu/event } } }`,
    'b/Mu.yaml': 'name: b\nservices: { public: { v: { type: mu/volume } } }',
  })
  const findings = outcome.kind === 'compiled' ? unknownIntrinsics(outcome.stack, new Set(['mu/event'])) : []
  expect(findings).toMatchObject([
    { code: 'MU1000', subjects: ['mu/volume'], place: { file: 'b/Mu.yaml', line: 2 } },
    { code: 'MU1000', subjects: ['mu/gateway'], place: { line: 2 } },
    { code: 'MU1000', subjects: ['mu/container'], place: { line: 2 } },
  ])
})

test('hints suggest near names', () => {
  const hints = compileTexts({
    'Mu.yaml': `name: a
schema: { private: { word: { base: string } } }
stacks: { private: { sailor: { type: mu/container } } }
properties: { p: { type: strng, optional: true }, q: { type: wrd, optional: true } }
services: { private: { x: { type: sailr }, y: { type: mu/contaner } } }`,
  }).findings.map(({ hint }) => hint)
  expect(hints).toEqual([
    "did you mean 'sailor'?",
    "did you mean 'mu/container'?",
    "did you mean 'string'?",
    "did you mean 'word'?",
  ])
})

test('a stack file that cannot be read is told, with the reason', () => {
  const files = {
    read: (path: string) =>
      path === '/w/Mu.yaml' ? ({ kind: 'text', text: 'name: a\nbase: b' } as const) : UNREADABLE,
    realPath: (path: string) => path,
    linkWithin: () => undefined,
    shown: (path: string) => path,
  }
  const { findings } = compileTexts({}, { options: { files } })
  expect(findings).toMatchObject([
    {
      message: "cannot read '/w/hub.mu.com/b/Mu.json'",
      subjects: ['/w/hub.mu.com/b/Mu.json'],
      hint: 'not for you',
      place: { line: 2, column: 7 },
    },
  ])
})

test('a stack file that is not there is told', () => {
  expect(compileTexts({}).findings).toMatchObject([
    { code: 'MU150', subjects: ['/w/Mu.yaml'], hint: 'there is no such file' },
  ])
})

const UNREADABLE = { kind: 'unreadable', reason: 'not for you' } as const

test('warnings are reported, and errors thrown together', () => {
  const { findings } = compileTexts({ 'Mu.yaml': 'nmae: a\nversion: x' })
  const told: unknown[] = []
  const accept = () => acceptFindings(findings, (event) => told.push(event))
  expect(accept).toThrow(
    expect.objectContaining({
      code: 'invalid-stack',
      exitStatus: 65,
      diagnostics: [expect.objectContaining({ code: 'MU500' }), expect.objectContaining({ code: 'MU501' })],
    }),
  )
  expect(told).toMatchObject([{ kind: 'diagnostic', diagnostic: { code: 'MU104', subjects: ['nmae'] } }])
})

test.each([
  ['MU500', { file: 'a' }, 65, "the stack cannot be compiled: 1 error, the first in 'a'"],
  ['MU500', undefined, 65, 'the stack cannot be compiled: 1 error'],
  ['MU100', undefined, 66, 'the stack cannot be compiled: 1 error'],
  ['MU103', undefined, 66, 'the stack cannot be compiled: 1 error'],
] as const)('the error for %s at %j ends with status %i', (code, place, exitStatus, message) => {
  expect(stackRefusal([finding('MU104', ['x']), finding(code, ['x'], { place })])).toMatchObject({
    exitStatus,
    message,
  })
  expect(stackRefusal([finding(code, ['x'], { place }), finding('MU501', ['x'])])).toMatchObject({
    exitStatus,
    message: message.replace('1 error', '2 errors'),
  })
})

test('errors that instances have alike hide no others', () => {
  const place = { file: 'Mu.yaml', line: 3, column: 4 }
  const alike = Array.from({ length: 60 }, () => [
    finding('MU506', ['x'], { place }),
    finding('MU506', ['y'], { place }),
  ])
  const last = finding('MU506', ['z'], { place })
  const shown = (count: number) => stackRefusal([...alike.flat().slice(0, count), last]).diagnostics
  expect(shown(99)).toHaveLength(100)
  expect(shown(120)).toEqual([
    finding('MU506', ['x'], { place }),
    finding('MU506', ['y'], { place }),
    last,
    { severity: 'error', message: '118 more are the same, in other instances' },
  ])
  const others = Array.from({ length: 101 }, (_, line) => finding('MU506', ['x'], { place: { ...place, line } }))
  expect(stackRefusal(others).diagnostics.slice(99)).toEqual([
    others[99],
    { severity: 'error', message: '1 more problems are not shown' },
  ])
})

test('warnings alone are no reason to stop', () => {
  const told: unknown[] = []
  acceptFindings([finding('MU104', ['x'])], (event) => told.push(event))
  expect(told).toHaveLength(1)
})
