import type { Architecture, Manifest, NormalizedService, ServiceName } from '@davit/documents'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { manifestOf } from '../src/normalization.ts'
import { architectureFor, type PlainModel, type PlainService, problemsOf } from './model.ts'

function manifestFor(plain: PlainModel): Manifest {
  return manifestOf(architectureFor(plain), new Map())
}

/** Renders each mapping as `web@t1/process`, with the system where it matters. */
function shown({ services, serviceMappings }: Manifest): string[] {
  return serviceMappings.map(
    ({ service, target, container }) => `${services.get(service)?.name}@${target}/${container}`,
  )
}

test('manifestOf() maps services by name, each in the order of its targets', () => {
  const services = {
    web: { targets: ['t2', 't1 x'] },
    api: { targets: ['t1'] },
    tool: { type: 'package', targets: ['t1'] },
  }
  expect(shown(manifestFor({ services }))).toEqual(['api@t1/process', 'web@t2/process', 'web@t1/x'])
})

test('manifestOf() gives a service a key for each of its systems', () => {
  const infrastructure = { t1: { system: 'x86_64-linux' }, t2: { system: 'aarch64-linux' } }
  const services = {
    db: {
      targets: ['t1', 't2'],
      pkg: (system: string) => ({ kind: 'data', spec: { kind: 'source', path: `/${system}` } }) as const,
    },
    web: { targets: ['t1'], dependsOn: ['db'] },
  }
  const manifest = manifestFor({ infrastructure, services })
  const keyOf = (target: string) => manifest.serviceMappings.find((one) => one.target === target)?.service
  const web = [...manifest.services.values()].find(({ name }) => name === 'web')
  expect(manifest.services.size).toBe(3)
  expect(keyOf('t1')).not.toBe(keyOf('t2'))
  expect(web?.dependsOn.map(({ service }) => service)).toEqual([keyOf('t1'), keyOf('t2')])
})

test('manifestOf() orders what a service waits for by parameter, and dependsOn wins', () => {
  const services = {
    a: { targets: ['t1'] },
    b: { targets: ['t2', 't1'] },
    web: { targets: ['t1'], activatesAfter: { z: 'a', m: 'a' }, dependsOn: { m: 'b', k: 'a' } },
  }
  const manifest = manifestFor({ services })
  const web = [...manifest.services.values()].find(({ name }) => name === 'web')
  const names = web?.dependsOn.map(({ service, target }) => `${manifest.services.get(service)?.name}@${target}`)
  expect(names).toEqual(['a@t1', 'b@t2', 'b@t1', 'a@t1'])
})

test('manifestOf() keeps the state of services only, and names the component', () => {
  const services = {
    db: { targets: ['t1'], deployState: true },
    tool: { type: 'package', targets: ['t1'], deployState: true },
    web: { targets: ['t1'] },
  }
  expect(manifestFor({ services }).snapshotMappings.map(({ component }) => component)).toEqual(['db'])
})

test('manifestOf() lists what a service connects to without letting it into keys', () => {
  const services = (connectsTo: readonly string[]) => ({
    a: { targets: ['t1'], connectsTo },
    b: { targets: ['t1'], connectsTo: ['a'] },
  })
  const [apart, together] = [manifestFor({ services: services([]) }), manifestFor({ services: services(['b']) })]
  expect([...together.services.keys()]).toEqual([...apart.services.keys()])
  expect([...together.services.values()].map(({ connectsTo }) => connectsTo.length)).toEqual([1, 1])
})

test('manifestOf() refuses an architecture that contradicts itself', () => {
  const architecture = architectureFor({
    services: { a: { targets: ['t1'] }, b: { targets: ['t1'], dependsOn: ['a'] } },
  })
  const [a, b] = [...architecture.services.values()]
  const cyclic = new Map([
    [
      'a' as ServiceName,
      { ...a, dependsOn: new Map([['b', { service: 'b', targets: [] }]]) } as unknown as NormalizedService,
    ],
    ['b' as ServiceName, b as NormalizedService],
  ])
  expect(() => manifestOf({ ...architecture, services: cyclic }, new Map())).toThrow('in a cycle: a → b → a')
  const incomplete = new Map([...architecture.services].map(([name, one]) => [name, { ...one, packages: new Map() }]))
  expect(() => manifestOf({ ...architecture, services: incomplete }, new Map())).toThrow(
    expect.objectContaining({ code: 'invalid-architecture', exitStatus: 65 }),
  )
})

const TARGETS = ['t1', 't2', 't3']
const TABLE = { b: { y: 1, x: [{ q: 1, p: 'text' }] }, a: true }
const INFRASTRUCTURE = {
  t1: { properties: { hostname: 't1', ...TABLE }, containers: { process: TABLE, other: {} } },
  t2: { system: 'aarch64-linux' },
  t3: {},
}

interface Generated {
  readonly targets: readonly string[]
  readonly dependsOn: readonly number[]
  readonly connectsTo: readonly number[]
  readonly activatesAfter: readonly number[]
  readonly provides: boolean
  readonly type: string
}

const anySystem = fc.array(
  fc.record<Generated>({
    targets: fc.subarray(TARGETS),
    dependsOn: fc.uniqueArray(fc.nat(9), { maxLength: 3 }),
    connectsTo: fc.uniqueArray(fc.nat(9), { maxLength: 3 }),
    activatesAfter: fc.uniqueArray(fc.nat(9), { maxLength: 2 }),
    provides: fc.boolean(),
    type: fc.constantFrom('process', 'page'),
  }),
  { minLength: 1, maxLength: 10 },
)

