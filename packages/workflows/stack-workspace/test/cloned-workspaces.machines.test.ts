import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DavitError } from '@davit/diagnostics'
import { linkWithin, removeTree } from '@davit/files'
import { scratchDirectory } from '@davit/testing/scratch'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanAside, withAside } from '../src/aside.ts'
import { installTree } from '../src/install-tree.ts'
import { filesIn, writeTree } from './testing.ts'

const NAMESPACE = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]

/** Steps of paths in `.Mudeps` that matter to fetching: of the stacks that are fetched, and of what killed runs leave. */
const step = fc.constantFrom(
  'evil.org',
  'evil.org',
  'a',
  'a',
  'b',
  'old',
  `.fetching-${NAMESPACE}.4194999.5`,
  'replaced',
  'stack',
)
const path = fc.array(step, { minLength: 0, maxLength: 5 }).map((steps) => join('.Mudeps', ...steps))
const target = fc.constantFrom(
  '../..',
  '../../..',
  '../../../..',
  '../../../../..',
  '.',
  '../a',
  'OUTSIDE',
  'OUTSIDE/a',
  '/dev/zero',
)
const entry = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('link' as const), path, target }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('record' as const), path, target: fc.constant('.origin.json') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('file' as const), path, target: fc.constant('Mu.yaml') }) },
)
type Entry = typeof entry extends fc.Arbitrary<infer Value> ? Value : never
const workspace = fc.array(entry, { minLength: 1, maxLength: 8 })

/** Makes an entry unless something is in its way. */
function make(root: string, outside: string, one: Entry): void {
  const at = join(root, one.path)
  // A repository has nothing behind its links.
  if (linkWithin(root, one.kind === 'link' ? dirname(at) : at) !== undefined) return
  try {
    mkdirSync(one.kind === 'link' ? dirname(at) : at, { recursive: true })
    if (one.kind === 'link') symlinkSync(one.target.replace('OUTSIDE', outside), at)
    else if (lstatSync(at).isDirectory()) writeFileSync(join(at, one.target), '', { flag: 'wx' })
  } catch {
    // The entries before leave no room for it.
  }
}

/** Does what a run does that has fetched these stacks. */
async function putStacks(root: string): Promise<void> {
  cleanAside(root)
  for (const path of ['evil.org/a', 'evil.org/a/b', 'evil.org/b']) {
    await withAside(root, async (aside) => {
      writeTree(join(aside, 'stack'), { 'Mu.yaml': 'fetched', '.origin.json': '' })
      await installTree(join(aside, 'stack'), { root, path }, aside)
    })
  }
}

test('whatever a cloned workspace has in .Mudeps, nothing outside of that is written, replaced or removed', async () => {
  const scratch = scratchDirectory()
  let [refused, fetched] = [0, 0]
  await fc.assert(
    fc.asyncProperty(workspace, async (entries) => {
      const outside = mkdtempSync(join(scratch, 'home-'))
      writeTree(join(outside, 'outside'), PRECIOUS)
      writeTree(outside, PRECIOUS)
      const shop = join(outside, 'src/shop')
      mkdirSync(shop, { recursive: true })
      for (const one of entries) make(shop, join(outside, 'outside'), one)
      const before = seen(outside)
      await putStacks(join(shop, '.Mudeps')).then(
        () => (fetched += 1),
        (error: unknown) => {
          expect(error).toBeInstanceOf(DavitError)
          refused += 1
        },
      )
      expect(seen(outside)).toStrictEqual(before)
      removeTree(outside)
    }),
    { numRuns: 80 },
  )
  console.log(`cloned workspaces: ${refused} refused, ${fetched} fetched`)
  expect(Math.min(refused, fetched)).toBeGreaterThan(0)
})

const PRECIOUS = {
  'a/old/precious': '1',
  'a/precious': '2',
  'old/precious': '3',
  'b/.origin.json': '4',
  'b/x': '5',
  'replaced/evil.org/a/b/.origin.json': '6',
}

/** All that is not in the directory of fetched stacks. */
function seen(outside: string): readonly string[] {
  return filesIn(outside)
    .filter((file) => !file.startsWith('src/shop/.Mudeps'))
    .map((file) => `${file}: ${readFileSync(join(outside, file), 'utf8')}`)
}
