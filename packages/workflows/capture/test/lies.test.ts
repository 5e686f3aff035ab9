import { DavitError } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { badAnswer } from '@davit/target'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { completedTarget, targetNameFor } from '../src/capture.ts'
import { parseCaptured } from '../src/parse-captured.ts'
import { told } from './testing.ts'

const NOTHING = { properties: new Map(), containers: new Map(), attributes: new Map() }
const x = (text: string) => `x${Buffer.from(text).toString('hex')}`

describe('parseCaptured()', () => {
  test('reads what a machine tells', () => {
    const captured = parseCaptured(
      told({
        types: ['type nginx-webapplication', `text ${x('documentRoot')} ${x('/srv')}`],
        settings: ['properties'],
      }),
      'vm',
    )
    expect(captured).toEqual({
      system: 'x86_64-linux',
      name: 'vm',
      numOfCores: 4,
      memoryMB: 2048,
      diskMB: 10_240,
      types: new Map([['nginx-webapplication', new Map([['documentRoot', '/srv']])]]),
      properties: new Map(),
      containers: new Map(),
      unreadable: undefined,
    })
  })

  test('does without facts that a machine cannot tell', () => {
    expect(parseCaptured('kernel Linux armv7l\nsettings\n', 'vm')).toMatchObject({
      system: 'armv7l-linux',
      name: '',
      numOfCores: undefined,
      memoryMB: undefined,
      diskMB: undefined,
    })
  })

  test.each([
    ['nothing', ''],
    ['no settings', 'kernel Linux x86_64\n'],
    ['no kernel', 'cores 1\nsettings\n'],
    ['a kernel with an escape', 'kernel Linux \u001b[31m\nsettings\n'],
    ['a kernel of one word', 'kernel Linux\nsettings\n'],
    ['no cores', 'kernel Linux x\ncores 0\nsettings\n'],
    ['cores without end', `kernel Linux x\ncores ${'9'.repeat(400)}\nsettings\n`],
    ['half a kilobyte', 'kernel Linux x\nmemory 0.5\nsettings\n'],
    ['a name that is not encoded', 'kernel Linux x\nname vm\nsettings\n'],
    ['an unknown type', 'kernel Linux x\ntype __proto__\nsettings\n'],
    ['a type with a word too much', 'kernel Linux x\ntype process x\nsettings\n'],
    ['a fact among the types', 'kernel Linux x\ntype process\ncores 1\nsettings\n'],
    ['a setting that is not encoded', 'kernel Linux x\nsettings\nproperties\ntext a b\n'],
    ['a reason that is not encoded', 'kernel Linux x\nsettings\nunreadable because\n'],
    ['more after the reason', 'kernel Linux x\nsettings\nunreadable x00\nproperties\n'],
  ])('refuses %s', (_, output) => {
    expect(() => parseCaptured(output, 'vm')).toThrow(expect.objectContaining({ code: 'bad-answer' }) as Error)
  })

  test('never fails in another way', () => {
    const word = fc.constantFrom(
      'kernel',
      'cores',
      'type',
      'settings',
      'text',
      'list',
      'container',
      'properties',
      'unreadable',
    )
    const value = fc.oneof(fc.string(), fc.constantFrom('Linux x86_64', '4', 'process', 'x61', 'x', 'x61 x62'))
    const lines = fc.array(fc.tuple(word, value).map((words) => words.join(' ')))
    fc.assert(
      fc.property(lines, (all) => {
        expect(thrownBy(() => parseCaptured(all.join('\n'), 'vm')) ?? badAnswer('vm')).toBeInstanceOf(DavitError)
      }),
    )
  })
})

function thrownBy(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

describe('completedTarget()', () => {
  const captured = (settings: readonly string[]) => parseCaptured(told({ settings, types: ['type process'] }), 'vm')

  test('leaves out what a model cannot contain, and says why', () => {
    const { target, leftOut } = completedTarget(
      NOTHING,
      captured([
        'properties',
        `text ${x('color')} ${x('\u001b[31mred')}`,
        `list ${x('both')} ${x('a')} ${x('b')}`,
        `container ${x('process~')}`,
        `container ${x('db')}`,
        `text ${x('PATH')} ${x('/evil')}`,
        `text ${x('port')} ${x('1')}`,
        `text ${x('long')} ${x('y'.repeat(140_000))}`,
      ]),
    )
    expect(Object.fromEntries(target.properties)).toEqual({
      hostname: 'vm',
      memoryMB: 2048,
      diskMB: 10_240,
      both: ['a', 'b'],
    })
    expect(Object.fromEntries(target.containers)).toEqual({ db: new Map([['port', '1']]), process: new Map() })
    expect(leftOut.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      "property 'color': property 'color' contains U+001B, which cannot occur in XML",
      "container 'process~': this cannot be the name of a container",
      "property 'PATH' of container 'db': container property 'PATH' is reserved",
      "property 'long' of container 'db': property 'long' is too long: name=value may have at most 131071 bytes",
    ])
  })

  test('has what the model says before what the machine says, and that before what is measured', () => {
    const given = {
      ...NOTHING,
      properties: new Map([['hostname', 'web1']]),
      containers: new Map([['db', new Map([['port', '5']])]]) as never,
      attributes: new Map([['room', '12b']]),
      numOfCores: 2,
    }
    const { target } = completedTarget(
      given,
      captured([
        'properties',
        `text ${x('hostname')} ${x('other')}`,
        `text ${x('memoryMB')} ${x('many')}`,
        `text ${x('system')} ${x('i686-linux')}`,
        `container ${x('db')}`,
        `text ${x('port')} ${x('1')}`,
        `text ${x('user')} ${x('me')}`,
        `container ${x('process')}`,
        `text ${x('runtimeDir')} ${x('/run')}`,
      ]),
    )
    expect(target).toEqual({
      room: '12b',
      system: 'i686-linux',
      numOfCores: 2,
      properties: new Map<string, unknown>([
        ['diskMB', 10_240],
        ['hostname', 'web1'],
        ['memoryMB', 'many'],
        ['system', 'i686-linux'],
      ]),
      containers: new Map([
        ['db', new Map([['port', '5']])],
        ['process', new Map([['runtimeDir', '/run']])],
      ]),
    })
  })

  test('takes the system of the kernel if that of Dysnomia is none', () => {
    const { target } = completedTarget(NOTHING, captured(['properties', `text ${x('system')} ${x('not a system')}`]))
    expect(target.system).toBe('x86_64-linux')
  })
})

test.each([
  ['web1', 'web1'],
  ['deploy@web1.example.org:2222', 'web1.example.org'],
  ['[fe80::1%eth0]:22', 'fe80-1-eth0'],
  ['bücher', 'b-cher'],
  ['[::1]', '1'],
])('targetNameFor() makes a name of %s', (address, name) => {
  expect(targetNameFor(address, 'ssh')).toBe(name as TargetName)
})

test.each(['ü', '', 'x'.repeat(201)])('targetNameFor() makes no name of %s', (address) => {
  expect(targetNameFor(address, 'local')).toBe(undefined)
})
