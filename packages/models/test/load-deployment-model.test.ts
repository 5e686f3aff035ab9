import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadDeploymentModel } from '../src/models.ts'
import { complaintOf, modelsIn } from './models-in.ts'

const path = '/var/lib/davit/store/00000000000000000000000000000000-a'
const infrastructure = '{ "a": { "properties": { "hostname": "a" }, "containers": {} } }'

test.each([
  ['deployment.yaml', `profiles: { a: ${path} }\ninfrastructure: ${infrastructure}`],
  ['deployment.json', `{ "profiles": { "a": "${path}" }, "infrastructure": ${infrastructure} }`],
  [
    'deployment.ts',
    `export default () => ({ profiles: { a: '${path}' as string }, infrastructure: ${infrastructure} })`,
  ],
  [
    'deployment.xml',
    `<manifest version="2"><profiles><profile name="a">${path}</profile></profiles><infrastructure><target name="a"><properties><property name="hostname" type="string">a</property></properties><containers/></target></infrastructure></manifest>`,
  ],
])('loadDeploymentModel() reads %s, whose other sections are absent', async (file, text) => {
  const model = await loadDeploymentModel(join(modelsIn({ [file]: text }), file))
  expect(model.profiles).toEqual(new Map([['a', path]]))
  expect([...model.infrastructure.keys()]).toEqual(['a'])
  expect([model.services.size, model.serviceMappings, model.snapshotMappings]).toEqual([0, [], []])
})

test('loadDeploymentModel() says where it is wrong', async () => {
  const directory = modelsIn({ 'deployment.yaml': 'profiles:\n  a: 3\n' })
  const complaint = await complaintOf(loadDeploymentModel(join(directory, 'deployment.yaml')), directory)
  expect(complaint).toContain('deployment.yaml:2:6: error: ')
})
