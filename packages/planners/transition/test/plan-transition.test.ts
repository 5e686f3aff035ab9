import { DavitError } from '@davit/diagnostics'
import type { Manifest, ServiceKey, TargetName } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import {
  type ObservedMapping,
  observedOf,
  type PlanOptions,
  planTransition,
  type Transition,
  KINDS,
} from '../src/transition.ts'
import { GUESTBOOK, manifestOf, type SystemSpec, withState, phasesOf, renderTransition } from './testing.ts'

const guestbook = manifestOf(GUESTBOOK)

test('planTransition() activates everything in dependency order when nothing is observed', () => {
  expect(rendered(guestbook, [])).toEqual([
    'activate store in process on db (new)',
    'activate api in process on web (new)',
    'activate page in process on web (new)',
  ])
})

test('planTransition() tells what may run at once by service and target, as people count', () => {
  const next = manifestOf({
    services: {
      store: { on: ['host10/process', 'host2/process'] },
      cache: { on: ['host2/process'] },
      alpha: { on: ['host2/process'], dependsOn: ['store'] },
    },
  })
  expect(rendered(next, [])).toEqual([
    'activate cache in process on host2 (new)',
    'activate store in process on host2 (new)',
    'activate store in process on host10 (new)',
    'activate alpha in process on host2 (new)',
  ])
})

test('planTransition() lets a service wait for exactly what its dependsOn names', () => {
  const { activations } = phasesOf(plan(changed({ page: { on: ['web/process'], dependsOn: ['api', 'api'] } }), []))
  const [store, api, page] = activations
  expect([store!.waitsFor, api!.waitsFor, page!.waitsFor]).toEqual([[], [store!.id], [api!.id]])
})

test('planTransition() leaves unchanged mappings alone', () => {
  expect(rendered(guestbook, active(guestbook))).toEqual(['nothing to do'])
})

test('planTransition() does not treat a mapping without record as unchanged, and calls it missing', () => {
  const observed = active(guestbook).filter(({ service }) => service.name !== 'api')
  expect(rendered(guestbook, observed)).toEqual(['activate api in process on web (new)'])
  expect(rendered(guestbook, observed, { previous: guestbook })).toEqual([
    'activate api in process on web (not found on its target)',
  ])
})

test('planTransition() deactivates dependants first and names the changed package and dependencies', () => {
  const next = changed({ store: { on: ['db/process'], version: 2 } })
  expect(rendered(next, active(guestbook))).toEqual([
    'deactivate page in process on web (changed dependency: api)',
    'deactivate api in process on web (changed dependency: store)',
    'deactivate store in process on db (changed package: 1111111-store to 2222222-store)',
    'activate store in process on db (changed package: 1111111-store to 2222222-store)',
    'activate api in process on web (changed dependency: store)',
    'activate page in process on web (changed dependency: api)',
  ])
  const { deactivations } = phasesOf(plan(next, active(guestbook)))
  expect(deactivations.map(({ waitsFor }) => waitsFor)).toEqual([[], [deactivations[0]!.id], [deactivations[1]!.id]])
})

test.each([
  ['package', { version: 2 }, 'changed package: 1111111-page to 2222222-page'],
  ['type', { type: 'wrapper' }, 'changed type: process to wrapper'],
  ['type and with it the container', { type: 'wrapper', on: ['web/wrapper'] }, 'changed type: process to wrapper'],
  ['dependencies', { dependsOn: ['store', 'api'] }, 'changed dependency: store'],
  ['target', { on: ['db/process'] }, 'moved from web'],
  ['container', { on: ['web/other'] }, 'moved from container process'],
  ['target and container', { on: ['db/other'] }, 'moved from process on web'],
  [
    'package and target',
    { on: ['db/process'], version: 2 },
    'changed package: 1111111-page to 2222222-page; moved from web',
  ],
])('planTransition() explains a changed %s', (_, difference, reason) => {
  const page = { on: ['web/process'], dependsOn: ['api'], ...difference }
  const lines = rendered(changed({ page }), active(guestbook))
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain('deactivate page')
  expect(lines[1]).toContain(`(${reason})`)
})

test('planTransition() explains a key that differs alone', () => {
  const key = guestbook.serviceMappings[2]!.service
  const next: Manifest = {
    ...guestbook,
    services: new Map(
      [...guestbook.services].map(([id, service]) => [id === key ? ('v2' as ServiceKey) : id, service]),
    ),
    serviceMappings: guestbook.serviceMappings.map((mapping) =>
      mapping.service === key ? { ...mapping, service: 'v2' as ServiceKey } : mapping,
    ),
  }
  expect(rendered(next, active(guestbook))).toEqual([
    'deactivate page in process on web (changed key)',
    'activate page in process on web (changed key)',
  ])
})

