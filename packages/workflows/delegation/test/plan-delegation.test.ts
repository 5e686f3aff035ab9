import { DavitError } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DelegatedBuild, type DelegationTerms, planDelegation } from '../src/plan-delegation.ts'
import { anyTerms, buildersOf, graph, planned, wantedOf } from './graphs.ts'

const EACH = ['native', 'nix'] as const

test.each(EACH)('a package is built once, however many targets need it (%s)', (storeKind) => {
  const terms = {
    unbuilt: graph('web'),
    wanted: wantedOf('web one two'),
    builders: buildersOf('one', 'two'),
    storeKind,
  }
  expect(planned(terms)).toEqual(['one: web'])
})

test.each(EACH)('packages are spread over the targets that need them, by their cores (%s)', (storeKind) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const wanted = wantedOf(...names.map((name) => `${name} one two`))
  const plan = planned({
    unbuilt: graph(...names),
    wanted,
    builders: buildersOf('one 1', 'two 2', 'three 9'),
    storeKind,
  })
  expect(plan).toEqual(['two: a', 'one: b', 'two: c', 'two: d', 'one: e', 'two: f'])
})

test('what only one target needs is placed first', () => {
  const wanted = wantedOf('a one two', 'b one')
  const terms = { unbuilt: graph('a', 'b'), wanted, builders: buildersOf('one', 'two'), storeKind: 'native' as const }
  expect(planned(terms)).toEqual(['two: a', 'one: b'])
})

test('native: every derivation is told, inputs where they are used', () => {
  const unbuilt = graph('web lib', 'lib base', 'base', 'db base')
  const terms = { unbuilt, wanted: wantedOf('web one', 'db two'), builders: buildersOf('one', 'two') }
  expect(planned({ ...terms, storeKind: 'native' })).toEqual([
    'two: base',
    'two: db < base',
    'one: lib < base',
    'one: web < lib',
  ])
})

test('nix: inputs that only one target needs are built along the way, through those that several need', () => {
  const unbuilt = graph('web lib', 'lib base tool', 'base seed', 'seed', 'tool', 'db base')
  const terms = { unbuilt, wanted: wantedOf('web one', 'db two'), builders: buildersOf('one', 'two') }
  expect(planned({ ...terms, storeKind: 'nix' })).toEqual([
    'two: base + seed',
    'two: db < base',
    'one: web + lib tool < base',
  ])
})

test('what a build requires includes what is required by all that is built along the way', () => {
  const terms = { unbuilt: graph('web lib', 'lib'), wanted: wantedOf('web one'), builders: buildersOf('one') }
  const [build] = planDelegation({ ...terms, storeKind: 'nix' }).builds.values()
  expect(build?.requires.map((path) => path.slice(40))).toEqual(['web-source', 'lib-source'])
})

test.each([
  ['where they are needed', ['web@aarch64-linux'], 'native', ['arm: web']],
  ['on another target that can', ['web@aarch64-linux lib', 'lib'], 'native', ['pc: lib', 'arm: web < lib']],
  ['by Nix itself, wherever', ['web@aarch64-linux lib', 'lib@builtin'], 'nix', ['arm: web + lib']],
  [
    'where their programs run as well',
    ['web@aarch64-linux lib', 'lib@i686-linux'],
    'nix',
    ['pc: lib', 'arm: web < lib'],
  ],
] as const)('packages of other platforms are built %s', (_, edges, storeKind, expected) => {
  const builders = buildersOf('pc 1', 'arm 1 aarch64-linux')
  expect(planned({ unbuilt: graph(...edges), wanted: wantedOf('web arm'), builders, storeKind })).toEqual(expected)
})

test('a target of unknown platform is taken to fit', () => {
  const terms = { unbuilt: graph('web@riscv64-linux'), wanted: wantedOf('web one'), builders: buildersOf('one 1 ?') }
  expect(planned({ ...terms, storeKind: 'native' })).toEqual(['one: web'])
})

test('what no target can build is named, with who needs it', () => {
  const terms = {
    unbuilt: graph('web lib', 'lib@riscv64-linux base', 'base@riscv64-linux', 'app@builtin'),
    wanted: wantedOf('web one two', 'app two'),
    builders: buildersOf('one', 'two'),
    storeKind: 'native' as const,
  }
  const error = failureOf(() => planDelegation(terms))
  expect(error).toMatchObject({ code: 'wrong-system', message: 'no target can build for builtin, riscv64-linux' })
  expect(error.hint).toContain('add a target with that platform')
  expect(error.diagnostics.map(({ message }) => message)).toEqual([
    "'app' must be built on builtin, but no target has that platform; it is needed on 'two' (x86_64-linux)",
    "'base' must be built on riscv64-linux, but no target has that platform; it is needed on 'one' (x86_64-linux)",
    "'lib' must be built on riscv64-linux, but no target has that platform; it is needed on 'one' (x86_64-linux)",
  ])
})

test('law: each unbuilt derivation is built exactly once where it is told, or along the way of one target', () =>
  everyPlan(({ unbuilt, builders }, builds) => {
    const told = builds.map(({ derivation }) => derivation)
    expect(new Set(told).size).toBe(told.length)
    const alongTheWay = builds.flatMap(({ includes }) => includes)
    expect(alongTheWay.filter((path) => told.includes(path))).toEqual([])
    const places = builds.flatMap(({ derivation, includes, target }) =>
      [derivation, ...includes].map((path) => `${path} ${target} ${builders.get(target)?.system}`),
    )
    const once = [...new Set(places)].map((place) => place.replace(/ \w+ /, ' '))
    expect(once.toSorted()).toEqual([...unbuilt].map(([path, { system }]) => `${path} ${system}`).toSorted())
  }))

test('law: all that a build needs is built along the way, or comes before it', () =>
  everyPlan(({ unbuilt }, builds) => {
    const before: StorePath[] = []
    for (const { derivation, includes, needs, requires } of builds) {
      const built = [derivation, ...includes].flatMap((path) => unbuilt.get(path) ?? [])
      expect([...includes, ...needs]).toEqual(expect.arrayContaining(built.flatMap(({ waitsFor }) => waitsFor)))
      expect(requires).toEqual(expect.arrayContaining(built.flatMap((build) => build.requires)))
      expect(before).toEqual(expect.arrayContaining([...needs]))
      before.push(derivation)
    }
  }))

test('law: what is wanted is told to a target that wants it, if one of these can build it', () =>
  everyPlan(({ unbuilt, wanted, builders }, builds) => {
    const told = new Map(builds.map(({ derivation, target }) => [derivation, target]))
    for (const [derivation, targets] of wanted) {
      const able = targets.filter((name) => builders.get(name)?.system === unbuilt.get(derivation)?.system)
      expect(able.length > 0 ? able : [...builders.keys()]).toContain(told.get(derivation))
    }
  }))

test('law: the order in which the store names derivations does not matter', () =>
  everyPlan((terms, builds) => {
    const unbuilt = new Map([...terms.unbuilt].toReversed())
    expect([...planDelegation({ ...terms, unbuilt }).builds.values()]).toEqual(builds)
  }))

function everyPlan(check: (terms: DelegationTerms, builds: readonly DelegatedBuild[]) => void): void {
  fc.assert(fc.property(anyTerms, (terms) => check(terms, [...planDelegation(terms).builds.values()])))
}

function failureOf(work: () => unknown): DavitError {
  try {
    work()
  } catch (error) {
    if (error instanceof DavitError) return error
  }
  throw new Error('it did not fail')
}
