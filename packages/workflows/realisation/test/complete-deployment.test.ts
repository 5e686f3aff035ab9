import type { DeploymentModel, StorePath, System, TargetName } from '@davit/documents'
import { expect, test } from 'vitest'

import { completeDeployment } from '../src/realisation.ts'

const WEB1 = 'web1' as TargetName
const defaults = { system: 'x86_64-linux' as System, clientInterface: 'local', targetProperty: 'hostname' }
const options = { ...defaults, file: 'deployment.yaml' }
const model: DeploymentModel = {
  profiles: new Map([[WEB1, '/store/00000000000000000000000000000000-web1' as StorePath]]),
  services: new Map(),
  infrastructure: new Map([[WEB1, { properties: new Map([['hostname', 'web1']]), containers: new Map() }]]),
  serviceMappings: [],
  snapshotMappings: [],
}

test('completeDeployment() needs only profiles and infrastructure', () => {
  const { infrastructure, store } = completeDeployment(model, options)
  expect(infrastructure.get(WEB1)).toMatchObject({ ...defaults, numOfCores: 1 })
  expect(store).toEqual({ kind: 'native', directory: '/store' })
})

test('completeDeployment() keeps the values that targets have', () => {
  const said = { system: 'aarch64-linux' as System, numOfCores: 8, clientInterface: 'ssh', targetProperty: 'address' }
  const properties = new Map([['address', 'web1']])
  const infrastructure = new Map([[WEB1, { ...said, properties, containers: new Map() }]])
  const manifest = completeDeployment({ ...model, infrastructure }, options)
  expect(manifest.infrastructure.get(WEB1)).toMatchObject(said)
})

test('completeDeployment() refuses a profile of a target that is not there, and names the file', () => {
  expect(() => completeDeployment({ ...model, infrastructure: new Map() }, options)).toThrow(/deployment\.yaml/)
})
