import { join } from 'node:path'
import { CompiledStack, encodeDocument } from '@davit/documents'
import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
import { compileDirectory, type StackCase, stackCases } from './testing.ts'

const { directory, cases } = stackCases()

test.each(cases.map((one) => [one.name, one] as const))('case %s', (_, { entry, options, expect: expected }) => {
  const words = options.includes('--') ? options.slice(options.indexOf('--') + 1) : []
  const cluster = options[options.indexOf('-c') + 1]
  const outcome = compileDirectory(join(directory, entry), {
    words,
    ...(options.includes('-c') && cluster ? { cluster } : {}),
  })
  const errors = outcome.findings.filter(({ severity }) => severity === 'error')
  expect(errors.map(({ code, subjects }) => ({ code, subjects }))).toEqual(expected.errors)
  expect(outcome.findings.map(({ code }) => code)).toEqual(expect.arrayContaining([...expected.warnings]))
  if (outcome.kind === 'refused') return
  const document = JSON.parse(encodeDocument(CompiledStack, compiledDocument(outcome.stack), 'json')) as {
    readonly services: NonNullable<StackCase['expect']['services']>
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
