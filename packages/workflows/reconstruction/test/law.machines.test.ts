import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  encodeDocument,
  Manifest,
  mappingIdOf,
  parseDocument,
  ProfileManifest,
  type ServiceMapping,
  type System,
  type TargetName,
  validateDocument,
} from '@davit/documents'
import { profileManifests } from '@davit/realisation'
import { modelsOf, type RecoveredModels, reconstruct, type TargetAccount } from '@davit/recovery'
import { loadArchitecture } from '@davit/models'
import { architectureOf, manifestOf as manifestFrom, normalizeModel } from '@davit/normalization'
import { scratchDirectory } from '@davit/testing/scratch'
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

/** Normalizes models, as davit-normalize and davit-manifest would, without a store. */
async function normalized(models: RecoveredModels, profiles: Manifest['profiles']): Promise<Manifest> {
  const directory = scratchDirectory()
  const fileOf = (name: 'services' | 'infrastructure' | 'distribution') => {
    const file = join(directory, `${name}.json`)
    writeFileSync(file, JSON.stringify(plain(models[name])))
    return file
  }
  const files = {
    services: fileOf('services'),
    infrastructure: fileOf('infrastructure'),
    distribution: fileOf('distribution'),
  }
  const store = { kind: 'native', directory: '/store' } as const
  const [system, reach] = ['s' as System, { clientInterface: 'ssh', targetProperty: 'hostname' }]
  const model = await loadArchitecture(files, { system, ...reach })
  const result = normalizeModel(model, { system, store, deployState: false, ...reach })
  const packages = result.packageRequests.map(({ spec }) => {
    if (spec.kind !== 'present') throw new Error(`a package of kind ${spec.kind}`)
    return { outPath: spec.path }
  })
  return manifestFrom(architectureOf(result, packages), profiles)
}

function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? Object.fromEntries(part) : part)),
  )
}

test('models that are made of a manifest normalize to it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(drawnService, { maxLength: 9 }), async (drawn) => {
      const manifest = manifestOf(drawn)
      const accounts = accountsOf(manifest, drawn)
      const found = reconstruct({ infrastructure: manifest.infrastructure, accounts, prefer: 'profile' })
      const models = modelsOf(manifest, found.installed)
      expect(models.losses).toEqual([])
      const again = await normalized(models, manifest.profiles)
      // The keys of drawn services are not hashes; names, places and everything else must be the same.
      expect(named(again)).toEqual(named(manifest))
    }),
    { numRuns: 40 },
  )
})

/** A manifest whose service keys are names. */
function named(manifest: Manifest): unknown {
  const nameOf = (key: string) => manifest.services.get(key as never)?.name ?? key
  const text = encodeDocument(Manifest, manifest, 'json')
  const renamed = text.replaceAll(/"(key\d+|[0-9a-f]{64})"/g, (_, key: string) => JSON.stringify(nameOf(key)))
  const { services, ...rest } = JSON.parse(renamed) as Record<string, unknown>
  return { ...rest, services }
}
