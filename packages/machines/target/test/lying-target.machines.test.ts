import type { ProfileName, TargetName } from '@davit/documents'
import { failureOf } from '@davit/diagnostics/testing'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'

import { afterMarker } from '../src/helper/after-marker.ts'
import { parseFacts } from '../src/helper/facts.ts'
import { openHelper } from '../src/helper/helper.ts'
import {
  acquireLock,
  lockHolder,
  type Machine,
  observeMachine,
  openMachine,
  readProfiles,
  askServices,
  askStatuses,
  performActivity,
  releaseLock,
  renewLock,
  lookAtTarget,
  resolveModules,
  setProfile,
} from '../src/target.ts'
import { connectionTo, type FarEnd, HELLO, lying } from './far-end.ts'

const profile = 'default' as ProfileName
const place = { target: 't1' as TargetName, profile }
const request = { token: 'mine', owner: 'me', leaseSeconds: 60 }
const hexadecimal = (text: string) => Buffer.from(text).toString('hex')

let inputs = 0
afterAll(() => tellFigure(`targets that lie: ${inputs} answers, each taken or refused by name`))

const machineThat = (answer: (line: string, far: FarEnd) => void) => openMachine(async () => connectionTo({ answer }))
const machineSaying = (...lines: string[]) => machineThat(lying(...lines))

describe('the facts of a machine', () => {
  const without = (fact: string) => HELLO.filter((line) => !line.startsWith(`${fact} `))

  test('are accepted if they are possible', () => {
    expect(parseFacts(HELLO, 'far')).toMatchObject({ system: 'x86_64-linux', stateDirectory: '/var/lib/davit' })
  })

  test.each(['/srv/davit/', '//.local/state//davit', '/home/ä b/.state'])('its state may be %j', (directory) => {
    const facts = [...without('state'), `state ${hexadecimal(directory)}`]
    expect(parseFacts(facts, 'far').stateDirectory).toBe(directory)
    expect(parseFacts([...without('state'), `state ${directory}`], 'far').stateDirectory).toBe(directory)
  })

  test('are how what is started ends, if it does', () => {
    expect(parseFacts(HELLO, 'far').fleeting).toBeUndefined()
    expect(parseFacts([...HELLO, 'fleeting unit anna app-x\\x2dy@1.service'], 'far').fleeting).toEqual({
      ending: 'unit',
      account: 'anna',
      unit: 'app-x\\x2dy@1.service',
    })
  })

  test.each([
    ['kernel', ''],
    ['kernel', 'Linux'],
    ['kernel', '../../etc x86_64'],
    ['kernel', 'Linux \u001b[2J'],
    ['kernel', `Linux ${'x'.repeat(61)}`],
    ['helper', '$(touch x)'],
    ['user', '-1'],
    ['user', '1e9'],
    ['user', '9'.repeat(400)],
    ['boot', '../x'],
    ['place', 'a\u001bb'],
    ['state', hexadecimal('var/lib/davit')],
    ['state', hexadecimal('/var/lib/../../etc')],
    ['state', hexadecimal('/..')],
    ['state', hexadecimal('/var/./lib')],
    ['state', hexadecimal('/var\n/lib')],
    ['state', '/var/lib/../../etc'],
    ['state', '/var/\u001b[2J'],
    ['state', 'no hexadecimal'],
    ['state', ''],
    ['fleeting', ''],
    ['fleeting', 'session'],
    ['fleeting', 'elsewhere anna session-3.scope'],
    ['fleeting', 'session an\u001bna session-3.scope'],
    ['fleeting', 'session anna; session-3.scope'],
    ['fleeting', `session anna ${'x'.repeat(256)}`],
  ])('are refused by name if the %s is %j', (fact, value) => {
    const refused = failureOf(() => parseFacts([...without(fact), `${fact} ${value}`], 'far'))
    expect(refused).toMatchObject({ code: 'bad-answer', exitStatus: 69 })
    expect(refused?.message).toContain(`'far' reported an impossible ${fact}`)
    expect(refused?.message.length).toBeLessThan(200)
  })
})

