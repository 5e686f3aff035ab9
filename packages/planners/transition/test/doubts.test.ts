import type { ContainerName, ManifestService, ServiceKey, TargetName } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import {
  type ObservedMapping,
  observedOf,
  type PlanOptions,
  planRollback,
  planTransition,
  settingChanges,
  KINDS,
  activitiesOf,
} from '../src/transition.ts'
import { GUESTBOOK, manifestOf, pkgOf, withState, phasesOf, renderTransition } from './testing.ts'

const guestbook = manifestOf(GUESTBOOK)
const active = observedOf(guestbook, guestbook.infrastructure)

describe('planTransition() of what cannot be left alone', () => {
  test.each([
    ['died', 'no longer running'],
    ['rebooted', 'the machine was restarted'],
    ['damaged', 'its record is damaged'],
  ] as const)('restarts what %s, and leaves its dependants alone', (doubt, reason) => {
    const observed = withState(active, 'api', { doubt })
    const lines = [`deactivate api in process on web (${reason})`, `activate api in process on web (${reason})`]
    for (const upgrade of ['upgrade', 'activate-only', 'repair'] as const)
      expect(rendered(observed, { upgrade })).toEqual(lines)
  })

  test('keeps the order among what is restarted', () => {
    const observed = active.map((one) => ({ ...one, doubt: 'rebooted' as const }))
    const names = rendered(observed).map((line) => line.split(' ').slice(0, 2).join(' '))
    expect(names).toEqual([
      'deactivate page',
      'deactivate api',
      'deactivate store',
      'activate store',
      'activate api',
      'activate page',
    ])
  })

  test('starts a died service again on rollback, but not one with a damaged record', () => {
    const observed = withState(withState(active, 'api', { doubt: 'died' }), 'page', { doubt: 'damaged' })
    const transition = planTransition(guestbook, observed, { upgrade: 'upgrade' })
    const begun = new Set(activitiesOf(transition).map(({ id }) => id))
    expect(phasesOf(planRollback(transition, begun)).activations.map(({ service }) => service.name)).toEqual(['api'])
  })

  test('stops unwanted services in any case', () => {
    const next = manifestOf({ services: {} })
    const observed = withState(active, 'api', { doubt: 'damaged' })
    expect(rendered(observed, {}, next)).toContain(
      'deactivate api in process on web (its record is damaged; undeployed)',
    )
    expect(rendered(observed, { upgrade: 'repair' }, next)).toEqual(['nothing to do'])
  })
})

describe('planTransition() with repair', () => {
  test('starts nothing new and stops nothing old', () => {
    const services = { ...GUESTBOOK.services, more: { on: ['db/process'] }, page: { on: [] } }
    const observed = withState(active, 'store', { doubt: 'died' })
    expect(rendered(observed, { upgrade: 'repair' }, manifestOf({ services }))).toEqual([
      'deactivate store in process on db (no longer running)',
      'activate store in process on db (no longer running)',
    ])
  })

  test('starts dependencies of restarted services that have no record', () => {
    const observed = withState(active, 'page', { state: 'activating' }).filter(({ service }) => service.name === 'page')
    expect(rendered(observed, { upgrade: 'repair', previous: guestbook })).toEqual([
      'deactivate page in process on web (activation was cut off)',
      'activate store in process on db (not found on its target)',
      'activate api in process on web (not found on its target)',
      'activate page in process on web (activation was cut off)',
    ])
  })
})

describe('planTransition(): a change of settings under the same key', () => {
  const changes = [{ kind: 'changed-properties', names: ['password', 'port'] }] as const
  const observed = withState(active, 'api', { changes })

  test('is reported, and the service is left alone', () => {
    expect(rendered(observed)).toEqual([
      'nothing to do',
      'keep api in process on web unchanged (container properties changed: password, port)',
    ])
  })

  test('restarts the service where that is asked for', () => {
    expect(rendered(observed, { changed: 'restart' })).toEqual([
      'deactivate api in process on web (container properties changed: password, port)',
      'activate api in process on web (container properties changed: password, port)',
    ])
  })
})

describe('settingChanges()', () => {
  const service: ManifestService = {
    name: 'web' as ManifestService['name'],
    pkg: pkgOf('web'),
    type: 'process',
    dependsOn: [],
    connectsTo: [],
    providesContainers: new Map(),
  }
  const settings = {
    service,
    properties: new Map([
      ['password', 'secret'],
      ['port', '80'],
    ]),
    module: '/store/m/process',
  }
  const connection = (key: string) => ({
    service: key as ServiceKey,
    target: 't' as TargetName,
    container: 'c' as ContainerName,
  })
  const connected = (key: string) => ({ ...settings, service: { ...service, connectsTo: [connection(key)] } })
  const nameOf = (key: string) => (key === 'k' ? ('api' as ManifestService['name']) : undefined)

  test.each([
    ['nothing', settings, []],
    ['another order of properties', { ...settings, properties: new Map([...settings.properties].reverse()) }, []],
    ['a module that is not known', { ...settings, module: undefined }, []],
    ['another module', { ...settings, module: '/store/n/process' }, [{ kind: 'changed-module' }]],
    ['another connection', connected('k'), [{ kind: 'changed-connections', services: ['api'] }]],
    ['a connection of no name', connected('x'), [{ kind: 'changed-connections', services: ['x'] }]],
    [
      'properties that come, go and change',
      {
        ...settings,
        properties: new Map([
          ['password', 'other'],
          ['host', 'h'],
        ]),
      },
      [{ kind: 'changed-properties', names: ['host', 'password', 'port'] }],
    ],
  ])('finds %s, without any value', (_, after, expected) => {
    const found = settingChanges(settings, after, nameOf)
    expect(found).toEqual(expected)
    expect(JSON.stringify(found)).not.toContain('secret')
  })
})

function rendered(
  observed: readonly ObservedMapping[],
  options: Partial<PlanOptions> = {},
  next = guestbook,
): readonly string[] {
  return renderTransition(planTransition(next, observed, { upgrade: 'upgrade', ...options }), KINDS)
    .trimEnd()
    .split('\n')
}
