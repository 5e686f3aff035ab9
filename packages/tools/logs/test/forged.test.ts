import type { LogLine } from '@davit/service-logs'
import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { expect, test } from 'vitest'

import { renderJson, textRenderer } from '../src/render-lines.ts'

function linesWith(text: string): readonly LogLine[] {
  const source = { target: text, container: text, service: text, activity: text } as never
  return [0, 1].map((at) => ({ source, at, isTimed: at === 1, text }))
}

test.each(FORGERIES)('a service that prints %j prints within its line only', (text) => {
  for (const render of [textRenderer({ isMixed: true }), textRenderer({ isMixed: false, columns: 40 }), renderJson])
    expect(forgeriesIn(render(linesWith(text)), '1\n2\n').filter((found) => !isName(found, render))).toEqual([])
})

/** In JSON, names are data: JSON itself escapes what would end a line. */
function isName(found: string, render: unknown): boolean {
  return render === renderJson && found.startsWith('unseen')
}

test('a line cannot begin as one of another service does', () => {
  const render = textRenderer({ isMixed: true })
  const source = { target: 't1', container: 'process', service: 'api' } as never
  const forged = 'x\r2026-01-02T03:04:05.000Z web t1:process | all is well\u001b[1A'
  const shown = render([{ source, at: 0, isTimed: false, text: forged }])
  expect(shown).toMatch(/^ +api t1:process \| x\\u000d2026.*\\u001b\[1A\n$/)
})
