import { describe, expect, test } from 'vitest'
import { DavitError } from '@davit/diagnostics'
import { Manifest, parseDocument } from '../src/documents.ts'

const HASH = 'a'.repeat(32)
const inStore = (name: string, store = '/store') => `${store}/${HASH}-${name}`
const mapping = { service: 'web', target: 'alpha', container: 'process' }
const service = (name: string) => ({ name, pkg: inStore(name), type: 'process', dependsOn: [mapping] })

const SOUND = {
  document: 'manifest',
  version: 2,
  profiles: { alpha: inStore('alpha') },
  services: { web: { ...service('web'), dependsOn: [] }, zoo: { ...service('zoo'), connectsTo: [mapping] } },
  infrastructure: {
    alpha: {
      properties: { hostname: 'a' },
      system: 'x86_64-linux',
      clientInterface: 'ssh',
      targetProperty: 'hostname',
    },
  },
  serviceMappings: [mapping],
  snapshotMappings: [{ ...mapping, component: 'web' }],
  store: { kind: 'native', directory: '/store' },
}

test('a manifest whose references are all known is read', () => {
  expect(problemsOf(SOUND)).toEqual([])
})

describe('a reference to something that the manifest does not have is a problem with its place', () => {
  test.each([
    [['serviceMappings', 0, 'service'], "no service with key 'gone'"],
    [['serviceMappings', 0, 'target'], "no target 'gone'"],
    [['serviceMappings', 0, 'containerProvidedByService'], "no service with key 'gone'"],
    [['snapshotMappings', 0, 'service'], "no service with key 'gone'"],
    [['snapshotMappings', 0, 'target'], "no target 'gone'"],
    [['services', 'zoo', 'dependsOn', 0, 'service'], "no service with key 'gone'"],
    [['services', 'zoo', 'dependsOn', 0, 'target'], "no target 'gone'"],
    [['services', 'zoo', 'connectsTo', 0, 'service'], "no service with key 'gone'"],
    [['services', 'zoo', 'connectsTo', 0, 'target'], "no target 'gone'"],
  ])('%j', (path, message) => {
    expect(problemsOf(changed(SOUND, path, 'gone'))).toEqual([{ path, message: `there is ${message}` }])
  })

  test('also where the container is provided by a service that is known', () => {
    const provided = changed(SOUND, ['serviceMappings', 0, 'containerProvidedByService'], 'web')
    const path = ['serviceMappings', 0, 'service']
    expect(problemsOf(changed(provided, path, 'gone'))).toMatchObject([{ path }])
  })
})

describe('a path outside of the store is a problem with its place', () => {
  test.each([
    [['services', 'web', 'pkg'], inStore('web', '/stores')],
    [['services', 'web', 'pkg'], inStore('web', '/store/more')],
    [['services', 'web', 'pkg'], inStore('web', '/other')],
    [['profiles', 'alpha'], inStore('alpha', '/other')],
  ])('%j: %s', (path, value) => {
    const message = `'${value}' is not in the store of this manifest, '/store'`
    expect(problemsOf(changed(SOUND, path, value))).toEqual([{ path, message }])
  })
})

test('a manifest that names no store has that of its first service by name', () => {
  const services = { zoo: { ...service('zoo'), pkg: inStore('zoo', '/other') }, web: SOUND.services.web }
  expect(problemsOf({ ...SOUND, store: undefined, services })).toMatchObject([{ path: ['services', 'zoo', 'pkg'] }])
})

/** Returns a copy in which the value at a path is another one. */
function changed(value: unknown, [step, ...rest]: readonly (string | number)[], to: string): unknown {
  if (step === undefined) return to
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }
  return Object.assign(copy, { [step]: changed((copy as Record<string | number, unknown>)[step], rest, to) })
}

function problemsOf(value: unknown) {
  try {
    parseDocument(Manifest, JSON.stringify(value), { file: 'm.json' })
    return []
  } catch (error) {
    if (!(error instanceof DavitError)) throw error
    return error.diagnostics.map(({ path, message }) => ({ path, message }))
  }
}
