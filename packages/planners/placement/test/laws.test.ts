import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { distributionOf, placeServices } from '../src/placement.ts'
import { formerOf, modelsOf, placed, type ShortModels, type ShortService, type ShortTarget } from './testing.ts'

const TYPES = ['process', 'db', 'site']
const TAGS = ['x', 'y']
const names = (letters: string) => fc.subarray(letters.split(' '))

const service: fc.Arbitrary<ShortService> = fc.record(
  { type: fc.constantFrom(...TYPES), tags: fc.subarray(TAGS) },
  { requiredKeys: [] },
)
const target: fc.Arbitrary<ShortTarget> = fc.record(
  { has: fc.subarray(TYPES), tags: fc.subarray(TAGS), numOfCores: fc.integer({ min: 1, max: 4 }) },
  { requiredKeys: [] },
)
const tableOf = <Value>(keys: fc.Arbitrary<readonly string[]>, value: fc.Arbitrary<Value>) =>
  keys.chain((all) => fc.record(Object.fromEntries(all.map((key) => [key, value]))))
const models: fc.Arbitrary<ShortModels> = fc.record({
  services: tableOf(names('a b c d e f g h'), service),
  targets: tableOf(names('s t u v w'), target),
})

function canTake(given: ShortTarget | undefined, needed: ShortService | undefined): boolean {
  if (given === undefined || needed === undefined) return false
  const { has = ['process'], tags: offered = [] } = given
  const { type = 'process', tags = [] } = needed
  return has.includes(type) && (tags as readonly string[]).every((tag) => (offered as readonly string[]).includes(tag))
}

test('every service is placed if and only if a target can take it, and only on such a target', () => {
  fc.assert(
    fc.property(models, (given) => {
      const places = placed(given)
      expect(Object.keys(places).toSorted()).toEqual(Object.keys(given.services).toSorted())
      for (const [name, needed] of Object.entries(given.services)) {
        const able = Object.keys(given.targets).filter((one) => canTake(given.targets[one], needed))
        expect(able.length === 0 ? ['nowhere'] : able).toContain(places[name])
      }
    }),
  )
})

test('services stay when others, and targets, come and go', () => {
  const terms = fc.constantFrom({}, { capacity: 'numOfCores' })
  fc.assert(
    fc.property(models, models, terms, (first, second, options) => {
      const earlier = formerOf(first, options)
      const later = placed(second, { ...options, previous: earlier })
      for (const [name, { places }] of earlier) {
        const { [name]: needed } = second.services
        const left = places.flatMap((place) => (canTake(second.targets[place.target], needed) ? [place.target] : []))
        expect(later[name]).toBe(left[0] ?? later[name])
      }
    }),
  )
})

test('nothing moves if nothing changes', () => {
  fc.assert(
    fc.property(models, (given) => {
      expect(placed(given, { previous: formerOf(given) })).toEqual(placed(given))
    }),
  )
})

test('the order of the files does not matter', () => {
  const shuffled = (table: Readonly<Record<string, object>>) =>
    fc
      .shuffledSubarray(Object.entries(table), { minLength: Object.keys(table).length })
      .map((all) => Object.fromEntries(all))
  const both = models.chain((given) =>
    fc.record({ given: fc.constant(given), services: shuffled(given.services), targets: shuffled(given.targets) }),
  )
  const bytes = (given: ShortModels) =>
    JSON.stringify([...distributionOf(placeServices(modelsOf(given)), () => 'process')])
  fc.assert(
    fc.property(both, ({ given, services, targets }) => {
      expect(bytes({ services, targets })).toBe(bytes(given))
    }),
  )
})

test('if all targets can take all services, these go round in turn, as by the original', () => {
  const count = fc.integer({ min: 1, max: 30 })
  fc.assert(
    fc.property(count, count, (services, targets) => {
      const named = (letter: string, length: number) => Array.from({ length }, (_, at) => `${letter}${100 + at}`)
      const tables = (all: readonly string[]) => Object.fromEntries(all.map((name) => [name, {}]))
      const [ours, theirs] = [named('s', services), named('t', targets)]
      expect(placed({ services: tables(ours), targets: tables(theirs) })).toEqual(
        Object.fromEntries(ours.map((name, at) => [name, theirs[at % targets]])),
      )
    }),
  )
})

test('no target takes more than it can, and only what fits nowhere is left out', () => {
  const demands = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 12 })
  const capacities = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(demands, capacities, (sizes, room) => {
      const services = Object.fromEntries(sizes.map((memoryMB, at) => [`s${at}`, { memoryMB }]))
      const targets = Object.fromEntries(room.map((memoryMB, at) => [`t${at}`, { memoryMB }]))
      const places = placed({ services, targets }, { capacity: 'memoryMB' })
      const sum = (place: string) => sizes.reduce((all, size, at) => (places[`s${at}`] === place ? all + size : all), 0)
      for (const [at, left] of room.entries()) expect(sum(`t${at}`)).toBeLessThanOrEqual(left)
      const refused = sizes.filter((_, at) => places[`s${at}`] === 'nowhere')
      for (const size of refused) expect(room.every((left, on) => left - sum(`t${on}`) < size)).toBe(true)
    }),
  )
})
