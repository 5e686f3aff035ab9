import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { DavitError } from '@davit/diagnostics'
import { unlessAborted } from '@davit/process'
import type { Machine, ShellTarget } from '@davit/target'
import type { Activity } from '@davit/transition'
import { until } from '@davit/testing/wait'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { refuseTrial } from '../src/trial/refuse-trial.ts'
import type { TrialConnections } from '../src/trial/trial-terms.ts'
import { Machines } from './testing.ts'

let machines: Machines
let targets: readonly ShellTarget[]
const opened: Pick<Machine, 'close'>[] = []

beforeEach(async () => {
  machines = new Machines()
  targets = [await machines.target('m1', 'one'), await machines.target('m2', 'two')]
  await machines.deploy(OLD(), targets)
})
afterEach(async () => {
  for (const { close } of [...opened.splice(0), ...targets.map(({ machine }) => machine)]) close()
  await machines.close()
})

const OLD = () => machines.manifest({ one: { a: {} }, two: { b: {} } })
const NEW = () => machines.manifest({ one: { c: {} }, two: { d: { dependsOn: ['c'] } } })

type Anew = (place: ShellTarget, machine: Machine<'confirm'>) => Machine<'confirm'> | DavitError

const helper = async <R extends 'trial' | 'confirm'>(place: ShellTarget, role: R) => {
  const machine = await machines.helper(place, role)
  opened.push(machine)
  return machine
}

/** Connections of which the new ones are as a test wants them. */
function connections(anew: Anew = (_, machine) => machine): TrialConnections {
  return {
    on: (place) => helper(place, 'trial'),
    async anew(places, _, use) {
      const found = places.map(async (place) => [place, anew(place, await helper(place, 'confirm'))] as const)
      return use(new Map(await Promise.all(found)))
    },
  }
}

const deploy = (anew?: Anew, signal = new AbortController().signal) =>
  machines.deploy(NEW(), targets, { signal, confirm: { seconds: 600, connections: connections(anew) } })
const lost = new DavitError('unreachable', 'no route')
const trialsOf = (machine: string, target: string) => {
  const directory = join(machines.directory, machine, 'targets', target, 'trials')
  return existsSync(directory) ? readdirSync(directory).filter((name) => name !== '.log.default') : []
}
/** Watchers remove what is left of their trials when these are already over. */
const expectNoTrials = () => until(() => expect([trialsOf('m1', 'one'), trialsOf('m2', 'two')]).toEqual([[], []]))
const messages = () => machines.told().filter((text) => /back|confirmed/.test(text))

test('a deployment is completed once all targets were confirmed, and nothing is left of the trials', async () => {
  expect(await deploy()).toEqual({ kind: 'completed' })
  expect(machines.up().toSorted()).toEqual(['c', 'd'])
  await expectNoTrials()
  expect(messages().at(-1)).toBe("note: confirmed 'one', 'two' over new connections")
})

test('no target is confirmed if one cannot be reached, and all go back', async () => {
  const time = new AbortController()
  const anew: Anew = ({ name }, machine) => {
    time.abort()
    return name === 'two' ? lost : machine
  }
  const outcome = deploy(anew, time.signal)
  await expect(outcome).rejects.toMatchObject({
    code: 'not-confirmed',
    exitStatus: 1,
    diagnostics: [{ message: "cannot confirm 'two' over a new connection: no route" }],
  })
  expect(machines.up().toSorted()).toEqual(['a', 'b'])
  await expectNoTrials()
  // Another deployment under another lock is no different from others.
  expect(await deploy()).toEqual({ kind: 'completed' })
})

test('a target that cannot be reached at first is tried again', async () => {
  let attempts = 0
  const late: Anew = ({ name }, machine) => (name === 'two' && (attempts += 1) < 3 ? lost : machine)
  expect(await deploy(late)).toEqual({ kind: 'completed' })
})

test('a target that stays away is waited for only as long as there is time to confirm', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // A timer that nobody refers to is collected, and would never end the waiting.
  const away: Anew = ({ name }, machine) => {
    collect()
    return name === 'two' ? lost : machine
  }
  const confirm = { seconds: 6, connections: connections(away) }
  await expect(machines.deploy(NEW(), targets, { confirm })).rejects.toMatchObject({ code: 'not-confirmed' })
})

