import { createHash } from 'node:crypto'
import { Manifest, validateDocument } from '@davit/documents'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { allowedTargets } from '../src/allowed-targets.ts'
import { emissionOf, type Services, servicesIn, stackOf, type Targets, targetsNamed } from './testing.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const MACHINES = ['m1', 'm2', 'm3', 'm4', 'm5']

const services = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 })
const machines = fc.uniqueArray(fc.constantFrom(...MACHINES), { minLength: 1 })

function placed(names: readonly string[], targets: Targets, deployed?: Manifest): Services {
  const texts = stackOf(Object.fromEntries(names.map((name) => [name, 'type: mu/container, command: [x]'])))
  return servicesIn(emissionOf(texts, deployed === undefined ? { targets } : { targets, deployed }))
}

test('services that come or go move nobody', () => {
  const law = fc.property(services, services, machines, (some, more, names) => {
    const targets = targetsNamed(names)
    const [few, all] = [placed(some, targets), placed([...new Set([...some, ...more])], targets)]
    for (const name of Object.keys(few)) expect(all[name]?.targets).toEqual(few[name]?.targets)
  })
  fc.assert(law, { numRuns: 15 })
})

test('a target that goes moves only its own services, and one that comes moves some to itself only', () => {
  const law = fc.property(services, machines, fc.constantFrom(...MACHINES), (names, some, other) => {
    const rest = some.filter((one) => one !== other)
    fc.pre(rest.length > 0)
    const [without, within] = [placed(names, targetsNamed(rest)), placed(names, targetsNamed([...rest, other]))]
    const stayed = Object.keys(within).filter((name) => within[name]?.targets[0] !== other)
    for (const name of stayed) expect(without[name]?.targets).toEqual(within[name]?.targets)
  })
  fc.assert(law, { numRuns: 15 })
})

test('what is deployed stays, even if a better target comes', () => {
  const law = fc.property(services, machines, machines, (names, before, after) => {
    const was = placed(names, targetsNamed(before))
    const now = placed(names, targetsNamed([...new Set([...before, ...after])]), manifestOf(was))
    for (const name of Object.keys(was)) expect(now[name]?.targets).toEqual(was[name]?.targets)
  })
  fc.assert(law, { numRuns: 15 })
})

function manifestOf(placedServices: Services): Manifest {
  const entries = Object.entries(placedServices)
  const pkg = (name: string) => `/var/lib/davit/store/00000000000000000000000000000000-${name}`
  const key = (index: number) => index.toString(16).padStart(64, '0')
  const targets = [...new Set(entries.flatMap(([, one]) => one.targets))]
  const data = {
    document: 'manifest',
    version: 2,
    profiles: Object.fromEntries(targets.map((target) => [target, pkg('profile')])),
    services: Object.fromEntries(
      entries.map(([name], index) => [key(index), { name, pkg: pkg(name), type: 'process' }]),
    ),
    infrastructure: Object.fromEntries(
      targets.map((target) => [
        target,
        {
          properties: { hostname: target },
          containers: { process: {} },
          system: 'x86_64-linux',
          numOfCores: 1,
          clientInterface: 'davit-ssh',
          targetProperty: 'hostname',
        },
      ]),
    ),
    serviceMappings: entries.flatMap(([, one], index) =>
      one.targets.map((target) => ({ service: key(index), target, container: 'process' })),
    ),
    snapshotMappings: [],
  }
  return validateDocument(Manifest, data, { file: 'manifest' })
}

test('ports never meet on a target, and volumes are with all who mount them', () => {
  const service = fc.record({ port: fc.integer({ min: 1, max: 3 }), volume: fc.integer({ min: 0, max: 2 }) })
  const law = fc.property(fc.array(service, { maxLength: 6 }), fc.integer({ min: 1, max: 5 }), (list, count) => {
    const entries = list.map(({ port, volume }, index) => {
      const mount = volume === 0 ? '' : `, volumes: { V: v${volume} }`
      return [`s${index}`, `type: mu/container, command: [x], port: ${port}${mount}`] as const
    })
    const volumes = [1, 2].map((number) => [`v${number}`, 'type: mu/volume'] as const)
    const texts = stackOf(Object.fromEntries([...entries, ...volumes]))
    const emission = emissionOf(texts, { targets: targetsNamed(MACHINES.slice(0, count)) })
    if (emission.kind === 'refused') return emission.findings.some(({ code }) => code === 'MU612')
    const placedServices = servicesIn(emission)
    const targetsOf = (name: string) => placedServices[`shop.${name}`]?.targets ?? []
    const seen = list.flatMap(({ port }, index) => targetsOf(`s${index}`).map((target) => `${target}:${port}`))
    expect(new Set(seen).size).toBe(seen.length)
    return list.every(({ volume }, index) => volume === 0 || targetsOf(`v${volume}`)[0] === targetsOf(`s${index}`)[0])
  })
  fc.assert(law, { numRuns: 30 })
})

test.each([
  ['a/b', ['own']],
  ['a/c', ['below']],
  ['a/d/e', ['deeper']],
  ['a', undefined],
  ['b', undefined],
  ['c', ['every'], ['every']],
  ['a/d/e', ['deeper'], ['every']],
])('placement of %s: the longest match is %j', (fqn, expected, all?: readonly string[]) => {
  const table = new Map([
    ['a/b', ['own']],
    ['a/**', ['below']],
    ['a/d/**', ['deeper']],
    ...(all === undefined ? [] : [['**', all] as const]),
  ])
  const allowed = allowedTargets(table, fqn)
  expect(allowed && [...allowed]).toEqual(expected)
})

