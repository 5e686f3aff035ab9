import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Architecture,
  BuildModel,
  encodeDocument,
  type Format,
  Infrastructure,
  Manifest,
  ProfileManifest,
} from '@davit/documents'
import * as arbitrary from '@davit/documents/testing'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Language, writeContent } from '../src/write-content.ts'
import { contentOf, filesIn } from './converter.ts'

const { environment } = privateNixOfFile()

const ENDINGS: Readonly<Record<Language, string>> = {
  xml: 'xml',
  json: 'json',
  yaml: 'yaml',
  typescript: 'ts',
  nix: 'nix',
}
const QUICK = ['xml', 'json', 'yaml'] as const
const ALL = [...QUICK, 'typescript', ...(noPrivateNix === undefined ? (['nix'] as const) : [])] as const

interface Sample {
  readonly format: Format<unknown>
  readonly value: unknown
}

const samples: readonly (readonly [string, fc.Arbitrary<Sample>])[] = [
  ['manifest', sampled(Manifest, arbitrary.manifest)],
  ['infrastructure', sampled(Infrastructure, arbitrary.infrastructure)],
  ['build-model', sampled(BuildModel, arbitrary.buildModel)],
  ['architecture', sampled(Architecture, arbitrary.architecture)],
  [
    'profile-manifest',
    arbitrary.profileManifest.map(({ target, value }) => ({
      format: ProfileManifest.on(target) as Format<unknown>,
      value,
    })),
  ],
]

test.each(samples)('%s: documents are the same bytes in every language, whatever they came from', async (_, sample) => {
  await fc.assert(
    fc.asyncProperty(sample, (one) => expectSameBytes(one, QUICK)),
    { numRuns: 15 },
  )
})

test.each(samples)('%s: programs and expressions have the same value', async (_, sample) => {
  await fc.assert(
    fc.asyncProperty(sample, (one) => expectSameBytes(one, ALL)),
    { numRuns: 2 },
  )
})

/** Writes a document in all languages, and then each of these texts again in all languages. */
async function expectSameBytes({ format, value }: Sample, wanted: readonly Language[]): Promise<void> {
  const languages = wanted.filter((language) => language !== 'xml' || format.xml !== undefined)
  const directory = filesIn({ 'davit.json': encodeDocument(format, value, 'json') })
  const first = await contentOf(join(directory, 'davit.json'))
  const texts = await textsOf(first, languages)
  expect(texts.get('json')).toBe(encodeDocument(format, value, 'json'))
  const xml = format.xml === undefined ? undefined : encodeDocument(format, value, 'xml')
  expect(texts.get('xml')).toBe(xml)
  for (const [from, text] of texts) {
    const file = join(directory, `text.${ENDINGS[from]}`)
    writeFileSync(file, text)
    const content = await contentOf(file, { environment })
    expect(content.leftOut).toEqual([])
    expect(await textsOf(content, languages), `from ${from}`).toEqual(texts)
  }
}

async function textsOf(content: Parameters<typeof writeContent>[0], languages: readonly Language[]) {
  const texts = languages.map(async (language) => [language, await textOf(content, language)] as const)
  return new Map(await Promise.all(texts))
}

async function textOf(content: Parameters<typeof writeContent>[0], language: Language): Promise<string> {
  const { text, leftOut } = await writeContent(content, language, { storePaths: false })
  expect(leftOut).toEqual([])
  return text
}

function sampled<Value>(format: Format<Value>, values: fc.Arbitrary<Value>): fc.Arbitrary<Sample> {
  return values.map((value) => ({ format: format as Format<unknown>, value }))
}
