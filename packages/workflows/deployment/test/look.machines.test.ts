import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import {
  type DeploymentPlace,
  type Generation,
  generationRoot,
  readLeftBehind,
  writeLeftBehind,
} from '@davit/coordinator-state'
import { acquireLocks, ownerOf, writeLockRecord } from '@davit/deployment-lock'
import { DavitError } from '@davit/diagnostics'
import type { Manifest, NamedMapping, ProfileName, TargetName } from '@davit/documents'
import { processIdentity } from '@davit/process'
import { type NativeStore, openNativeStore } from '@davit/store'
import { type ReachedTargets, setProfile, type ShellTarget } from '@davit/target'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { isDeployed, isRecorded, type LookTerms } from '../src/look.ts'
import { Machines } from './testing.ts'

const profile = 'default' as ProfileName
const ONE = 'one' as TargetName
const here = processIdentity()
const lock = { profile, token: 'mine', owner: ownerOf(here, 'self'), leaseSeconds: 60, here }
const UNCHANGED = 'note: nothing to do: services, profiles and generation are as the manifest says'

let machines: Machines
let place: DeploymentPlace
let store: NativeStore
let targets: readonly ShellTarget[]
let next: Manifest
let generation: Generation | undefined

beforeEach(async () => {
  machines = new Machines()
  place = join(machines.directory, 'coordinator', profile)
  const directory = join(machines.directory, 'store')
  store = await openNativeStore({ directory, environment: {}, isolation: { kind: 'none' } })
  targets = [await machines.target('m1', 'one')]
  generation = undefined
  next = await manifestWith({ api: {}, page: { dependsOn: ['api'] } })
  await machines.deploy(next, targets)
  await setProfiles(next)
  await record(next)
  machines.calls()
  machines.events.length = 0
})
afterEach(() => machines.close())

/** A manifest for target `one` with a profile in the store. */
async function manifestWith(services: Parameters<Machines['manifest']>[0][string]): Promise<Manifest> {
  const script = readFileSync(join(machines.directory, 'modules/module'))
  const activities = ['activate', 'deactivate', 'status']
  const modules = new Map([['module', await store.addModule('module', { script, activities })]])
  const profileManifest = `<${Object.keys(services).join('-')}/>`
  const paths = await store.addProfiles([{ name: 'one', packages: [], profileManifest, modules }])
  return { ...machines.manifest({ one: services }), store: store.reference, profiles: new Map([[ONE, paths[0]!]]) }
}

async function setProfiles(manifest: Manifest): Promise<void> {
  const path = manifest.profiles.get(ONE)!
  for (const { name: target, machine } of targets) {
    const generations = 'add' as const
    await setProfile(machine, { target, profile, token: '-', path, generations, store: store.reference })
  }
}

/** Makes a manifest the current generation, and keeps it in the store. */
async function record(manifest: Manifest): Promise<void> {
  const origin = { time: new Date(), user: 'me', host: 'here' }
  generation = { number: (generation?.number ?? 0) + 1, manifest, text: '', origin }
  await store.addRoot(generationRoot(place, generation.number), [...manifest.profiles.values()])
}

async function terms(given: Partial<LookTerms>): Promise<LookTerms> {
  const known = { generation, previous: generation?.manifest, leftBehind: await readLeftBehind(place) }
  return { ...machines.terms(), ...known, place, sets: ['profiles', 'generation'], store, ...given }
}

/** Whether a run would change nothing. */
async function look(given: Partial<LookTerms> = {}, unreachable: ReachedTargets['unreachable'] = new Map()) {
  const all = await terms(given)
  const reached = { targets: new Map(targets.map((target) => [target.name, target])), unreachable }
  return (await isRecorded(next, all)) && isDeployed(next, reached, all)
}

const recordOf = (service: string) => join(machines.records('m1', 'one'), `${service}:${service}`)
const told = () => machines.events.flatMap((event) => ('message' in event ? [`${event.kind}: ${event.message}`] : []))

test('what is deployed and recorded is left as it is, without an activity, and nothing is written', async () => {
  const before = changeTimes(machines.directory)
  expect(await look()).toBe(true)
  expect(changeTimes(machines.directory)).toEqual(before)
  expect([machines.calls(), told()]).toEqual([[], [UNCHANGED]])
})

