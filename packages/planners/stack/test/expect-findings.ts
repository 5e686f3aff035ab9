import { expect } from 'vitest'
import type { StackFinding } from '../src/stack.ts'
import { compileTexts, type Texts } from './testing.ts'

/** Stands in a text where something is found: at the value, else at its key, else at the service. */
const MARK = '▸'

/** Compiles texts without their marks, and expects these findings, with hints, and where the marks are. */
export function expectFindings(marked: Texts, expected: readonly string[]): void {
  const texts = Object.fromEntries(Object.entries(marked).map(([file, text]) => [file, text.replaceAll(MARK, '')]))
  const { findings } = compileTexts(texts)
  expect([findings.map(textOf), markedAt(texts, findings)]).toEqual([expected, marked])
}

function textOf({ code, message, hint }: StackFinding): string {
  return hint === undefined ? `${code}: ${message}` : `${code}: ${message} (${hint})`
}

function markedAt(texts: Texts, findings: readonly StackFinding[]): Texts {
  return Object.fromEntries(
    Object.entries(texts).map(([file, text]) => {
      const offsets = findings.flatMap(({ place }) =>
        place?.file === file && place.line !== undefined ? [offsetOf(text, place)] : [],
      )
      return [file, offsets.toSorted((left, right) => right - left).reduce(insertMark, text)]
    }),
  )
}

function offsetOf(text: string, { line = 1, column = 1 }: NonNullable<StackFinding['place']>): number {
  const before = text.split('\n').slice(0, line - 1)
  return [...before, ''].join('\n').length + column - 1
}

function insertMark(text: string, offset: number): string {
  return `${text.slice(0, offset)}${MARK}${text.slice(offset)}`
}