test('planTransition() distinguishes removed services from an undeployment', () => {
  expect(rendered(changed({ page: { on: [] } }), active(guestbook))).toEqual([
    'deactivate page in process on web (removed)',
  ])
  expect(rendered(manifestOf({ services: {}, cores: { db: 1, web: 1 } }), active(guestbook))).toEqual([
    'deactivate page in process on web (undeployed)',
    'deactivate api in process on web (undeployed)',
    'deactivate store in process on db (undeployed)',
  ])
})

test('planTransition() adds and removes redundant mappings without touching the others', () => {
  const twice = changed({ page: { on: ['web/process', 'db/process'], dependsOn: ['api'] } })
  expect(rendered(twice, active(guestbook))).toEqual(['activate page in process on db (new)'])
  expect(rendered(guestbook, active(twice))).toEqual(['deactivate page in process on db (removed)'])
})

test('planTransition() uses the last generation to explain services that a crash left without a record', () => {
  const next = changed({ page: { on: ['web/process'], dependsOn: ['api'], version: 2 } })
  const observed = active(guestbook).filter(({ service }) => service.name !== 'page')
  expect(rendered(next, observed)).toEqual(['activate page in process on web (new)'])
  expect(rendered(next, observed, { previous: guestbook })).toEqual([
    'activate page in process on web (changed package: 1111111-page to 2222222-page)',
  ])
})

describe('cut-off activities', () => {
  test.each(['activating', 'deactivating'] as const)(
    'planTransition() undoes what was %s and wanted, then activates it',
    (state) => {
      const observed = withState(active(guestbook), 'page', { state })
      const what = state === 'activating' ? 'activation' : 'deactivation'
      const lines = [
        `deactivate page in process on web (${what} was cut off)`,
        `activate page in process on web (${what} was cut off)`,
      ]
      expect(rendered(guestbook, observed)).toEqual(lines)
      expect(rendered(guestbook, observed, { upgrade: 'activate-only' })).toEqual(lines)
    },
  )

  test.each(['activating', 'deactivating'] as const)('planTransition() says that what was %s has failed', (state) => {
    const observed = withState(active(guestbook), 'page', { state, hasFailed: true })
    const what = state === 'activating' ? 'activation' : 'deactivation'
    expect(rendered(guestbook, observed)).toEqual([
      `deactivate page in process on web (${what} failed)`,
      `activate page in process on web (${what} failed)`,
    ])
  })

  test('planTransition() deactivates unwanted mappings that were cut off', () => {
    const observed = withState(active(guestbook), 'page', { state: 'activating' })
    const next = changed({ page: { on: [] } })
    expect(rendered(next, observed)).toEqual(['deactivate page in process on web (activation was cut off; removed)'])
    expect(rendered(next, observed, { upgrade: 'activate-only' })).toEqual(['nothing to do'])
  })

  test('planTransition() does not activate on rollback what was not active before', () => {
    const observed = withState(active(guestbook), 'page', { state: 'deactivating' })
    const { deactivations } = phasesOf(plan(changed({ api: { on: [] }, page: { on: [] } }), observed))
    expect(deactivations.map(({ service, undo }) => [service.name, undo?.kind])).toEqual([
      ['page', undefined],
      ['api', 'activate'],
    ])
  })

  test('planTransition() refuses to plan while activities are still running', () => {
    const observed = withState(active(guestbook), 'api', { state: 'activating', running: true })
    expect(() => plan(guestbook, observed)).toThrow("an activity is still running for 'api' on 'web'")
  })
})

describe('activate-only', () => {
  test('planTransition() activates what is not active and stops nothing', () => {
    const next = changed({ store: { on: ['db/process'], version: 2 } })
    expect(rendered(next, active(guestbook), { upgrade: 'activate-only', previous: guestbook })).toEqual([
      'activate store in process on db (new)',
      'activate api in process on web (new)',
      'activate page in process on web (new)',
    ])
  })

  test('planTransition() accepts dependencies that only the targets have', () => {
    const onlyPage = { ...guestbook, serviceMappings: guestbook.serviceMappings.slice(2) }
    const observed = active(guestbook).filter(({ service }) => service.name !== 'page')
    expect(rendered(onlyPage, observed, { upgrade: 'activate-only' })).toEqual([
      'activate page in process on web (new)',
    ])
    expect(diagnosed(onlyPage, observed)).toHaveLength(1)
    expect(diagnosed(onlyPage, withState(observed, 'api', { state: 'activating' }), 'activate-only')).toHaveLength(1)
  })
})

