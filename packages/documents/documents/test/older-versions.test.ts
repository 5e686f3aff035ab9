import type { DavitError } from '@davit/diagnostics'
import { expect, test } from 'vitest'

import { encodeDocument, type Format, Infrastructure, parseDocument } from '../src/documents.ts'

/** A made-up older version, in which the number of cores is a text called `cpus`. */
const WithHistory: Format<Infrastructure> = {
  ...Infrastructure,
  version: 3,
  olderVersions: [
    { version: 2, read: (data) => data },
    { version: 1, xml: Infrastructure.xml!, read: (data) => renamed(data) },
  ],
}

function renamed(targets: unknown): unknown {
  return mapped(targets, (target) => {
    const fields = target as Readonly<Record<string, unknown>>
    return 'cpus' in fields ? { ...fields, cpus: undefined, numOfCores: Number(fields['cpus']) } : target
  })
}

function mapped(table: unknown, change: (value: unknown) => unknown): unknown {
  const entries: [string, unknown][] =
    table instanceof Map ? [...(table as Map<string, unknown>)] : Object.entries(table!)
  return new Map(entries.map(([name, value]) => [name, change(value)]))
}

const rest = `"system": "x86_64-linux", "clientInterface": "ssh", "targetProperty": "hostname", "containers": {}`
const target = `"t": { "properties": { "hostname": "t" }, ${rest}, "cpus": "4" }`
const documentOf = (version: number) =>
  `{ "document": "infrastructure", "version": ${version}, "infrastructure": { ${target} } }`
const failureOf = (text: string) => {
  try {
    return parseDocument(WithHistory, text, { file: 'i.json' })
  } catch (error) {
    return (error as DavitError).diagnostics.map(({ message, place }) => [message, place?.line, place?.column])
  }
}

test('an older version that a format lists is read as the current one', () => {
  const read = parseDocument(WithHistory, documentOf(1), { file: 'i.json' })
  expect([...read.values()].map(({ numOfCores }) => numOfCores)).toEqual([4])
  expect(encodeDocument(WithHistory, read, 'json')).toContain('"version": 3')
})

test('an older version is read in XML as well', () => {
  const current = parseDocument(WithHistory, documentOf(1), { file: 'i.json' })
  for (const version of [1, 2]) {
    const text = encodeDocument(WithHistory, current, 'xml').replace('version="3"', `version="${version}"`)
    expect(parseDocument(WithHistory, text, { file: 'i.xml' })).toEqual(current)
  }
})

test('a problem of a value that was converted from an older version has a place in its text', () => {
  const wrong = documentOf(1).replace('"4"', '"many"')
  expect(failureOf(wrong)).toEqual([['expected a number, but got NaN', 1, wrong.indexOf('"t"') + 1]])
})

test('a version that is not listed is refused, with those that are', () => {
  expect(failureOf(documentOf(7))).toEqual([
    ['version 7 of an infrastructure is not supported: davit reads version 1, 2 or 3', 1, expect.any(Number)],
  ])
})
