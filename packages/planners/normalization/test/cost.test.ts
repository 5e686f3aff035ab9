import { expect, test } from 'vitest'
import { type PlainModel, type PlainService, problemsOf, build, normalize } from './model.ts'

// With quadratic cost, each would take minutes.
const MANY = 4_000

const names = Array.from({ length: MANY }, (_, index) => `service${index}`)
const everywhere = (service: (name: string, index: number) => PlainService) =>
  Object.fromEntries(names.map((name, index) => [name, { targets: ['t1'], ...service(name, index) }]))
const plain = everywhere(() => ({}))

test.each<readonly [string, PlainModel, problem: string]>([
  [
    'dependencies on what does not exist',
    { services: { ...plain, web: { dependsOn: names.map((name) => `${name}x`) } } },
    "service 'web' depends on 'service0x', which does not exist",
  ],
  [
    'placements on unknown targets',
    {
      services: everywhere((name) => ({ targets: [`${name}x`] })),
      infrastructure: Object.fromEntries(names.map((name) => [name, { properties: { hostname: 'one' } }])),
    },
    "service 'service0' is placed on unknown target 'service0x'",
  ],
  [
    'unknown services in the distribution',
    { services: plain, distributedServices: names.map((name) => `${name}x`) },
    "the distribution places unknown service 'service0x'",
  ],
  [
    'services in one cycle',
    { services: everywhere((_, index) => ({ dependsOn: [names[(index + 1) % MANY] ?? ''] })) },
    'services depend on each other in a cycle: service',
  ],
])('4,000 %s are reported', (_, model, problem) => {
  const problems = problemsOf(model)
  expect(problems.some((text) => text.includes(problem))).toBe(true)
  expect(problems.length).toBeLessThanOrEqual(101)
  expect(problems.every((text) => text.length < 10_000)).toBe(true)
})

test('problems that are not shown are counted', () => {
  const problems = problemsOf({ services: plain, distributedServices: names.map((name) => `${name}x`) })
  expect(problems[0]).toMatch(/hint: did you mean 'service\d+'\?$/)
  expect(problems.at(-1)).toBe(`error: ${MANY - 100} more problems are not shown`)
})

test.each<readonly [string, PlainModel]>([
  ['dependencies of one service', { services: { ...plain, web: { targets: ['t1'], dependsOn: names } } }],
  ['connections of one service', { services: { ...plain, web: { targets: ['t1'], connectsTo: names } } }],
  ['services that wait for each other in a row', { services: everywhere((_, index) => after(index)) }],
  ['containers of one service', { services: { web: { targets: ['t1'], providesContainers: table(() => ({})) } } }],
  ['variables of one package', { services: { web: { targets: ['t1'], pkg: build(table((name) => `x ${name}`)) } } }],
  [
    'targets with one address',
    {
      services: { web: { targets: names } },
      infrastructure: table(() => ({ properties: { hostname: 'one' }, containers: { process: {} } })),
    },
  ],
])('4,000 %s are normalized', (_, model) => {
  expect(normalize(model).architecture.services.size).toBeGreaterThan(0)
})

function after(index: number): PlainService {
  return index === 0 ? {} : { dependsOn: [names[index - 1] ?? ''] }
}

function table<Value>(valueOf: (name: string) => Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]))
}
