import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sampleOf } from '@davit/testing/effort'
import { removeTree } from '@davit/testing/scratch'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { deployed, type Outcome, realPrograms, World } from './accident.ts'

const programs = realPrograms()

/** A call of a module, or a line on standard error, at which davit-env is killed. */
type Point = string | RegExp

/** Points before a run has begun, so that there may be nothing to resume. */
const BEFORE: readonly Point[] = ['lock a 1', /build a: done/, /alpha\] send packages \(/]

const LAST = /generation 2 on the coordinator/

/** Points at which the targets may all have reached what was wanted. */
const AFTER: readonly Point[] = [
  /alpha\] generation 2 of the profile/,
  'unlock b 2',
  /beta\] generation 2 of the profile/,
  LAST,
]

const POINTS: readonly Point[] = [
  'activate a 2',
  AFTER[0]!,
  BEFORE[0]!,
  'deactivate b 1',
  'snapshot s 1',
  'restore s 2',
  'deactivate a 1',
  'activate b 2',
  AFTER[1]!,
  BEFORE[1]!,
  BEFORE[2]!,
  /transfer the state of s in counted to beta\n/,
  AFTER[2]!,
  LAST,
]
const succeeded = (outcome: Outcome) => {
  expect(outcome).toMatchObject({ status: 0 })
  return outcome
}

const COPY = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true } as const

let directory: string
let world: World
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'davit-resume-'))
})
afterAll(() => removeTree(directory))
beforeEach(() => {
  removeTree(join(directory, 'world'))
  mkdirSync(join(directory, 'world'))
  world = new World(programs.directory, join(directory, 'world'))
})

/** Deploys a first version, which is done once, then a second one, of which the run is killed at a point. */
async function killedAt(point: Point): Promise<World> {
  const first = join(directory, 'first')
  if (existsSync(first)) cpSync(first, world.directory, COPY)
  else {
    succeeded(await world.run(world.write(1)))
    cpSync(world.directory, first, COPY)
  }
  const isCall = typeof point === 'string'
  if (isCall) world.killAt(point)
  const outcome = await world.run([...world.write(2), '-v'], isCall ? undefined : point)
  expect(outcome.status).toBe(null)
  return world
}

describe.each(sampleOf(POINTS, 1))('after davit-env was killed at %s', (point) => {
  test('the same coordinator goes on with --resume', async () => {
    const world = await killedAt(point)
    const plan = succeeded(await world.run(['--resume', '--dry-run']))
    const before = world.active()
    succeeded(await world.run(['--resume']))
    const isBegun = !plan.stderr.includes('nothing to resume')
    expect(isBegun || BEFORE.includes(point) || point === LAST || point === 'unlock b 2').toBe(true)
    expect(world.active()).toEqual(isBegun ? deployed(2) : before)
    const { stderr } = succeeded(await world.run(['--resume']))
    expect(stderr).toContain('no infrastructure model was given: the targets were not asked')
    expect(succeeded(await world.run(world.write(2))).stderr).toContain(isBegun ? 'nothing to do' : '')
  })

  test('another one goes on with --resume -i', async () => {
    const world = await killedAt(point)
    const comeBack = world.otherCoordinator()
    const { stderr } = succeeded(await world.run(['--resume', '-i', world.path('infrastructure.json')]))
    const isBegun = !stderr.includes('nothing to resume')
    expect(isBegun || BEFORE.includes(point) || AFTER.includes(point)).toBe(true)
    expect(stderr.includes('generation 1 on the coordinator')).toBe(isBegun)
    const now = world.active()
    expect(isBegun ? [deployed(2)] : [deployed(1), deployed(2)]).toContainEqual(now)
    comeBack()
    expect(succeeded(await world.run(['--resume'])).status).toBe(0)
    expect(world.active()).toEqual(now)
  })

  test('another one goes back with --abort -i, or says that all was done', async () => {
    const world = await killedAt(point)
    const comeBack = world.otherCoordinator()
    const infrastructure = ['-i', world.path('infrastructure.json')]
    const outcome = await world.run(['--abort', ...infrastructure])
    if (outcome.stderr.includes('[half-recorded]')) succeeded(await world.run(['--resume', ...infrastructure]))
    else succeeded(outcome)
    const now = world.active()
    const isRecorded = point instanceof RegExp && point.source.includes('generation')
    expect(now).toEqual(deployed(isRecorded || point === 'unlock b 2' ? 2 : 1))
    comeBack()
    // The record of the first coordinator is older than what the targets were told since.
    const resumed = await world.run(['--resume'])
    const isRefused = resumed.stderr.includes('[wanted-elsewhere]')
    expect(isRefused || resumed.status === 0).toBe(true)
    expect(world.active()).toEqual(now)
    succeeded(await world.run(['--resume', '--prefer', 'coordinator']))
    expect(world.active()).toEqual(isRefused ? deployed(2) : now)
  })
})

test('--coordinator-profile-path keeps what is remembered elsewhere', async () => {
  const elsewhere = ['--coordinator-profile-path', world.path('elsewhere')]
  succeeded(await world.run([...world.write(1), ...elsewhere]))
  expect(readdirSync(world.path('state'))).toEqual(['targets'])
  expect(readdirSync(world.path('elsewhere/default')).toSorted()).toEqual([
    'begun',
    'current',
    'generations',
    'journal',
  ])
  expect(succeeded(await world.run(['--list-generations', ...elsewhere])).stdout).toContain('1')
  const unknown = await world.run(['--list-generations'])
  expect(unknown.stderr + unknown.stdout).toContain('nothing')
})