describe('a run has something to do, and the look says nothing about it,', () => {
  test.each<readonly [string, () => unknown]>([
    ['if a service died', () => machines.die('api')],
    ['if its machine was restarted', () => machines.reboot('m1', 'one')],
    ['if its record was removed', () => rmSync(recordOf('page'), { recursive: true })],
    ['if its record was damaged', () => machines.edit(join(recordOf('page'), 'record'), /^pkg .*/m, '')],
    ['if a record cannot be used', makeUnusable],
    ['if its activity was cut off', () => writeFileSync(join(recordOf('page'), 'state'), 'deactivating\n')],
    ['if a service may still be locked', () => writeFileSync(join(recordOf('page'), 'status'), 'lock 0\n')],
    ['if somebody holds the lock', () => acquireLocks(targets, lock)],
    ['if the profile of a target is another one', async () => setProfiles(await manifestWith({ api: {} }))],
    ['if a target lacks a package', removeRegistration],
    ['if the generation is another one', () => record({ ...next, store: { kind: 'nix', directory: '/store' } })],
    ['if there is no generation', () => (generation = undefined)],
    ['if nothing keeps the generation', () => store.removeRoot(generationRoot(place, 1))],
    ['if a rollback is unfinished', beginRollback],
    [
      'if the coordinator has left a lock',
      () => writeLockRecord(place, { ...lock, processGroup: 1, manifest: '', targets: [], renamed: [] }),
    ],
    [
      'if a target has records of a former name',
      async () => {
        const old = [await machines.target('m1', 'old')]
        await machines.deploy(machines.manifest({ old: { shop: {} } }), old, { upgrade: 'activate-only' })
      },
    ],
  ])('%s', async (_, happen) => {
    await happen()
    machines.events.length = 0
    expect([await look(), told()]).toEqual([false, []])
  })

  test('while an activity is running', async () => {
    const running = join(recordOf('page'), 'running')
    const { pid, startTime, bootId } = here
    symlinkSync(`${pid}:${startTime}:${bootId}`, running)
    expect([await look(), told()]).toEqual([false, []])
  })

  test('if a target cannot be reached, or is lost meanwhile', async () => {
    const lost = new DavitError('connection-lost', 'gone', { exitStatus: 69 })
    expect(await look({}, new Map([['two' as TargetName, lost]]))).toBe(false)
    const request = async () => Promise.reject(lost)
    targets = targets.map(({ name, machine }) => ({ name, machine: { ...machine, facts: machine.facts, request } }))
    expect([await look(), told()]).toEqual([false, []])
  })

  test('if a service that was left behind on a removed target is settled', async () => {
    await writeLeftBehind(place, [leftOn('one')])
    expect([await look(), told()]).toEqual([false, []])
  })
})

describe('a run has nothing to do', () => {
  test('about services that keep running on a removed target, and the look warns of them', async () => {
    await writeLeftBehind(place, [leftOn('gone')])
    expect([await look(), told()]).toEqual([
      true,
      [expect.stringMatching(/^warning: .*'shop'.*'gone'/), 'note: nothing to do'],
    ])
  })

  test('about a file among the records that is not a record, and the look warns of it', async () => {
    cpSync(recordOf('page'), recordOf('a b'), { recursive: true })
    expect([await look(), told()]).toEqual([
      true,
      [expect.stringMatching(/^warning: skipping '.*a b'/), 'note: nothing to do'],
    ])
  })

  test('about profiles or a generation that it does not set', async () => {
    await setProfiles(await manifestWith({ api: {} }))
    expect(await look({ sets: ['generation'] })).toBe(true)
    expect(await look({ sets: [], generation: undefined })).toBe(true)
    expect(told()).toEqual([
      'note: nothing to do: services and generation are as the manifest says',
      'note: nothing to do: services are as the manifest says',
    ])
  })
})

/** A service that an earlier run has left behind. */
function leftOn(target: string): NamedMapping {
  const names = { service: 'shop', container: 'shop', name: 'shop' }
  return { target, ...names } as unknown as NamedMapping
}

function beginRollback(): void {
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'rollback'), '2 1\n')
}

/** Makes a record of which neither the record itself nor a manifest tells how to stop its service. */
function makeUnusable(): void {
  cpSync(recordOf('page'), recordOf('other'), { recursive: true })
  writeFileSync(join(recordOf('other'), 'record'), '')
}

function removeRegistration(): void {
  const registrations = join(machines.directory, 'store/.davit/registrations')
  const module = readdirSync(registrations).find((name) => name.includes('-module'))
  rmSync(join(registrations, module!))
}

/** When each file below a directory, or what is in it, was last changed; except what the modules of the tests write. */
function changeTimes(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name !== 'log')
    .toSorted()
    .map((name) => `${name} ${lstatSync(join(directory, name), { bigint: true }).ctimeNs}`)
}
