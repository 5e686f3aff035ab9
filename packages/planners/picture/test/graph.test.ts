import { type Manifest, mappingIdOf } from '@davit/documents'
import { change, manifestOf } from '@davit/transition/testing'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { changesBetween, type Graph, graphOf, withoutContainers } from '../src/picture.ts'
import { CHANGED, largeManifest, PAGE } from './manifests.ts'

const instancesIn = ({ targets }: Graph) =>
  targets.flatMap((target) => target.containers.flatMap(({ instances }) => instances))

function shuffled(manifest: Manifest): Manifest {
  const turned = <Key, Value>(table: ReadonlyMap<Key, Value>) => new Map([...table].toReversed())
  const services = [...turned(manifest.services)].map(([key, service]) => {
    const { dependsOn, connectsTo } = service
    return [key, { ...service, dependsOn: dependsOn.toReversed(), connectsTo: connectsTo.toReversed() }] as const
  })
  return {
    ...manifest,
    services: new Map(services),
    infrastructure: turned(manifest.infrastructure),
    serviceMappings: manifest.serviceMappings.toReversed(),
  }
}

describe('graphOf()', () => {
  test('contains every target, instance and dependency of any manifest, and those that a change leaves', () => {
    fc.assert(
      fc.property(change, ({ before, after }) => {
        const [from, to] = [manifestOf(before), manifestOf(after)]
        const graph = graphOf(to, { title: '', changes: changesBetween(from, to) })
        const ids = [from, to].flatMap(({ serviceMappings }) => serviceMappings.map(mappingIdOf))
        const shown = new Set(instancesIn(graph).map(({ id }) => id))
        for (const { service, target, container } of to.serviceMappings) {
          expect(shown).toContain(mappingIdOf({ service, target, container }))
          for (const dependency of to.services.get(service)?.dependsOn ?? []) {
            const edge = {
              from: mappingIdOf({ service, target, container }),
              to: mappingIdOf(dependency),
              kind: 'depends',
            }
            expect(graph.edges).toContainEqual(edge)
          }
        }
        expect([...shown].filter((id) => !ids.includes(id))).toEqual([])
        expect(new Set(graph.targets.map(({ name }) => name))).toEqual(
          new Set([...from.infrastructure.keys(), ...to.infrastructure.keys()]),
        )
      }),
    )
  })

  test('shows each instance that a change stops, starts, moves or replaces, once', () => {
    fc.assert(
      fc.property(change, ({ before, after }) => {
        const [from, to] = [manifestOf(before), manifestOf(after)]
        const instances = instancesIn(graphOf(to, { title: '', changes: changesBetween(from, to) }))
        const places = ({ serviceMappings, services }: Manifest) =>
          serviceMappings.map((mapping) => `${services.get(mapping.service)?.name} ${mappingIdOf(mapping)}`)
        const [old, now] = [new Set(places(from)), new Set(places(to))]
        for (const { id, name, change: what } of instances) {
          const [was, is] = [old.has(`${name} ${id}`), now.has(`${name} ${id}`)]
          const isLeaving = what?.kind === 'gone' || what?.kind === 'stopped'
          expect([was && !is, was && is]).toEqual([isLeaving, what === undefined])
        }
        expect(new Set(instances.map(({ id }) => id)).size).toBe(instances.length)
      }),
    )
  })

  test('is the same whatever the order of the lists and tables of a manifest', () => {
    for (const manifest of [PAGE, largeManifest(100, 12)]) {
      expect(graphOf(shuffled(manifest), { title: '' })).toEqual(graphOf(manifest, { title: '' }))
    }
  })

  test('orders targets by names as people do', () => {
    const { targets } = graphOf(largeManifest(12, 12), { title: '' })
    expect(targets.map(({ name }) => name)).toEqual(Array.from({ length: 12 }, (_, index) => `host-${index}`))
  })

  test('tells what happens to each service, and why', () => {
    const told = CHANGED.targets.flatMap(({ name: target, containers }) =>
      containers.flatMap(({ instances }) =>
        instances.map(({ name, change: what }) => `${name} on ${target}: ${what?.kind} (${what?.reasons.join(', ')})`),
      ),
    )
    expect(told).toEqual([
      'cache on db: undefined (undefined)',
      'store on db: gone (moved to db2)',
      'store on db2: moved (moved from db)',
      'api on web: replaced (changed dependency: store)',
      'old on web: stopped (removed)',
      'page on web: replaced (changed package: 1111111-page to 2222222-page, changed dependency: api)',
      'api on web2: replaced (changed dependency: store)',
      'search on web2: started (new)',
    ])
    const [move] = CHANGED.edges.filter(({ kind }) => kind === 'moves')
    expect([move?.from.slice(0, 11), move?.to.slice(0, 12)]).toEqual(['db process ', 'db2 process '])
  })

  test('gives targets their addresses only where these tell them apart', () => {
    const [[name, target] = [], ...others] = PAGE.infrastructure
    const alike = new Map([[name!, target!], ...others.map(([other]) => [other, target!] as const)])
    const addresses = (manifest: Manifest) => graphOf(manifest, { title: '' }).targets.map(({ address }) => address)
    expect(addresses(PAGE)).toEqual(['test1.example.org', 'test2.example.org'])
    expect(addresses({ ...PAGE, infrastructure: alike })).toEqual(['test1', 'test2'])
  })

  test('never contains what may be secret', () => {
    const secret = new Map([['secret', new Map([['file', '/etc/keys/db']])]])
    const [[name, target] = []] = PAGE.infrastructure
    const properties = new Map<string, never>(
      Object.entries({
        dbPassword: 'visible-1',
        url: 'ftp://user:visible-2@host/x',
        nested: new Map([['apiKey', 'visible-3']]),
        list: [new Map([['token', 'visible-4']])],
        reference: secret,
        port: 80,
      }) as never,
    )
    const infrastructure = new Map([...PAGE.infrastructure, [name!, { ...target!, properties }]])
    const graph = graphOf({ ...PAGE, infrastructure }, { title: '' })
    expect(JSON.stringify(graph)).not.toMatch(/visible|etc\/keys|odd/)
    expect(graph.targets[0]?.facts).toEqual(
      expect.arrayContaining([
        ['dbPassword', '(hidden)'],
        ['reference', '(hidden)'],
        ['url', 'ftp://user:(hidden)@host/x'],
        ['port', '80'],
      ]),
    )
  })
})

describe('withoutContainers()', () => {
  test('keeps instances and lines, and tells the containers of the instances', () => {
    const [graph, flat] = [graphOf(PAGE, { title: '' }), withoutContainers(graphOf(PAGE, { title: '' }))]
    expect(instancesIn(flat).map(({ id }) => id)).toEqual(instancesIn(graph).map(({ id }) => id))
    expect(flat.edges).toEqual(graph.edges)
    expect(instancesIn(flat)[0]?.facts).toContainEqual(['container', 'page'])
  })
})
