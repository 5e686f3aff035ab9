import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderDiagnostic } from '@davit/diagnostics'
import type { System } from '@davit/documents'
import { loadArchitecture } from '@davit/models'
import { modulesOf } from '@davit/modules'
import { normalizeModel } from '@davit/normalization'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { typesWithoutModule } from '../src/types-without-module.ts'

const system = 'x86_64-linux' as System
const OPTIONS = {
  clientInterface: 'ssh',
  targetProperty: 'hostname',
  deployState: false,
  system,
  store: { kind: 'native', directory: '/store' },
} as const

async function warningsOf(text: string, own: readonly string[] = []): Promise<string> {
  const directory = scratchDirectory()
  const architecture = join(directory, 'a.yaml')
  writeFileSync(architecture, text)
  const model = await loadArchitecture({ architecture }, { system })
  const modules = [...(await modulesOf(own)).keys()]
  const normalized = normalizeModel(model, OPTIONS)
  const warnings = typesWithoutModule(normalized.architecture, { modules, placeOf: (path) => model.placeOf(path) })
  return warnings.map(renderDiagnostic).join('\n').replaceAll(`${directory}/`, '')
}

test('types without a module are reported with their places and a suggestion', async () => {
  const text = `infrastructure: { a: { properties: { hostname: a } } }
services:
  web:
    type: proces
    pkg: { source: . }
    targets: [a]
  proxy: { type: nginx, pkg: { source: . }, targets: [a] }
`
  expect(await warningsOf(text)).toMatchInlineSnapshot(`
    "a.yaml:7:18: warning: there is no module for type 'nginx'
        proxy: { type: nginx, pkg: { source: . }, targets: [a] }
                       ^
      hint: add a module with --modules DIRECTORY
    a.yaml:4:11: warning: there is no module for type 'proces'
          type: proces
                ^
      hint: did you mean 'process'?"
  `)
})

function architectureOf(services: Readonly<Record<string, string>>): string {
  const lines = Object.entries(services).map(
    ([name, rest]) => `  ${name}: { pkg: { source: . }, targets: [a], ${rest} }\n`,
  )
  return `infrastructure: { a: { properties: { hostname: a } } }\nservices:\n${lines.join('')}`
}

test('a type without a module is reported once, however many services have it', async () => {
  const text = architectureOf({ one: 'type: nginx', three: 'type: nginx', two: 'type: nginx' })
  const warnings = await warningsOf(text)
  expect(warnings.split('\n')[0]).toBe(
    "a.yaml:3:50: warning: there is no module for type 'nginx', used by 'one' and 2 more",
  )
  expect(warnings.match(/warning:/g)).toHaveLength(1)
})

test('types of davit, of own modules and of containers that services provide have one', async () => {
  const own = scratchDirectory()
  writeFileSync(join(own, 'nginx'), '#!/bin/sh\n', { mode: 0o755 })
  const text = architectureOf({
    one: 'type: process',
    two: 'type: package',
    three: 'type: nginx',
    four: 'type: process, providesContainer: proces',
    five: 'type: proces',
  })
  expect(await warningsOf(text, [own])).toBe('')
  expect(await warningsOf(text)).toContain("there is no module for type 'nginx'")
})

test('the example of a package needs no module', async () => {
  const page = readFileSync(new URL('../../../../docs/modules/package.md', import.meta.url), 'utf8')
  const [, example = ''] = /^```yaml\n([^]*?)^```$/m.exec(page) ?? []
  const text = example.replace('./editor', '.')
  expect(await warningsOf(text)).toBe('')
  expect(await warningsOf(text.replace('type: package', 'type: packages'))).toContain("for type 'packages'")
})