describe('a holder of a lock', () => {
  const holder = (...words: string[]) => [`ID + holder ${words.join(' ')}`, `ID ! already-locked ${hexadecimal('no')}`]

  test.each([
    ['is complete', holder('a1', 'me', '1700000000'), { token: 'a1', owner: 'me', since: new Date(1.7e12) }],
    [
      'has been there since no time',
      holder('a1', 'me', '9'.repeat(20)),
      { token: 'a1', owner: 'me', since: undefined },
    ],
    ['has no token', holder('a;b', 'me', '-'), { token: undefined, owner: 'me', since: undefined }],
    ['asks for no check', holder('-', 'me', '1'), { token: undefined, owner: 'me', since: new Date(1000) }],
    ['has no end', holder('a1', 'x'.repeat(100_000), '1'), { token: 'a1', owner: '', since: new Date(1000) }],
    ['is nothing', [`ID ! already-locked`], { token: undefined, owner: '', since: undefined }],
    ['is garbled', ['ID + \u001b[2J', 'ID ! already-locked'], { token: undefined, owner: '', since: undefined }],
  ])('that %s holds it all the same', async (_, lines, expected) => {
    const machine = await machineSaying(...lines)
    expect(await acquireLock(machine, place, request)).toEqual({ kind: 'held', holder: expected })
  })

  test.each([[], ['ID + number'], ['ID + number 0'], ['ID + number 1x'], ['ID + number 99999999999999999999']])(
    'a lock is not acquired with the answer %j',
    async (...lines) => {
      const machine = await machineSaying(...lines, 'ID =')
      await expect(acquireLock(machine, place, request)).rejects.toMatchObject({
        code: 'bad-answer',
        exitStatus: 69,
        message: expect.stringContaining("'far'"),
      })
    },
  )
})

describe('a refusal', () => {
  test.each([
    ['connection-lost', 'failed'],
    ['bad-answer', 'failed'],
    ['\u001b[2J', 'failed'],
    ['__proto__', 'failed'],
    ['lock-lost', 'lock-lost'],
  ])('with the code %j is reported with the code %s', async (said, code) => {
    const machine = await machineSaying(`ID ! ${said} ${hexadecimal('why')}`)
    await expect(machine.request('observe', ['default'])).rejects.toMatchObject({ code, message: 'why' })
  })

  test('has a message that is neither endless nor empty', async () => {
    const long = await machineSaying(`ID ! failed ${hexadecimal('x'.repeat(1_000_000))}`)
    await expect(long.request('observe', ['default'])).rejects.toMatchObject({ message: 'x'.repeat(4_000) })
    const empty = await machineSaying('ID ! failed zz')
    await expect(empty.request('observe', ['default'])).rejects.toMatchObject({
      message: 'the request was refused without a reason',
    })
  })
})

describe('a machine that prints endlessly', () => {
  test.each([
    ['before it begins', '', 'no-answer'],
    ['in answers that nobody asked for', '9 + x\n', 'connection-lost'],
    ['of ends of activities', 'done 9 0\n', 'connection-lost'],
    ['of answers to questions', 'told 9 1 0\n', 'connection-lost'],
  ])('%s is given up', async (when, line, code) => {
    let ended = false
    const flood = (far: FarEnd) => {
      if (ended) return
      if (/^(done|told)/.test(line)) far.event(line.repeat(1_000))
      else far.print(line.repeat(1_000))
      setImmediate(flood, far)
    }
    const connection = connectionTo({
      greeting: when === 'before it begins' ? `${'x'.repeat(600_000)}\n`.repeat(3) : '',
      answer(words, far) {
        if (!words.startsWith('davit-')) flood(far)
        else if (line !== '') far.print(`\n${words}\n`)
      },
    })
    const asked = openHelper(connection).then((helper) => helper.request('observe', ['default']))
    await expect(asked).rejects.toMatchObject({ code, exitStatus: 69, message: expect.stringContaining("'far'") })
    ended = true
    expect(connection.closed()).toBe(true)
  })
})

