import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { linePrinter } from '../src/line-printer.ts'

const NOTHING_HIDDEN = { redact: (text: string) => text }

async function printed(parts: readonly Uint8Array[], secrets = NOTHING_HIDDEN): Promise<readonly string[]> {
  const lines: string[] = []
  const printer = linePrinter(async (line) => void lines.push(line), secrets)
  // oxlint-disable-next-line no-await-in-loop
  for (const part of parts) await printer.take(part)
  await printer.end()
  return lines
}

test('prints the lines of an output, however it is cut', async () => {
  const text = fc.array(fc.constantFrom('ü', 'a', '\n', '→')).map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 4 }), async (whole, size) => {
      const bytes = Buffer.from(whole)
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      const lines = whole.split('\n')
      if (lines.at(-1) === '') lines.pop()
      expect(await printed(parts)).toEqual(lines)
    }),
  )
})

test('hides control characters and secrets, and prints a line without end in parts', async () => {
  const hidden = { redact: (text: string) => text.replaceAll('password', '[secret]') }
  const parts = ['\u001b[31m pass', 'word\r\n', 'x'.repeat(70_000), 'y']
  expect(
    await printed(
      parts.map((part) => Buffer.from(part)),
      hidden,
    ),
  ).toEqual(['\\u001b[31m [secret]', 'x'.repeat(70_000), 'y'])
})
