import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { DavitError } from '@davit/diagnostics'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { scratchDirectory } from '@davit/testing/scratch'
import { pax, type TarBlock, tarOf, withChecksums } from '@davit/testing/tar-blocks'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { removeTree, unpackArchive, walkTree } from '../src/files.ts'

const DIRECTORY: TarBlock = { name: 'd/', type: '5', mode: 0o755 }

describe('fuzzing', patience, () => {
  let inputs = 0
  let harmless = 0
  afterAll(() =>
    tellFigure(`archives: ${inputs} hostile inputs (${harmless} unpacked), none of which left its directory`),
  )

  const count = (outcome: string): void => {
    inputs += 1
    if (outcome === 'unpacked') harmless += 1
  }

  const VALID = tarOf(
    DIRECTORY,
    { name: 'd/run', type: '0', content: 'run'.repeat(50), mode: 0o755 },
    { name: 'd/soft', type: '2', linkname: 'run' },
    { name: 'd/hard', type: '1', linkname: 'd/run' },
    { name: 'x', type: 'x', content: pax('path=d/pax') + pax('size=3') },
    { name: 'short', type: '0', content: 'pax' },
    { name: '././@LongLink', type: 'L', content: `d/${'l'.repeat(150)}` },
    { name: 'short', type: '0', content: 'long' },
  )
  const name = fc.constantFrom(
    'a',
    'a/',
    'a/b',
    'a/b/c',
    'ab',
    './a',
    '.',
    '',
    '..',
    '../a',
    '/a',
    'a/../b',
    'a//b',
    'A',
  )
  const block = fc.record(
    {
      name,
      type: fc.constantFrom(
        '0',
        '0',
        '1',
        '2',
        '2',
        '3',
        '4',
        '5',
        '5',
        '6',
        '7',
        'x',
        'g',
        'L',
        'K',
        'S',
        'D',
        '\0',
        ' ',
      ),
      content: fc.oneof(
        name,
        name.map((path) => pax(`path=${path}`)),
        name.map((path) => pax(`linkpath=${path}`)),
        fc.string(),
      ),
      linkname: name,
      mode: fc.constantFrom(0o644, 0o755, 0o4755, 0o2755, 0o1777, 0),
      size: fc.constantFrom(0, 1, 5, 511, 512, 513, 1024, '\x8e', '\xff'.repeat(12), '-1', 'x'),
    },
    { requiredKeys: ['name', 'type'] },
  )
  const mutant = fc
    .array(fc.tuple(fc.nat(VALID.length - 1), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 20 })
    .map((changes) => {
      const copy = Buffer.from(VALID)
      for (const [at, byte] of changes) copy[at] = byte
      return copy
    })

  test.each([
    ['blocks', fc.array(block, { maxLength: 8 }).map((blocks) => tarOf(...(blocks as readonly TarBlock[])))],
    [
      'bytes',
      fc.oneof(
        mutant,
        mutant.map(withChecksums),
        fc.uint8Array({ maxLength: 2048 }).map((bytes) => Buffer.from(bytes)),
      ),
    ],
  ])('unpackArchive() of any %s: an error of davit, or a harmless tree', async (_, archives) => {
    const parent = scratchDirectory()
    await fc.assert(
      fc.asyncProperty(archives, async (archive) => {
        const outcome = await unpacked(archive, join(parent, 'new'))
        count(outcome)
        expect([outcome, ...strangeThingsIn(parent)]).toEqual([expect.stringMatching(/^(?:unpacked|refused)$/)])
        removeTree(join(parent, 'new'))
      }),
      runs(150),
    )
  })
})

async function unpacked(archive: Buffer, directory: string): Promise<string> {
  const error = await unpackArchive(Readable.from([archive]), directory, { maxEntries: 10, maxBytes: 1000 }).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (error === undefined) return 'unpacked'
  return error instanceof DavitError ? 'refused' : inspect(error)
}

function strangeThingsIn(parent: string): readonly string[] {
  const outside = readdirSync(parent).filter((name) => name !== 'new')
  // It refuses what is neither file, directory nor link.
  const inside = [...walkTree(parent)].filter(
    ({ kind, path }) => kind !== 'symlink' && (statSync(join(parent, path)).mode & 0o7000) !== 0,
  )
  return [...outside, ...inside.map(({ path }) => path)]
}
