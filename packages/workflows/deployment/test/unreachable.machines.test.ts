import type { Manifest, ServiceKey } from '@davit/documents'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { Machines } from './testing.ts'

let machines: Machines
beforeEach(() => void (machines = new Machines()))
afterEach(() => machines.close())

const SPEC = { db: { store: {} }, web: { api: { dependsOn: ['store'] } } } as const

/** The manifest with another version of a service, whose new key is also used by its dependants. */
const renewed = (manifest: Manifest, name: string): Manifest => {
  const text = (key: string) => (key === name ? `${name}-2` : key) as ServiceKey
  const mapped = <Mapping extends { readonly service: ServiceKey }>(one: Mapping) => ({
    ...one,
    service: text(one.service),
  })
  const services = [...manifest.services].map(
    ([key, service]) => [text(key), { ...service, dependsOn: service.dependsOn.map(mapped) }] as const,
  )
  return { ...manifest, services: new Map(services), serviceMappings: manifest.serviceMappings.map(mapped) }
}

test('services on a skipped target are neither activated nor deactivated, and inconsistencies are reported', async () => {
  const manifest = machines.manifest(SPEC)
  const web = await machines.target('two', 'web')
  const plan = (next: Manifest, previous?: Manifest) => machines.plan(next, [web], { previous })
  expect(await plan(manifest, manifest)).toEqual([expect.stringMatching(/^activate api in api on web/)])
  expect(await plan(manifest)).toEqual([
    "warning: 'store' on 'db' is not activated",
    "warning: 'api' on 'web' depends on 'store' on 'db', which is missing or outdated",
    expect.stringMatching(/^activate api in api on web/),
  ])
  expect(await plan(renewed(manifest, 'store'), manifest)).toEqual([
    "warning: 'store' on 'db' is not upgraded",
    "warning: 'api' on 'web' depends on 'store' on 'db', which is missing or outdated",
    expect.stringMatching(/^activate api in api on web/),
  ])
})

test('it is also left alone with --old-manifest', async () => {
  const manifest = machines.manifest(SPEC)
  const web = await machines.target('two', 'web')
  const next = renewed(manifest, 'store')
  const lines = await machines.plan(next, [web], { old: manifest, previous: manifest })
  expect(lines.filter((line) => / on db/.test(line))).toEqual([])
})
