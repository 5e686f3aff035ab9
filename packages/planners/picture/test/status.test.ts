import { type InventoryDocument, type Manifest, mappingIdOf } from '@davit/documents'
import { manifestOf } from '@davit/transition/testing'
import { expect, test } from 'vitest'

import { statusIn } from '../src/picture.ts'

const MANIFEST: Manifest = manifestOf({ services: { web: { on: ['t/process'] } } })
const [MAPPING] = MANIFEST.serviceMappings

type Found = InventoryDocument['targets'][number]['services'][number]

function statusWith(target: Partial<InventoryDocument['targets'][number]>) {
  const inventory = { targets: [{ target: 't', services: [], ...target }] }
  return statusIn(inventory, MANIFEST).get(mappingIdOf(MAPPING!))
}

function statusOf(found: Partial<Found>) {
  return statusWith({ services: [{ key: MAPPING!.service, container: 'process', drift: [], ...found }] })
}

const drift = (...kinds: readonly string[]) => kinds.map((kind) => ({ kind, text: `is ${kind}` }))

test.each<readonly [Partial<Found>, string, string]>([
  [{ status: 'runs' }, 'active', 'runs'],
  [{ state: 'active' }, 'active', 'recorded as active'],
  [{ state: 'activating' }, 'unknown', 'recorded as activating'],
  [{ status: 'unknown' }, 'unknown', 'its module did not answer in time'],
  [{ status: 'unknown', drift: drift('unknown') }, 'unknown', 'is unknown'],
  [{ status: 'does-not-run', drift: drift('died') }, 'down', 'is died'],
  [{ status: 'runs', drift: drift('changed') }, 'drifted', 'is changed'],
  [{ drift: drift('package-missing', 'missing') }, 'down', 'is package-missing; is missing'],
  [{ drift: drift('of-a-later-version') }, 'drifted', 'is of-a-later-version'],
])('statusIn() takes %j for %s', (found, kind, text) => {
  expect(statusOf(found)).toEqual({ kind, text })
})

test('statusIn() knows nothing of what was not asked, or could not be', () => {
  expect(statusWith({})).toEqual({ kind: 'unknown', text: 'nothing is known of it' })
  expect(statusWith({ error: { message: 'no route' } })).toEqual({
    kind: 'unknown',
    text: 'its target cannot be asked: no route',
  })
})