/** Targets in the order in which a group would have them. */
function rankedFor(fqn: string, names: readonly string[]): readonly string[] {
  const rank = (name: string) => createHash('sha256').update(`${fqn}\0${name}`).digest('hex')
  return names.toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1))
}

const PROGRAM = 'type: mu/container, command: [x]'

test('targets are ranked by a digest of the first name of a group and their own', () => {
  const texts = stackOf({
    m: `${PROGRAM}, volumes: { V: v }`,
    v: 'type: mu/volume',
    s: 'type: mu/autoscaler, target: m, replicas: 3',
    z: PROGRAM,
  })
  const placedServices = servicesIn(emissionOf(texts, { targets: targetsNamed(MACHINES) }))
  const best = rankedFor('shop/m', MACHINES).slice(0, 3)
  expect(placedServices['shop.m']?.targets).toEqual(best)
  expect(placedServices['shop.v']?.targets).toEqual(best)
  expect(placedServices['shop.z']?.targets).toEqual(rankedFor('shop/z', MACHINES).slice(0, 1))
})

test('a group runs as often as any of it', () => {
  const texts = stackOf({
    a: `${PROGRAM}, volumes: { V: v }`,
    b: `${PROGRAM}, volumes: { V: v }`,
    v: 'type: mu/volume',
    s: 'type: mu/autoscaler, target: b, replicas: 2',
  })
  const placedServices = servicesIn(emissionOf(texts, { targets: targetsNamed(MACHINES) }))
  for (const name of ['shop.a', 'shop.b', 'shop.v']) expect(placedServices[name]?.targets).toHaveLength(2)
})

test('groups choose in the order of their names, and pass over targets where a port is taken', () => {
  const best = (name: string) => rankedFor(`shop/${name}`, MACHINES)
  const [first, second] = NAMES.flatMap((one) =>
    NAMES.filter((other) => one < other && best(one)[0] === best(other)[0]).map((other) => [one, other] as const),
  )[0]!
  const texts = {
    'Mu.yaml': `name: shop
services:
  private: { ${second}: { ${PROGRAM}, ports: [2, 1] } }
  public: { ${first}: { ${PROGRAM}, port: 1 } }
`,
  }
  const placedServices = servicesIn(emissionOf(texts, { targets: targetsNamed(MACHINES) }))
  expect(placedServices[`shop.${first}`]?.targets).toEqual([best(first)[0]])
  expect(placedServices[`shop.${second}`]?.targets).toEqual([best(second)[1]])
})

test('a target must have the containers of a whole group, and be allowed for each of it', () => {
  const [process, both, other] = [['process'], ['process', 'fileset'], ['fileset']]
  const targets = new Map([
    ...targetsNamed(['m1', 'm2'], process),
    ...targetsNamed(['m3', 'm4', 'm5'], both),
    ...targetsNamed(['m6'], other),
  ])
  const texts = (placement: string) => ({
    ...stackOf({ a: `${PROGRAM}, volumes: { V: v }`, v: 'type: mu/volume' }),
    'Muspace.yaml': `clusters: { here: { default: true, placement: { ${placement} } } }\n`,
  })
  const placedWith = (placement: string) => {
    const placedServices = servicesIn(emissionOf(texts(placement), { targets }))
    expect(placedServices['shop.v']?.targets).toEqual(placedServices['shop.a']?.targets)
    return placedServices['shop.a']?.targets
  }
  expect(placedWith('')).toEqual(rankedFor('shop/a', ['m3', 'm4', 'm5']).slice(0, 1))
  expect(placedWith('shop/a: [m3, m4], shop/v: [m4, m5]')).toEqual(['m4'])
  const none = emissionOf(texts('shop/v: [m1]'), { targets })
  expect(none.findings.map(({ code, subjects }) => [code, ...subjects])).toEqual([['MU611', 'shop/v', 'fileset']])
  const apart = emissionOf(texts('shop/a: [m3], shop/v: [m4]'), { targets })
  expect(apart.findings.map(({ code, subjects }) => [code, ...subjects])).toEqual([['MU611', 'shop/a', 'process']])
})

test('what runs where it may not be any more moves, and as little else as possible', () => {
  const ranked = rankedFor('shop/a', MACHINES)
  const deployed = manifestOf({
    'shop.a': { ...placed(['a'], targetsNamed(MACHINES))['shop.a']!, targets: [ranked[3]!, ranked[4]!] },
  })
  const texts = (forbidden: string) => ({
    ...stackOf({ a: PROGRAM, s: 'type: mu/autoscaler, target: a, replicas: 3' }),
    'Muspace.yaml': `clusters: { here: { default: true, placement: { shop/a: [${MACHINES.filter((name) => name !== forbidden).join()}] } } }\n`,
  })
  const targetsOf = (forbidden: string) =>
    servicesIn(emissionOf(texts(forbidden), { targets: targetsNamed(MACHINES), deployed }))['shop.a']?.targets
  expect(targetsOf('')).toEqual([ranked[3], ranked[4], ranked[0]])
  expect(targetsOf(ranked[3]!)).toEqual([ranked[4], ranked[0], ranked[1]])
})

test('one of a group that runs keeps the group where it is', () => {
  const ranked = rankedFor('shop/a', MACHINES)
  const deployed = manifestOf({
    'shop.v': { ...placed(['a'], targetsNamed(MACHINES))['shop.a']!, targets: [ranked[2]!] },
  })
  const texts = stackOf({ a: `${PROGRAM}, volumes: { V: v }`, v: 'type: mu/volume' })
  const placedServices = servicesIn(emissionOf(texts, { targets: targetsNamed(MACHINES), deployed }))
  expect(placedServices['shop.a']?.targets).toEqual([ranked[2]])
})
