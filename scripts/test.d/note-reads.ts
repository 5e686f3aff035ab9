/**
 * Set-up of every test file: notes the files of the repository that the tests of a file read in their own process, if
 * `DAVIT_TEST_READS` names a file for that. scripts/check-test-inputs.ts compares them with the inputs.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'

const { DAVIT_TEST_READS: notes } = process.env
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NOTED = Symbol.for('davit: files that tests read')
const READERS = [
  'readFileSync',
  'readFile',
  'readdirSync',
  'readdir',
  'copyFileSync',
  'copyFile',
  'cpSync',
  'cp',
] as const
type Reader = (place: unknown, ...rest: unknown[]) => unknown

// Several test files share a process, in which the functions are replaced once.
const shared = globalThis as { [NOTED]?: Set<string> }

function replaceReaders(noted: Set<string>): void {
  for (const owner of [fs, fs.promises] as unknown as Record<string, Reader>[]) {
    for (const name of READERS) {
      const original = owner[name]
      if (original === undefined) continue
      owner[name] = Object.assign(function read(this: unknown, place: unknown, ...rest: unknown[]) {
        note(place, noted)
        return original.call(this, place, ...rest)
      }, original)
    }
  }
  syncBuiltinESMExports()
}

function note(place: unknown, noted: Set<string>): void {
  if (typeof place !== 'string' && !(place instanceof URL)) return
  const path = resolve(place instanceof URL ? fileURLToPath(place) : place)
  if (path.startsWith(ROOT) && !path.includes('/node_modules/')) noted.add(relative(ROOT, path))
}

const { testPath } = expect.getState()
if (notes && testPath !== undefined) {
  if (shared[NOTED] === undefined) {
    shared[NOTED] = new Set()
    replaceReaders(shared[NOTED])
  }
  const noted = shared[NOTED]
  noted.clear()
  afterAll(() => {
    const test = relative(ROOT, join(testPath))
    fs.appendFileSync(notes, [...noted].map((path) => `${test}\t${path}\n`).join(''))
  })
}
