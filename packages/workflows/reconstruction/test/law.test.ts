import {
  encodeDocument,
  Manifest,
  mappingIdOf,
  parseDocument,
  ProfileManifest,
  type ServiceMapping,
  type TargetName,
  validateDocument,
} from '@davit/documents'
import { profileManifests } from '@davit/realisation'
import { reconstruct, type TargetAccount } from '@davit/recovery'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

const TARGETS = ['alpha', 'beta', 'gamma'] as const
const pathOf = (name: string) => `/store/${'0'.repeat(32)}-${name}`

interface Drawn {
  readonly targets: readonly string[]
  readonly isStateful: boolean
  readonly isInstalledOnly: boolean
  readonly needs: number
}

const drawnService: fc.Arbitrary<Drawn> = fc.record({
  targets: fc.shuffledSubarray([...TARGETS], { minLength: 1 }),
  isStateful: fc.boolean(),
  isInstalledOnly: fc.boolean(),
  needs: fc.nat(),
})

/** A manifest as davit makes it: services by key, mappings by name of the service, each service's targets in any order. */
function manifestOf(drawn: readonly Drawn[]): Manifest {
  const names = drawn.map((_, index) => `s${index}`)
  const mappingsOf = ({ targets }: Drawn, index: number) =>
    targets.map((target) => ({ service: `key${drawn.length - index}`, target, container: 'box' }))
  const active = drawn.map((one, index) => (one.isInstalledOnly ? [] : mappingsOf(one, index)))
  const services = drawn.map(({ isInstalledOnly, needs }, index) => {
    const dependsOn = index === 0 || isInstalledOnly ? [] : active[needs % index]
    const type = isInstalledOnly ? 'package' : 'process'
    return [`key${drawn.length - index}`, { name: names[index], pkg: pathOf(names[index]!), type, dependsOn }] as const
  })
  const target = { properties: { hostname: 'h' }, system: 's', clientInterface: 'ssh', targetProperty: 'hostname' }
  return validateDocument(
    Manifest,
    {
      profiles: Object.fromEntries(TARGETS.map((name) => [name, pathOf(name)])),
      services: Object.fromEntries(services.toSorted(([one], [other]) => (one < other ? -1 : 1))),
      infrastructure: Object.fromEntries(TARGETS.map((name) => [name, target])),
      serviceMappings: active.flat(),
      snapshotMappings: drawn.flatMap(({ isStateful }, index) =>
        isStateful ? (active[index] ?? []).map((one) => ({ ...one, component: names[index] })) : [],
      ),
    },
    { file: 'drawn' },
  )
}

/** What the targets tell after a deployment. */
function accountsOf(manifest: Manifest, drawn: readonly Drawn[]): readonly TargetAccount[] {
  const installed = new Map(
    TARGETS.map((name) => [
      name as TargetName,
      drawn.flatMap(({ targets }, index) => (targets.includes(name) ? [pathOf(`s${index}`)] : [])),
    ]),
  ) as unknown as Parameters<typeof profileManifests>[1]
  const components = new Map(manifest.snapshotMappings.map((one) => [mappingIdOf(one), one.component]))
  const recordOf = (mapping: ServiceMapping) => ({
    mapping,
    service: manifest.services.get(mapping.service)!,
    component: components.get(mappingIdOf(mapping)),
  })
  return [...profileManifests(manifest, installed)].map(([target, part]) => {
    const format = ProfileManifest.on(target)
    const text = encodeDocument(format, part, 'xml')
    return {
      target,
      profile: { path: manifest.profiles.get(target)!, manifest: parseDocument(format, text, { file: 'profile' }) },
      records: manifest.serviceMappings.filter((one) => one.target === target).map(recordOf),
    }
  })
}

test('the parts of a manifest on its targets give the manifest again, byte for byte', () => {
  fc.assert(
    fc.property(fc.array(drawnService, { maxLength: 9 }), fc.constantFrom('profile', 'records'), (drawn, prefer) => {
      const manifest = manifestOf(drawn)
      const { infrastructure } = manifest
      const found = reconstruct({ infrastructure, accounts: accountsOf(manifest, drawn), prefer })
      expect([found.contradictions, found.missing]).toEqual([[], []])
      expect(encodeDocument(Manifest, found.manifest, 'xml')).toBe(encodeDocument(Manifest, manifest, 'xml'))
    }),
  )
})
