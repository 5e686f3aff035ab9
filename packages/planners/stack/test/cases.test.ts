import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { CompiledStack, encodeDocument } from '@davit/documents'
import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
import { compileDirectory } from './testing.ts'

const CASES = fileURLToPath(new URL('fixtures/cases', import.meta.url))

interface Case {
  readonly name: string
  readonly entry: string
  readonly options: readonly string[]
  readonly expect: {
    readonly errors: readonly object[]
    readonly warnings: readonly string[]
    readonly services?: Readonly<Record<string, { readonly properties: { readonly env?: object } }>>
  }
}

const { cases } = JSON.parse(readFileSync(join(CASES, 'cases.json'), 'utf8')) as { readonly cases: readonly Case[] }

test.each(cases.map((one) => [one.name, one] as const))('case %s', (_, { entry, options, expect: expected }) => {
  const words = options.includes('--') ? options.slice(options.indexOf('--') + 1) : []
  const cluster = options[options.indexOf('-c') + 1]
  const outcome = compileDirectory(join(CASES, entry), {
    words,
    ...(options.includes('-c') && cluster ? { cluster } : {}),
  })
  const errors = outcome.findings.filter(({ severity }) => severity === 'error')
  expect(errors.map(({ code, subjects }) => ({ code, subjects }))).toEqual(expected.errors)
  expect(outcome.findings.map(({ code }) => code)).toEqual(expect.arrayContaining([...expected.warnings]))
  if (outcome.kind === 'refused') return
  const document = JSON.parse(encodeDocument(CompiledStack, compiledDocument(outcome.stack), 'json')) as {
    readonly services: NonNullable<Case['expect']['services']>
  }
  for (const [fqn, service] of Object.entries(expected.services ?? {})) {
    const record = asTexts(document.services[fqn]) ?? {}
    const listed = Object.entries(record).filter(([member]) => Object.hasOwn(service, member))
    expect(Object.fromEntries(listed)).toEqual(asTexts(service))
  }
})

/** Compares numbers and truth values in `env` as texts. */
function asTexts(service: { readonly properties: { readonly env?: object } } | undefined) {
  if (service?.properties.env === undefined) return service
  const env = JSON.parse(JSON.stringify(service.properties.env), (_, value: unknown) => {
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  }) as object
  return { ...service, properties: { ...service.properties, env } }
}
