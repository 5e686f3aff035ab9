import { expect, test } from 'vitest'
import { emissionOf, servicesIn, stackOf } from './testing.ts'

const PAGE = `name: acme/page
version: 1.0.0
services:
  public:
    deep:
      type: davit/x/service
      module: process
      build:
        script: x
        fetched: false
        inputs: { tool: { build: { script: y, fetched: false } } }
`

test('the builds of a stack are marked, with those of their inputs, if any part of it was fetched', () => {
  const own = { main: 'type: mu/container, build: p, command: [p]' }
  const texts = {
    ...stackOf({ ...own, far: 'type: acme/page' }),
    '.Mudeps/hub.mu.com/acme/page/Mu.yaml': PAGE,
    'p/bin/p': '',
  }
  const services = servicesIn(emissionOf(texts))
  expect(Object.keys(services)).toHaveLength(2)
  for (const { pkg } of Object.values(services)) expect(pkg.build).toMatchObject({ fetched: true })
  expect(services['shop.far.deep']?.pkg.build?.inputs).toMatchObject({ tool: { build: { fetched: true } } })
  const alone = servicesIn(emissionOf({ ...stackOf(own), 'p/bin/p': '' }))
  expect(alone['shop.main']?.pkg.build).not.toHaveProperty('fetched')
})
