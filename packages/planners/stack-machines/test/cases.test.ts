import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileDirectory } from '@davit/stack/testing'
import { expect, test } from 'vitest'
import { architectureOfStack } from '../src/stack-machines.ts'
import { built, compiled, run, type ServiceModel, servicesIn, targetWith } from './testing.ts'

const CASES = join(dirname(fileURLToPath(import.meta.resolve('@davit/stack/testing'))), 'fixtures/cases')

interface Case {
  readonly name: string
  readonly entry: string
  readonly expect: {
    readonly architecture?: { readonly services: Readonly<Record<string, Partial<ServiceModel>>> }
    readonly environment?: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
}

const { cases } = JSON.parse(readFileSync(join(CASES, 'cases.json'), 'utf8')) as { readonly cases: readonly Case[] }
const ours = cases.filter((one) => one.expect.architecture !== undefined)

/** Those of counter/infrastructure.yaml. */
const TARGETS = new Map([
  ['left', targetWith({ hostname: 'left.example' }, ['process'])],
  ['right', targetWith({ hostname: 'right.example' }, ['process', 'wrapper'])],
])

test.each(ours.map((one) => [one.name, one] as const))('case %s', (_, { entry, expect: expected }) => {
  const stack = compiled(compileDirectory(join(CASES, entry)))
  const services = servicesIn(architectureOfStack(stack, { targets: TARGETS, deployed: undefined }))
  const { architecture, environment } = { architecture: { services: {} }, environment: {}, ...expected }
  expect(Object.keys(services).toSorted()).toEqual(Object.keys(architecture.services).toSorted())
  expect(services).toMatchObject(architecture.services)
  for (const [name, variables] of Object.entries(environment)) {
    const build = services[name]?.pkg.build ?? { script: '' }
    const { stdout } = run([join(built(build, { main: '#!/bin/sh\nenv\n' }), 'bin/start')])
    const lines = stdout.split('\n')
    expect(lines).toEqual(expect.arrayContaining(Object.entries(variables).map((pair) => pair.join('='))))
  }
})
