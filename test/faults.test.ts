import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { HOSTS_POSSIBLE } from './harness/hosts.ts'
import { laboratory, type Laboratory } from './faults/laboratory.ts'
import { isFailure, renderFailure, renderPoints, renderTally, runFaults } from './faults/loop.ts'
import { type Points, randomFrom, sampleFaults } from './faults/points.ts'
import { makeSystem, type System } from './faults/system.ts'

const { DAVIT_FAULT_SEED: given } = process.env
const SEED = given ? Number(given) : Date.now() % 1_000_000
/** Three times as many as there are kinds of faults. */
const ROUNDS = 33

/** A sample of what `scripts/faults` tries as a whole. */
describe.skipIf(!HOSTS_POSSIBLE)('a deployment to three hosts that is interrupted', () => {
  let system: System
  let place: Laboratory
  let points: Points

  beforeAll(async () => {
    system = await makeSystem(inject('prefix'))
    place = laboratory(system)
    points = await place.trace()
  })
  afterAll(async () => system?.remove())

  test('the points at which it can be interrupted are many', () => {
    for (const step of ['install', 'upgrade', 'undeploy'] as const) {
      expect(points[step].length).toBeGreaterThan(100)
      for (const tool of ['distribute', 'lock', 'activate', 'set']) {
        expect(points[step].some((point) => point.startsWith(`davit-${tool}:`))).toBe(true)
      }
    }
  })

  test(
    'the next run makes all good, wherever it was',
    async () => {
      const say = (text: string) => process.stdout.write(`${text}\n`)
      say(`DAVIT_FAULT_SEED=${SEED}; ${renderPoints(points)}; ${ROUNDS} rounds`)
      const results = await runFaults(place, sampleFaults(points, ROUNDS, randomFrom(SEED)), { say: () => {} })
      say(renderTally(results))
      expect(results.filter(isFailure).map(renderFailure).join('\n')).toBe('')
    },
    20 * 60_000,
  )
})
