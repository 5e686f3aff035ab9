import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderDiagnostic } from '@davit/diagnostics'
import type { System } from '@davit/documents'
import { loadArchitecture } from '@davit/models'
import { builtInModules } from '@davit/modules'
import { normalizeModel } from '@davit/normalization'
import { expect, onTestFinished, test } from 'vitest'
import { suspectTypes } from '../src/suspect-types.ts'

const system = 'x86_64-linux' as System
const OPTIONS = {
  clientInterface: 'ssh',
  targetProperty: 'hostname',
  deployState: false,
  system,
  store: { kind: 'native', directory: '/store' },
} as const

async function warningsOf(text: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'davit-types-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const architecture = join(directory, 'a.yaml')
  writeFileSync(architecture, text)
  const model = await loadArchitecture({ architecture }, { system })
  const modules = [...(await builtInModules()).keys()]
  const normalized = normalizeModel(model, OPTIONS)
  const warnings = suspectTypes(normalized.architecture, { modules, placeOf: (path) => model.placeOf(path) })
  return warnings.map(renderDiagnostic).join('\n').replaceAll(`${directory}/`, '')
}

test('a type that is nearly called like a module of davit is told where it stands', async () => {
  const text = `infrastructure: { a: { properties: { hostname: a } } }
services:
  web:
    type: proces
    pkg: { source: . }
    targets: [a]
`
  expect(await warningsOf(text)).toMatchInlineSnapshot(`
    "a.yaml:4:11: warning: davit has no module for type 'proces'
          type: proces
                ^
      hint: did you mean 'process'?"
  `)
})

test('types of davit, of others and of containers that services provide are not suspected', async () => {
  const service = (name: string, rest: string) => `  ${name}: { pkg: { source: . }, targets: [a], ${rest} }\n`
  const services = [
    service('one', 'type: process'),
    service('two', 'type: package'),
    service('three', 'type: nginx'),
    service('four', 'type: process, providesContainer: proces'),
    service('five', 'type: proces'),
  ]
  const text = `infrastructure: { a: { properties: { hostname: a } } }\nservices:\n${services.join('')}`
  expect(await warningsOf(text)).toBe('')
})