describe('targets that are gone', () => {
  const next = manifestOf({ services: { page: { on: ['web/process'] } } })

  test('planTransition() deactivates on a renamed target what is observed there', () => {
    const transition = plan(next, active(guestbook), { previous: guestbook })
    expect(transition.skipped).toEqual([])
    expect(phasesOf(transition).deactivations.map(({ mapping }) => mapping.target)).toContain('db')
  })

  test('planTransition() recognises services on a renamed target as moved', () => {
    const renamed = manifestOf({ services: { page: { on: ['www/process'] } } })
    expect(rendered(renamed, active(next))).toEqual([
      'deactivate page in process on web (moved to www)',
      'activate page in process on www (moved from web)',
    ])
  })
})

describe('manifests written by hand', () => {
  test('planTransition() prints a cycle as a path of service names', () => {
    const [, , page] = guestbook.serviceMappings
    const cyclic = withDependency('store', page!)
    expect(thrownBy(() => plan(cyclic, []))).toMatchObject({ code: 'invalid-manifest', exitStatus: 65 })
    expect(diagnosed(cyclic, [])).toEqual(['services depend on each other in a cycle: store → page → api → store'])
  })

  test('planTransition() finds a service that depends on itself', () => {
    const [store] = guestbook.serviceMappings
    expect(diagnosed(withDependency('store', store!), [])).toEqual([
      'services depend on each other in a cycle: store → store',
    ])
  })

  test('planTransition() reports all dangling references at once', () => {
    const [store, api, page] = guestbook.serviceMappings
    const wrong: Manifest = {
      ...guestbook,
      serviceMappings: [api!, { ...page!, target: 'mars' as TargetName }, { ...store!, service: 'k' as ServiceKey }],
    }
    expect(diagnosed(wrong, [])).toEqual([
      "target 'mars' is not in the infrastructure",
      "service 'k' is not among the services",
      "service 'api' depends on 'store' in 'process' on 'db', which is neither active nor in the manifest",
    ])
  })

  test('planTransition() stops even services whose records have a cycle', () => {
    const cyclic = withDependency('store', guestbook.serviceMappings[2]!)
    const { deactivations } = phasesOf(plan(manifestOf({ services: {} }), active(cyclic)))
    expect(deactivations.map(({ service }) => service.name).sort()).toEqual(['api', 'page', 'store'])
    expect(deactivations.flatMap(({ waitsFor }) => waitsFor)).toEqual([])
  })

  function withDependency(name: string, mapping: Manifest['serviceMappings'][number]): Manifest {
    const services = [...guestbook.services].map(([key, service]) => {
      return [key, service.name === name ? { ...service, dependsOn: [mapping] } : service] as const
    })
    return { ...guestbook, services: new Map(services) }
  }
})

test.each(['chain', 'fan'])('planTransition() plans 10,000 services (%s)', (shape) => {
  const dependencies = { chain: (index: number) => [`s${index - 1}`], fan: () => ['s0'] }[shape]!
  const entries = Array.from({ length: 10_000 }, (_, index) => {
    return [`s${index}`, { on: [`t${index % 50}/process`], dependsOn: index === 0 ? [] : dependencies(index) }]
  })
  const big = manifestOf({ services: Object.fromEntries(entries) })
  const empty = manifestOf({ services: {} })
  expect(phasesOf(plan(big, [])).activations).toHaveLength(10_000)
  expect(phasesOf(plan(empty, active(big))).deactivations).toHaveLength(10_000)
})

function changed(services: SystemSpec['services']): Manifest {
  return manifestOf({ services: { ...GUESTBOOK.services, ...services }, cores: { db: 1, web: 1 } })
}

function active(manifest: Manifest): readonly ObservedMapping[] {
  return observedOf(manifest, manifest.infrastructure)
}

function plan(next: Manifest, observed: readonly ObservedMapping[], options: Partial<PlanOptions> = {}): Transition {
  return planTransition(next, observed, { upgrade: 'upgrade', ...options })
}

function rendered(next: Manifest, observed: readonly ObservedMapping[], options: Partial<PlanOptions> = {}): string[] {
  return renderTransition(plan(next, observed, options), KINDS)
    .trimEnd()
    .split('\n')
}

function diagnosed(
  next: Manifest,
  observed: readonly ObservedMapping[],
  upgrade: PlanOptions['upgrade'] = 'upgrade',
): string[] {
  const error = thrownBy(() => plan(next, observed, { upgrade }))
  return error instanceof DavitError ? error.diagnostics.map(({ message }) => message) : []
}

function thrownBy(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}
