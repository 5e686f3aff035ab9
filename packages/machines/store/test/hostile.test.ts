import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { StorePath, System } from '@davit/documents'
import { failureOf } from '@davit/diagnostics/testing'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import { scratchDirectory } from '@davit/testing/scratch'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { type Derivation, derivationPathOf, encodeDerivation, parseDerivation } from '../src/native/derivation.ts'
import { readDerivation } from '../src/native/derivation-writer.ts'
import { openRegistry } from '../src/native/registry.ts'
import { storeLayout } from '../src/native/store-layout.ts'
import { encodeRegistration, parseRegistration, type Registration } from '../src/store.ts'

let inputs = 0
afterAll(() => tellFigure(`registrations and derivations: ${inputs} inputs, each read or refused`))

const store = '/var/lib/davit/store'
const [web, lib] = ['1', '2'].map((digit) => `${store}/${digit.repeat(32)}-web` as StorePath) as [StorePath, StorePath]
const registration: Registration = {
  path: web,
  contentHash: `sha256:${'0'.repeat(64)}`,
  size: 12,
  references: [lib, web],
  deriver: `${web}.drv` as StorePath,
  system: 'x86_64-linux' as System,
}
const text = encodeRegistration(registration)

describe('parseRegistration()', patience, () => {
  test('reads any text, or returns nothing', () => {
    const { document: _, ...fields } = JSON.parse(text) as Record<string, unknown>
    const strange = fc
      .tuple(fc.constantFrom(...Object.keys(fields)), fc.jsonValue())
      .map(([name, value]) => JSON.stringify({ ...fields, [name]: value }))
    const any = fc.oneof(mutationsOf([text]), strange, awkwardText, fc.json())
    fc.assert(
      fc.property(any, (input) => {
        inputs += 1
        const read = parseRegistration(input, web)
        if (read === undefined) return
        expect(read.path).toBe(web)
        const { contentHash, deriver = '', system = '', references } = read
        const texts: readonly unknown[] = [contentHash, deriver, system, ...references]
        expect(texts.every((value) => typeof value === 'string')).toBe(true)
        expect(Number.isFinite(read.size)).toBe(true)
      }),
      runs(800),
    )
  })

  test.each([
    ['of another path', text.replace(web, lib)],
    ['deep', '['.repeat(1_000_000)],
    ['cut off', text.slice(0, -5)],
    ['of another version', text.replace('"version":1', '"version":2')],
    ['null', 'null'],
    ['empty', ''],
  ])('refuses one that is %s', (_, input) => {
    expect(parseRegistration(input, web)).toBeUndefined()
  })
})

const texts = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString')),
  fc.string(),
  {
    maxKeys: 4,
  },
)
const derivations: fc.Arbitrary<Derivation> = fc
  .record({ script: awkwardText, environment: texts, network: fc.boolean(), parameters: fc.option(awkwardText) })
  .map(({ environment, parameters, ...fields }) => ({
    name: 'web',
    system: 'x86_64-linux' as System,
    environment: new Map(Object.entries(environment)),
    sources: new Map([['src', lib]]),
    inputs: new Map([['tool', { output: lib, derivation: web }]]),
    ...fields,
    ...(parameters === null ? {} : { parameters }),
  }))

describe('derivations', patience, () => {
  test('are read as they were written', () => {
    fc.assert(
      fc.property(derivations, (derivation) => {
        inputs += 1
        const { script, environment, ...others } = parseDerivation(encodeDerivation(derivation))
        expect({ script, ...others }).toEqual(expect.objectContaining({ script: derivation.script, name: 'web' }))
        expect(new Map(environment)).toEqual(new Map(derivation.environment))
      }),
      runs(200),
    )
  })

  test('that were changed are refused', () => {
    const layout = storeLayout(join(scratchDirectory(), 'store'))
    mkdirSync(layout.registrations, { recursive: true })
    const [derivation] = fc.sample(derivations, 1)
    const honest = encodeDerivation(derivation!)
    const path = derivationPathOf(layout.directory, 'web', honest)
    const registry = openRegistry(layout)
    const context = { layout, registry } as never
    writeFileSync(join(layout.registrations, `${basename(path)}.json`), encodeRegistration({ ...registration, path }))
    fc.assert(
      fc.property(fc.oneof(mutationsOf([honest]), awkwardText), (damaged) => {
        inputs += 1
        writeFileSync(path, damaged)
        const isSame = readFileSync(path, 'utf8') === honest
        expect(failureOf(() => readDerivation(context, path))?.code).toBe(isSame ? undefined : 'bad-derivation')
      }),
      runs(100),
    )
    rmSync(path)
    registry.forget()
    expect(failureOf(() => readDerivation(context, path))?.code).toBe('invalid-path')
  })
})