test('it is said which targets run what, if one was confirmed before another one was lost', async () => {
  const time = new AbortController()
  const deaf = (machine: Machine<'confirm'>): Machine<'confirm'> => ({
    ...machine,
    request: async (...request) => {
      if (request[0] === 'trial_confirm') {
        time.abort()
        throw lost
      }
      return machine.request(...request)
    },
  })
  const outcome = deploy(({ name }, machine) => (name === 'two' ? deaf(machine) : machine), time.signal)
  await expect(outcome).rejects.toMatchObject({
    code: 'not-confirmed',
    exitStatus: 2,
    fields: {
      targets: [
        { target: 'one', state: 'confirmed' },
        { target: 'two', state: 'back' },
      ],
    },
  })
  expect(machines.up().toSorted()).toEqual(['b', 'c'])
})

test('an interruption while targets are confirmed lets all of them be confirmed', async () => {
  const interruption = new AbortController()
  const waiting: (() => void)[] = []
  const held = (machine: Machine<'confirm'>, name: string): Machine<'confirm'> => ({
    ...machine,
    request: async (...request) => {
      if (request[0] === 'trial_confirm' && name === 'one') interruption.abort()
      if (request[0] === 'trial_confirm' && name === 'two') await new Promise<void>((resolve) => waiting.push(resolve))
      return machine.request(...request)
    },
  })
  const obeying: TrialConnections = {
    on: (place) => helper(place, 'trial'),
    anew: (places, signal, use) =>
      unlessAborted(connections((place, machine) => held(machine, place.name)).anew(places, signal, use), signal),
  }
  const confirm = { seconds: 600, connections: obeying }
  const outcome = machines.deploy(NEW(), targets, { signal: interruption.signal, confirm })
  await until(() => expect([waiting.length, interruption.signal.aborted]).toEqual([1, true]))
  waiting[0]?.()
  expect(await outcome).toEqual({ kind: 'completed' })
  expect(machines.up().toSorted()).toEqual(['c', 'd'])
})

test('a deployment that fails goes back, and so is what it could not undo itself', async () => {
  writeFileSync(join(machines.directory, 'fail-d'), '')
  expect(await deploy()).toMatchObject({ kind: 'rolled-back', failures: [{ activity: { service: { name: 'd' } } }] })
  expect(machines.up().toSorted()).toEqual(['a', 'b'])
  await expectNoTrials()
})

test('nothing is said to be confirmed if a target cannot keep what is active', async () => {
  writeFileSync(join(machines.directory, 'm2', 'targets', 'two', 'trials'), '')
  await expect(deploy()).rejects.toThrow(/trials/)
  expect(machines.up().toSorted()).toEqual(['a', 'b'])
  const back = 'note: is back to what was active before'
  expect(messages()).toEqual([back, back])
})

test('a target that has forgotten its trial counts as confirmed only if it was asked to confirm', async () => {
  const forgetful: Anew = (_, machine) => {
    rmSync(join(machines.directory, 'm2', 'targets', 'two', 'trials'), { recursive: true, force: true })
    return machine
  }
  const reason = 'it knows nothing of this deployment any more'
  await expect(deploy(forgetful)).rejects.toMatchObject({
    code: 'not-confirmed',
    exitStatus: 2,
    diagnostics: [{ message: `cannot confirm 'two' over a new connection: ${reason}` }],
    fields: {
      targets: [
        { target: 'one', state: 'back' },
        { target: 'two', state: 'unknown' },
      ],
    },
  })
})

test('a deployment that changes nothing has nothing to confirm', async () => {
  const confirm = { seconds: 600, connections: connections(() => lost) }
  expect(await machines.deploy(OLD(), targets, { confirm })).toEqual({ kind: 'completed' })
})

test('a plan that moves state is refused', () => {
  const service = { name: 'db' }
  const mapping = { target: 'one', container: 'mysql', service: 'key' }
  const snapshot = { kind: 'snapshot', id: 'snapshot x', service, mapping } as unknown as Activity
  const plan = { transition: { phases: [[snapshot]], skipped: [], outdated: [] }, deployed: { places: new Map() } }
  expect(() => refuseTrial(plan)).toThrow(expect.objectContaining({ code: 'not-revertible', exitStatus: 64 }))
})
