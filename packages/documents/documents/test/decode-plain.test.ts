import { DavitError } from '@davit/diagnostics'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeDocument, Infrastructure, Manifest, parseWholeDocument } from '../src/documents.ts'
import type { Format } from '../src/format.ts'
import { decodePlain } from '../src/xml/decode-plain.ts'
import * as arbitrary from './arbitraries.ts'

const FORMATS: readonly { readonly format: Format<unknown>; readonly values: fc.Arbitrary<unknown> }[] = [
  { format: Infrastructure, values: arbitrary.infrastructure },
  { format: Manifest, values: arbitrary.manifest },
]

/** Documents have one element per line. */
const change = fc.record({
  kind: fc.constantFrom('remove', 'repeat', 'swap', 'rename', 'add'),
  at: fc.nat(10_000),
  added: fc.constantFrom('x', '<x/>', '<x type="int">1</x>', '&amp;', '</property>', '<property name="p" type="int"/>'),
})

test.each(FORMATS)('what encodeDocument() writes is decoded the quick way: $format.name', ({ format, values }) => {
  fc.assert(
    fc.property(values, (value) => {
      expect(decodePlain(encodeDocument(format, value, 'xml'), () => format.xml)).toBeDefined()
    }),
    { numRuns: 30 },
  )
})

test.each(FORMATS)('a changed document is read the same either way: $format.name', ({ format, values }) => {
  fc.assert(
    fc.property(values, fc.array(change, { minLength: 1, maxLength: 2 }), (value, changes) => {
      const lines = encodeDocument(format, value, 'xml').split('\n')
      for (const one of changes) changeLines(lines, one)
      const text = lines.join('\n')
      expect(outcomeOf(format, text)).toEqual(outcomeOf(format, text.replace('?>', '?><!-- x -->')))
    }),
    { numRuns: 100 },
  )
})

type Change = typeof change extends fc.Arbitrary<infer One> ? One : never

/** Leaves the declaration. */
function changeLines(lines: string[], { kind, at, added }: Change): void {
  const index = 1 + (at % (lines.length - 1))
  const [line = '', next = ''] = lines.slice(index)
  if (kind === 'remove') lines.splice(index, 1)
  else if (kind === 'repeat') lines.splice(index, 0, line)
  else if (kind === 'swap') lines.splice(index, 2, next, line)
  else if (kind === 'rename') lines[index] = line.replaceAll(/(?<=<\/?)\w+/g, 'other')
  else lines.splice(index, 0, added)
}

/** What is read of a text, or the problems in it without their places. */
function outcomeOf(format: Format<unknown>, text: string): unknown {
  try {
    const { value, ignored } = parseWholeDocument(format, text, { file: 'x' })
    return { value, ignored: ignored.map(({ path }) => path) }
  } catch (error) {
    if (!(error instanceof DavitError)) throw error
    return error.diagnostics.map(({ path, message }) => ({ path, message }))
  }
}
