import { DavitError, renderDiagnostic } from '@davit/diagnostics'
import { describe, expect, test } from 'vitest'
import { encodeDocument, parseDocument, validateDocument } from '../src/documents.ts'
import { parseData } from '@davit/languages'
import { fixturesIn, formatOf, pathOf, readFixture } from './documents.ts'

describe('valid documents', () => {
  test.each(fixturesIn('valid'))('%s is written as it was read', (file) => {
    const format = formatOf(file)!
    const text = readFixture(`valid/${file}`)
    const value = parseDocument(format, text, { file })
    expect(encodeDocument(format, value, file.endsWith('.xml') ? 'xml' : 'json')).toBe(text)
  })

  test.each(fixturesIn('valid').filter((file) => formatOf(file)!.xml))('%s says the same in XML and JSON', (file) => {
    const format = formatOf(file)!
    const value = parseDocument(format, readFixture(`valid/${file}`), { file })
    for (const language of ['xml', 'json'] as const) {
      expect(parseDocument(format, encodeDocument(format, value, language), { file })).toEqual(value)
    }
  })
})

describe('invalid documents', () => {
  test.each(fixturesIn('invalid'))('%s is refused with all its errors', async (file) => {
    await expect(errorsOf(file)).toMatchFileSnapshot(pathOf(`invalid/${file}.errors`))
  })
})

/** Reads YAML like models: parsed, then validated with its places. */
function read(text: string, file: string): void {
  const format = formatOf(file)
  if (format !== undefined && !file.endsWith('.yaml')) return void parseDocument(format, text, { file })
  const { value, placeOf, placeOfKey } = parseData(text, { file, language: file.endsWith('.yaml') ? 'yaml' : 'json' })
  if (format !== undefined) validateDocument(format, value, { file, placeOf, placeOfKey })
}

function errorsOf(file: string): string {
  const text = readFixture(`invalid/${file}`)
  try {
    read(text, file)
  } catch (error) {
    if (!(error instanceof DavitError)) throw error
    const { code, exitStatus, message, hint, diagnostics } = error
    const end = `${message} [${code}, ${exitStatus}]`
    return (
      [...diagnostics.map(renderDiagnostic), end, ...(hint === undefined ? [] : [`hint: ${hint}`])].join('\n') + '\n'
    )
  }
  throw new Error(`'${file}' was accepted`)
}
