import { describe, expect, test } from 'vitest'
import {
  build,
  defineArchitecture,
  defineBuildModel,
  defineDeploymentModel,
  defineDistribution,
  defineInfrastructure,
  definePackages,
  defineService,
  defineServices,
  float,
  packagesIn,
  secret,
  source,
} from '../src/davit.ts'

test.each([
  defineServices,
  defineService,
  defineInfrastructure,
  defineDistribution,
  definePackages,
  defineArchitecture,
  defineDeploymentModel,
  defineBuildModel,
])('%o gives back what it gets', (define: (model: never) => unknown) => {
  const model = {}
  expect(define(model as never)).toBe(model)
})

test('secret() writes a reference as documents have it', () => {
  expect(secret({ env: 'KEY' })).toEqual({ secret: { env: 'KEY' } })
})

describe('packagesIn()', () => {
  const here = packagesIn('/models/web')

  test.each([
    ['./app', '/models/web/app'],
    ['..', '/models'],
    ['/etc/app', '/etc/app'],
  ])('locates %s', (path, located) => {
    expect(here.source(path)).toEqual({ source: located })
    expect(here.source(path, { name: 'app' })).toEqual({ source: located, name: 'app' })
    expect(here.build({ script: '', sources: { app: path, again: here.source(path) } })).toEqual({
      build: { script: '', sources: { app: located, again: { source: located } } },
    })
  })

  test.each([undefined, null, 3, 'text', { script: '' }, { sources: null }])(
    'leaves %j for the reader of the model to refuse',
    (description) => {
      expect(here.build(description as never)).toEqual({ build: description })
      expect(here.source(description as never)).toHaveProperty('source')
    },
  )
})

test('source() and build() leave paths relative on their own', () => {
  expect(source('./app')).toEqual({ source: './app' })
  expect(build({ script: '', sources: { app: '.' } })).toEqual({ build: { script: '', sources: { app: '.' } } })
})

test.each([
  [1, '1.0'],
  [1.5, '1.5'],
])('float(%d) is written as %s, and counts as a number', (value, text) => {
  expect(String(float(value))).toBe(text)
  expect(Number(float(value)) + 1).toBe(value + 1)
})
