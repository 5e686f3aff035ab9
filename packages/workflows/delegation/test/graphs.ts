import type { StorePath, System, TargetName } from '@davit/documents'
import type { UnbuiltDerivation } from '@davit/store'
import * as fc from 'fast-check'
import { type Builder, type DelegationTerms, planDelegation } from '../src/plan-delegation.ts'

export const HERE = 'x86_64-linux' as System

const path = (name: string): StorePath => `/store/${'0'.repeat(32)}-${name}` as StorePath
export const drv = (name: string): StorePath => path(`${name}.drv`)
export const out = (name: string): StorePath => path(name)
export const source = (name: string): StorePath => path(`${name}-source`)
export const nameOf = (derivation: StorePath): string => derivation.slice('/store/'.length + 33, -'.drv'.length)

/** Unbuilt derivations, each written as `'web lib gcc'`: web needs lib and gcc; `web@aarch64-linux` has that system. */
export function graph(...edges: readonly string[]): ReadonlyMap<StorePath, UnbuiltDerivation> {
  return new Map(
    edges.map((edge) => {
      const [subject = '', ...needs] = edge.split(' ')
      const [name = '', system = HERE] = subject.split('@')
      return [
        drv(name),
        {
          derivation: drv(name),
          name,
          system: system as System,
          outputs: [out(name)],
          waitsFor: needs.map(drv),
          requires: [source(name)],
        },
      ]
    }),
  )
}

/** Builders, each written as `'one 4 aarch64-linux'`: name, cores, system. */
export function buildersOf(...targets: readonly string[]): ReadonlyMap<TargetName, Builder> {
  return new Map(
    targets.map((target) => {
      const [name = '', cores = '1', system = HERE] = target.split(' ')
      const known = system === '?' ? {} : { system: system as System }
      return [name as TargetName, { cores: Number(cores), ...known }]
    }),
  )
}

/** Wanted packages, each written as `'web one two'`: web is wanted on one and two. */
export function wantedOf(...wants: readonly string[]): ReadonlyMap<StorePath, readonly TargetName[]> {
  return new Map(
    wants.map((want) => {
      const [name = '', ...targets] = want.split(' ')
      return [drv(name), targets as TargetName[]]
    }),
  )
}

/** The plan, each build written as `'one: web + inner < lib'`: target, builds along the way, builds that it needs. */
export function planned(terms: DelegationTerms): readonly string[] {
  return [...planDelegation(terms).builds.values()].map(({ target, name, includes, needs }) =>
    [
      `${target}: ${name}`,
      ...(includes.length === 0 ? [] : ['+', ...includes.map(nameOf).toSorted()]),
      ...(needs.length === 0 ? [] : ['<', ...needs.map(nameOf).toSorted()]),
    ].join(' '),
  )
}

const NAMES = Array.from({ length: 14 }, (_, index) => `d${String(index).padStart(2, '0')}`)
const SYSTEMS = [HERE, 'aarch64-linux']

const anyGraph = fc
  .array(fc.record({ system: fc.constantFrom(...SYSTEMS), needs: fc.array(fc.nat(13), { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: NAMES.length,
  })
  .map((nodes) =>
    nodes.map(({ system, needs }, index) => {
      const names = [...new Set(needs.filter((need) => need < index))].map((need) => NAMES[need])
      return [`${NAMES[index]}@${system}`, ...names].join(' ')
    }),
  )

/** Arbitrary graphs in which at least one target of each system can build; what nothing needs is wanted somewhere. */
export const anyTerms: fc.Arbitrary<DelegationTerms> = fc
  .record({
    edges: anyGraph,
    cores: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 5 }),
    wants: fc.array(fc.array(fc.nat(4), { maxLength: 3 }), { minLength: NAMES.length, maxLength: NAMES.length }),
    storeKind: fc.constantFrom('native' as const, 'nix' as const),
  })
  .map(({ edges, cores, wants, storeKind }) => {
    const builders = buildersOf(...cores.map((count, index) => `t${index} ${count} ${SYSTEMS[index % 2]}`))
    const needed = new Set(edges.flatMap((edge) => edge.split(' ').slice(1)))
    const wanted = edges.flatMap((edge, index) => {
      const [name = ''] = edge.split('@')
      const targets = new Set((wants[index] ?? []).map((target) => `t${target % cores.length}`))
      if (targets.size === 0 && !needed.has(name)) targets.add('t0')
      return targets.size === 0 ? [] : [[name, ...targets].join(' ')]
    })
    return { unbuilt: graph(...edges), builders, wanted: wantedOf(...wanted), storeKind }
  })