/** Services wait only for earlier ones and only the first three provide containers, so that there is no cycle. */
function servicesOf(
  system: readonly Generated[],
  nameOf = (index: number) => `s${index}`,
): Record<string, PlainService> {
  const named = (indexes: readonly number[], limit: number) => indexes.filter((index) => index < limit).map(nameOf)
  const entries = system.map((one, index): [string, PlainService] => [
    nameOf(index),
    {
      type: index < 3 ? 'process' : one.type,
      targets: one.targets,
      dependsOn: named(one.dependsOn, index),
      connectsTo: named(one.connectsTo, system.length),
      activatesAfter: named(one.activatesAfter, index),
      ...(one.provides && index < 3 ? { providesContainer: 'page' } : {}),
      attributes: TABLE,
      pkg: { kind: 'data', spec: { kind: 'source', path: `/src/s${index}` } },
    },
  ])
  return Object.fromEntries(entries)
}

test('the order in the models has no effect', () => {
  fc.assert(
    fc.property(anySystem, (system) => {
      const services = servicesOf(system)
      const there = architectureFor({ services, infrastructure: INFRASTRUCTURE })
      const back = architectureFor({ services: reversed(services), infrastructure: reversed(INFRASTRUCTURE) })
      expect(textOf(back)).toBe(textOf(there))
      expect(textOf(manifestOf(back, new Map()))).toBe(textOf(manifestOf(there, new Map())))
    }),
  )
})

/** Reverses the order of the members of all tables. */
function reversed<Value>(value: Value): Value
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => reversed(element))
  const isPackage = typeof value === 'object' && value !== null && 'kind' in value
  if (typeof value !== 'object' || value === null || isPackage) return value
  const entries = Object.entries(value).map(([name, member]) => [name, reversed<unknown>(member)])
  return Object.fromEntries(entries.reverse())
}

test('a service keeps its key whatever is added, removed or renamed that it does not wait for', () => {
  fc.assert(
    fc.property(anySystem, fc.nat(9), (system, which) => {
      const services = servicesOf(system)
      const name = `s${which % system.length}`
      const before = keysOf(manifestFor({ services, infrastructure: INFRASTRUCTURE }))
      const renamed = manifestFor({ services: servicesOf(system, renaming(name)), infrastructure: INFRASTRUCTURE })
      const after = keysOf(renamed)
      before.delete(name)
      const dependants = transitiveDependants(name, manifestFor({ services, infrastructure: INFRASTRUCTURE }))
      for (const [other, keys] of before) {
        expect([other, isEqual(after.get(other), keys)]).toEqual([other, !dependants.has(other)])
      }
    }),
  )
})

function isEqual(left: readonly string[] | undefined, right: readonly string[]): boolean {
  return left?.join() === right.join()
}

/** The new name sorts where the old one did, so that the same service wins a clash of providers. */
function renaming(name: string): (index: number) => string {
  return (index) => (name === `s${index}` ? `s${index}x` : `s${index}`)
}

function keysOf({ services }: Manifest): Map<string, string[]> {
  const keys = new Map<string, string[]>()
  for (const [key, { name }] of services) keys.set(name, [...(keys.get(name) ?? []), key].sort())
  return keys
}

function transitiveDependants(name: string, { services }: Manifest): Set<string> {
  const found = new Set([name])
  for (let size = 0; size !== found.size;) {
    size = found.size
    for (const service of services.values()) {
      if (service.dependsOn.some((one) => found.has(services.get(one.service)?.name ?? ''))) found.add(service.name)
    }
  }
  return found
}

test('every mapping and dependency of a manifest leads to a service that is mapped there', () => {
  fc.assert(
    fc.property(anySystem, (system) => {
      const plain = { services: servicesOf(system), infrastructure: INFRASTRUCTURE }
      expect(problemsOf(plain)).toEqual([])
      const manifest = manifestFor(plain)
      const mapped = new Set(
        manifest.serviceMappings.map(({ service, target, container }) => `${service} ${target} ${container}`),
      )
      for (const { service, containerProvidedByService: provider, target } of manifest.serviceMappings) {
        expect(manifest.services.has(service)).toBe(true)
        if (provider === undefined) continue
        const waitsFor = manifest.services.get(service)?.dependsOn ?? []
        expect(waitsFor.some((one) => one.service === provider && one.target === target)).toBe(true)
      }
      for (const { dependsOn, connectsTo } of manifest.services.values()) {
        for (const one of [...dependsOn, ...connectsTo])
          expect(mapped).toContain(`${one.service} ${one.target} ${one.container}`)
      }
    }),
  )
})

test('a chain of 2,000 services gets its keys', () => {
  const services = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index): [string, PlainService] => [
      `s${index}`,
      { targets: ['t1'], dependsOn: index === 1999 ? [] : [`s${index + 1}`] },
    ]),
  )
  expect(manifestFor({ services }).services.size).toBe(2000)
})

function textOf(value: Architecture | Manifest): string {
  return JSON.stringify(value, (_, member: unknown) => (member instanceof Map ? [...member] : member))
}
