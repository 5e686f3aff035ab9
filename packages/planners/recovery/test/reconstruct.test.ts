import type {
  ContainerName,
  Infrastructure,
  ManifestService,
  ProfileManifest,
  ServiceKey,
  ServiceMapping,
  ServiceName,
  StorePath,
  System,
  TargetName,
} from '@davit/documents'
import { describe, expect, test } from 'vitest'

import { contradictionText, reconstruct, type TargetAccount } from '../src/recovery.ts'

const path = (name: string) => `/store/${'0'.repeat(32)}-${name}` as StorePath
const mapping = (service: string, target = 'alpha'): ServiceMapping => ({
  service: service as ServiceKey,
  target: target as TargetName,
  container: 'box' as ContainerName,
})
const service = (name: string, changes: Partial<ManifestService> = {}): ManifestService => ({
  name: name as ServiceName,
  pkg: path(name),
  type: 'process',
  dependsOn: [],
  connectsTo: [],
  providesContainers: new Map(),
  ...changes,
})
const infrastructure: Infrastructure = new Map(
  ['alpha', 'beta'].map((name) => [
    name as TargetName,
    {
      properties: new Map([['hostname', name]]),
      containers: new Map(),
      system: 'x86_64-linux' as System,
      numOfCores: 1,
      clientInterface: 'ssh',
      targetProperty: 'hostname',
    },
  ]),
)

/** What a target tells, with services that are in its profile and recorded as active, unless named otherwise. */
function account(
  target: string,
  services: Readonly<Record<string, ManifestService>>,
  {
    unrecorded = [],
    extra = {},
  }: { unrecorded?: readonly string[]; extra?: Readonly<Record<string, ManifestService>> } = {},
): TargetAccount {
  const manifest: ProfileManifest = {
    services: new Map(Object.entries(services).map(([key, one]) => [key as ServiceKey, one])),
    serviceMappings: Object.keys(services).map((key) => mapping(key, target)),
    snapshotMappings: [],
  }
  const recorded = Object.entries({ ...services, ...extra }).filter(([key]) => !unrecorded.includes(key))
  const records = recorded.map(([key, one]) => ({ mapping: mapping(key, target), service: one, component: undefined }))
  return { target: target as TargetName, profile: { path: path(target), manifest }, records }
}

const keysIn = (accounts: readonly TargetAccount[], prefer: 'profile' | 'records') =>
  reconstruct({ infrastructure, accounts, prefer }).manifest.serviceMappings.map((one) => one.service)

describe('reconstruct()', () => {
  test.each([
    [
      'a service that no record mentions',
      { unrecorded: ['k1'] },
      ['k1', 'k2'],
      ['k2'],
      'no record says that it is active',
    ],
    [
      'a service that the profile lacks',
      { extra: { k3: service('c') } },
      ['k1', 'k2'],
      ['k1', 'k2', 'k3'],
      'but not in the profile',
    ],
  ] as const)('settles %s by preference', (_, changes, byProfile, byRecords, text) => {
    const accounts = [account('alpha', { k1: service('a'), k2: service('b') }, changes)]
    expect(keysIn(accounts, 'profile')).toEqual(byProfile)
    expect(keysIn(accounts, 'records')).toEqual(byRecords)
    const { contradictions } = reconstruct({ infrastructure, accounts, prefer: 'profile' })
    expect(contradictions.map(contradictionText)).toEqual([expect.stringContaining(text)])
  })

  test.each([
    ['pkg', { pkg: path('other') }],
    ['type', { type: 'wrapper' }],
    ['connectsTo', { connectsTo: [mapping('k1')] }],
    ['providesContainers', { providesContainers: new Map([['web' as ContainerName, new Map()]]) }],
  ])('names the field in which profile and record differ: %s', (field, change) => {
    const one = account('alpha', { k1: service('a') })
    const accounts = [{ ...one, records: [{ ...one.records[0]!, service: service('a', change) }] }]
    for (const prefer of ['profile', 'records'] as const) {
      const { contradictions, unsettled, manifest } = reconstruct({ infrastructure, accounts, prefer })
      expect(contradictions).toMatchObject([{ kind: 'different', fields: [field] }])
      expect(unsettled).toEqual([])
      expect(manifest.services.get('k1' as ServiceKey)).toEqual(service('a', prefer === 'records' ? change : {}))
    }
  })

  test('notices state that moves according to one of the two only, and another provider', () => {
    const one = account('alpha', { k1: service('a'), k2: service('b') })
    const [first, second] = one.records
    const provided = { ...second!.mapping, containerProvidedByService: 'k1' as ServiceKey }
    const accounts = [
      {
        ...one,
        records: [
          { ...first!, component: 'a' },
          { ...second!, mapping: provided },
        ],
      },
    ]
    const { contradictions } = reconstruct({ infrastructure, accounts, prefer: 'profile' })
    expect(contradictions).toMatchObject([{ fields: ['snapshotMappings'] }, { fields: ['containerProvidedByService'] }])
  })

  test('does not choose between two targets', () => {
    const accounts = [account('alpha', { k1: service('a') }), account('beta', { k1: service('a', { pkg: path('b') }) })]
    const { unsettled } = reconstruct({ infrastructure, accounts, prefer: 'records' })
    expect(unsettled.map(contradictionText)).toEqual(["'alpha' and 'beta' have different pkg for 'a' (k1)"])
  })

  test.each([
    ['a service that no target has', mapping('gone')],
    ['a target that the infrastructure does not have', mapping('k1', 'gamma')],
  ])('leaves out what depends on %s, and says so', (_, needs) => {
    const dependent = service('b', { dependsOn: [needs, mapping('k1')], connectsTo: [needs] })
    const accounts = [account('alpha', { k1: service('a'), k2: dependent })]
    const { manifest, missing } = reconstruct({ infrastructure, accounts, prefer: 'profile' })
    expect(manifest.services.get('k2' as ServiceKey)?.dependsOn).toEqual([mapping('k1')])
    expect(missing).toEqual([
      { service: 'b', needs },
      { service: 'b', needs },
    ])
  })
})
