import { expect, test } from 'vitest'
import { load, loadIn, modelsIn, specOf } from './models-in.ts'

const infrastructure = 'one: { properties: { hostname: one } }\n'
const SERVICES = `
own: { type: process, pkg: { build: { script: x, sources: { app: ./app } } } }
marked: { type: process, pkg: { build: { script: x, fetched: true } } }
works: { type: process, pkg: { build: { script: x, sources: { app: .Mudeps/acme/app } } } }
other: { type: process, pkg: { build: { script: x, sources: { app: { source: .mu/stacks/acme/app } } } } }
inner: { type: process, pkg: { build: { script: x, inputs: { tool: { build: { script: x, sources: { app: .Mudeps/acme/app } } } } } } }
`
const FILES = { 'app/file': '', '.Mudeps/acme/app/file': '', '.mu/stacks/acme/app/file': '' }

test('builds of what was fetched, and builds in what was fetched, are known as such', async () => {
  const model = await load({ ...FILES, 'infrastructure.yaml': infrastructure, 'services.yaml': SERVICES })
  const isFetched = (name: string) => (specOf(model, name) as { readonly isFetched?: boolean }).isFetched
  expect(['own', 'marked', 'works', 'other', 'inner'].map(isFetched)).toEqual([undefined, true, true, true, undefined])
  expect(specOf(model, 'inner')).toMatchObject({
    inputs: new Map([['tool', expect.objectContaining({ isFetched: true })]]),
  })
  const directory = modelsIn({
    '.Mudeps/a/services.yaml': 'own: { type: process, pkg: { build: { script: x } } }\n',
    '.Mudeps/a/infrastructure.yaml': infrastructure,
  })
  const fetched = await loadIn(`${directory}/.Mudeps/a`, ['services.yaml', 'infrastructure.yaml'])
  expect(specOf(fetched, 'own')).toMatchObject({ isFetched: true })
})
