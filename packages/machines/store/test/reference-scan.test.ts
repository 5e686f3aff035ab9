import { array, assert, constantFrom, integer, property, tuple, uint8Array } from 'fast-check'
import type { StorePath } from '@davit/documents'
import { expect, test } from 'vitest'
import { encodeBase32 } from '../src/native/base32.ts'
import { referenceScan } from '../src/native/reference-scan.ts'
import { hashPartOf, storePathOf } from '../src/native/store-path.ts'

const PATHS = ['a', 'b', 'c', 'd'].map((name) => storePathOf('/store', { kind: 'content', name, digest: name }))

test('encodeBase32() counts as people do, without e, o, u and t', () => {
  expect(encodeBase32(Uint8Array.of(0, 0, 0, 0, 31))).toBe('0000000z')
  expect(encodeBase32(Uint8Array.of(0, 68, 50, 20, 199))).toBe('01234567')
  expect(encodeBase32(Uint8Array.of(255, 255, 255, 255, 255))).toBe('zzzzzzzz')
})

test('storePathOf() depends on kind, name, digest and store', () => {
  const identity = { kind: 'content', name: 'a', digest: 'x' } as const
  const paths = [
    storePathOf('/store', identity),
    storePathOf('/other', identity),
    storePathOf('/store', { ...identity, kind: 'output' }),
    storePathOf('/store', { ...identity, name: 'b' }),
    storePathOf('/store', { ...identity, digest: 'y' }),
  ]
  expect(new Set(paths.map(hashPartOf)).size).toBe(5)
  expect(paths[0]).toMatch(/^\/store\/[0-9a-df-np-sv-z]{32}-a$/)
})

test('referenceScan() finds exactly what is mentioned, however the stream is cut', () => {
  const noise = uint8Array({ maxLength: 80 })
  const digits = array(constantFrom('0', '9', 'a', 'm', 'z'), { maxLength: 70 })
  const piece = tuple(noise, digits, constantFrom(...PATHS, undefined))
  assert(
    property(array(piece, { maxLength: 8 }), array(integer({ min: 0, max: 70 })), (pieces, cuts) => {
      const mentioned = pieces.flatMap(([, , path]) => path ?? [])
      const bytes = Buffer.concat(
        pieces.flatMap(([before, run, path]) => [
          before,
          Buffer.from(run.join('')),
          Buffer.from(path === undefined ? '' : hashPartOf(path)),
        ]),
      )
      const scan = referenceScan(PATHS)
      for (const chunk of cut(bytes, cuts)) scan.visit(chunk)
      expect(scan.found()).toStrictEqual([...new Set<StorePath>(mentioned)].toSorted())
    }),
  )
})

test('referenceScan() finds nothing in a hash that lacks its last character', () => {
  const [path] = PATHS
  const scan = referenceScan(PATHS)
  scan.visit(Buffer.from(`${hashPartOf(path!).slice(0, 31)} ${hashPartOf(path!).slice(1)}`))
  expect(scan.found()).toStrictEqual([])
})

function cut(bytes: Buffer, lengths: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = []
  let rest = bytes
  for (const length of lengths) {
    chunks.push(rest.subarray(0, length))
    rest = rest.subarray(length)
  }
  return [...chunks, rest]
}