test('a script that never begins is given up while its login shell prints', async () => {
  const { filter, started } = afterMarker('davit-1')
  filter.on('error', () => {})
  for (let kilobytes = 0; kilobytes < 2_000 && !filter.destroyed; kilobytes += 100) filter.write('x'.repeat(100_000))
  await expect(started).rejects.toMatchObject({ code: 'no-answer', exitStatus: 69 })
})

describe('fuzzing', patience, () => {
  const mapping = { target: place.target, service: 'key', container: 'c' } as never
  const questions = { ...place, mappings: [mapping], atATime: 1 }
  const store = { kind: 'native', directory: '/store' }
  const readers: [string, (machine: Machine) => Promise<unknown>][] = [
    ['lock', (machine) => acquireLock(machine, place, request)],
    ['lock_state', (machine) => lockHolder(machine, place)],
    ['renew', (machine) => renewLock(machine, place, request)],
    ['unlock', (machine) => releaseLock(machine, place, { token: 'mine' })],
    ['observe', (machine) => observeMachine(machine, profile)],
    ['read_profiles', (machine) => readProfiles(machine, profile, [place.target])],
    [
      'look',
      (machine) =>
        lookAtTarget({ name: place.target, machine }, { profile, path: '/store/p', store, closure: [] } as never),
    ],
    ['resolve', (machine) => resolveModules(machine, ['/a', '/b'])],
    ['set_profile', (machine) => setProfile(machine, { ...place, token: '-', path: '/store/p', store } as never)],
    ['activity', (machine) => performActivity(machine, { profile, token: '-', activity: 'deactivate', mapping })],
    ['ask', (machine) => askServices(machine, { ...questions, activity: 'unlock', token: '-' })],
    ['ask for status', (machine) => askStatuses(machine, { ...questions, timeoutSeconds: 30 })],
  ]
  const PROFILE = '/store/00000000000000000000000000000000-t1'
  const EMPTY = '<profilemanifest version="2"><services/><serviceMappings/><snapshotMappings/></profilemanifest>'
  const HONEST = [
    'ID + number 1\nID =',
    'ID + holder 1f me 1700000000\nID ! already-locked 6e6f',
    `ID + boot b\nID + mapping t1 active ended process:key\nID + field pkg /store/x\nID + field entry {}\nID + answers\nID =`,
    'ID + other t1 other/process:key /store/x\nID + strange 2e2e2f78\nID =',
    'ID + module /store/x\nID + module -\nID =',
    'ID + locked\nID + missing\nID =',
    'ID + generation 7\nID =',
    `ID + profile free t1 ${hexadecimal(PROFILE)} ${hexadecimal(EMPTY)}\nID + profile locked t1 - -\nID =`,
    'done ID 1\nID + log 6e6f\nID =',
    'told ID 1 1\ntold ID 1 gone\ndone ID 0\nID =',
  ]

  test.each(readers)('%s: a value, or an error of ours', async (_, read) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutationsOf(HONEST), awkwardText), async (text) => {
        inputs += 1
        // A request always ends: with this, with the end of the shell, or with both.
        const machine = await machineThat((line, far) => {
          if (line.startsWith('davit-') || line.includes(' hello')) return lying()(line, far)
          const id = line.split(' ')[0] ?? ''
          far.event(`${text.replaceAll('ID', id)}\n`)
          far.print(`${text.replaceAll('ID', id)}\n`)
          setImmediate(() => far.end(0))
        })
        const failure = await read(machine).then(
          () => undefined,
          (error: unknown) => error,
        )
        failureOf(() => {
          if (failure !== undefined) throw failure
        })
      }),
      runs(25),
    )
  })

  test('facts: all valid, or refused', () => {
    fc.assert(
      fc.property(fc.oneof(mutationsOf([HELLO.join('\n')]), awkwardText), (text) => {
        inputs += 1
        failureOf(() => {
          const facts = parseFacts(text.split('\n'), 'far')
          // oxlint-disable-next-line no-control-regex
          expect(JSON.stringify(facts)).not.toMatch(/\\u00|\.\.\//)
        })
      }),
      runs(500),
    )
  })
})
