import { Manifest, parseDocument, type TargetName } from '@davit/documents'
import { expect, test } from 'vitest'

import { withTargetsOf } from '../src/selection.ts'

/** A manifest with one target, whose containers have a property. */
function manifestAt(hostname: string, containers: Readonly<Record<string, string>>): Manifest {
  const target = {
    properties: { hostname },
    containers: Object.fromEntries(Object.entries(containers).map(([name, port]) => [name, { port }])),
    system: 'x86_64-linux',
    numOfCores: 1,
    clientInterface: 'ssh',
    targetProperty: 'hostname',
  }
  const sections = { profiles: {}, services: {}, serviceMappings: [], snapshotMappings: [] }
  const store = { kind: 'native', directory: '/store' }
  const text = JSON.stringify({ document: 'manifest', version: 2, store, ...sections, infrastructure: { t1: target } })
  return parseDocument(Manifest, text, { file: 'manifest' })
}

test('services of an old manifest are acted on where their targets are now, with the containers of then and now', () => {
  const old = manifestAt('old.example', { gone: '1', changed: '2' })
  const next = manifestAt('new.example', { changed: '3', added: '4' })
  const target = withTargetsOf(next, old).infrastructure.get('t1' as TargetName)
  expect(target?.properties.get('hostname')).toBe('new.example')
  const ports = [...(target?.containers ?? [])].map(
    ([name, properties]) => `${name} ${JSON.stringify(properties.get('port'))}`,
  )
  expect(ports.toSorted()).toEqual(['added "4"', 'changed "3"', 'gone "1"'])
})
